// Faults in the words that random numbers are made of.

#include "fuzz/faults/fault_list.h"
#include "fuzz/faults/kernel_edit.h"

namespace fuser::fuzz::faults {
namespace {

// Of each word; nullopt: it stays.
bool replaceWords(Kernel& kernel, const std::function<std::optional<Body>(const Compute& word)>& replacement) {
  return replaceStatements(kernel, [&](const Statement& statement) -> std::optional<Body> {
    const Compute* compute = std::get_if<Compute>(&statement.node);
    return compute && compute->op == OpKind::Philox ? replacement(*compute) : std::nullopt;
  });
}

}  // namespace

bool drawFirstWord(Kernel& kernel) {
  return editComputes(kernel, [](Compute& compute) {
    if (compute.op != OpKind::Philox || compute.operands[0].kind == Operand::Kind::Literal) return false;
    compute.operands[0] = literalOperand(int64_t{0});
    return true;
  });
}

bool forgetKey(Kernel& kernel) {
  return editComputes(kernel, [](Compute& compute) {
    if (compute.op != OpKind::Philox) return false;
    compute.operands[1] = literalOperand(int64_t{0});  // no key is that: it is a word itself
    return true;
  });
}

bool drawNextWord(Kernel& kernel) {
  return replaceWords(kernel, [&](const Compute& word) -> std::optional<Body> {
    Body body;
    const Access next = newRegister(kernel, word.computeDtype, body);
    body.push_back(
        computeOf(OpKind::Add, word.computeDtype, next, {word.operands[0], literalOperand(int64_t{1})}, word.source));
    body.push_back(
        computeOf(OpKind::Philox, word.computeDtype, word.target, {operandAt(next), word.operands[1]}, word.source));
    return body;
  });
}

bool loseHighBits(Kernel& kernel) {
  return replaceWords(kernel, [&](const Compute& word) -> std::optional<Body> {
    if (word.computeDtype != DataType::Int64) return std::nullopt;
    Body body;
    const Access whole = newRegister(kernel, word.computeDtype, body);
    body.push_back(computeOf(OpKind::Philox, word.computeDtype, whole, word.operands, word.source));
    body.push_back(computeOf(OpKind::BitwiseAnd, word.computeDtype, word.target,
                             {operandAt(whole), literalOperand(int64_t{0xFFFFFFFF})}, word.source));
    return body;
  });
}

}  // namespace fuser::fuzz::faults
