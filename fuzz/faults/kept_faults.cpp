// Faults in what a kernel keeps between its passes over a row, and in who gets a reduction's result.

#include "fuzz/faults/fault_list.h"
#include "fuzz/faults/kernel_edit.h"

namespace fuser::fuzz::faults {
namespace {

// Changes where computations read a register buffer of several elements; `change` gets its size and the index.
bool changeKeptIndex(Kernel& kernel, const std::function<IntExpr(IntExprArena&, IntExpr, IntExpr)>& change) {
  return editComputes(kernel, [&](Compute& compute) {
    bool changed = false;
    for (Operand& operand : compute.operands) {
      if (operand.kind != Operand::Kind::Access) continue;
      const Buffer& buffer = kernel.buffers.at(static_cast<size_t>(operand.access.buffer));
      if (buffer.memory != MemoryType::Local || buffer.size->isConstant(1)) continue;
      const IntExpr index = change(*kernel.ints, buffer.size, operand.access.index);
      changed |= index != operand.access.index;
      operand.access.index = index;
    }
    return changed;
  });
}

}  // namespace

bool readFirstKept(Kernel& kernel) {
  return changeKeptIndex(kernel, [](IntExprArena& ints, IntExpr, IntExpr) { return ints.constant(0); });
}

bool reverseKept(Kernel& kernel) {
  return changeKeptIndex(kernel, [](IntExprArena& ints, IntExpr size, IntExpr index) {
    return ints.sub(ints.sub(size, ints.constant(1)), index);
  });
}

// a = reduce(a) becomes t = reduce(a); if (first thread) a = t.
bool keepResultInOneThread(Kernel& kernel) {
  return replaceStatements(kernel, [&](const Statement& statement) -> std::optional<Body> {
    const BlockReduce* reduce = std::get_if<BlockReduce>(&statement.node);
    if (!reduce) return std::nullopt;
    IntExprArena& ints = *kernel.ints;
    Body body;
    BlockReduce whole = *reduce;
    whole.target = newRegister(kernel, reduce->dtype, body);
    body.push_back({whole});
    If first;
    first.condition = ints.constant(1);
    for (size_t dim = 0; dim < 3; ++dim) {
      if (!reduce->dims[dim]) continue;
      first.condition = ints.conjunction(first.condition, ints.equal(kernel.threadIdx[dim], ints.constant(0)));
    }
    if (first.condition->isConstant()) return std::nullopt;
    first.body.push_back(
        computeOf(OpKind::Set, reduce->dtype, reduce->target, {operandAt(whole.target)}, reduce->sourceExpr));
    body.push_back({std::move(first)});
    return body;
  });
}

}  // namespace fuser::fuzz::faults
