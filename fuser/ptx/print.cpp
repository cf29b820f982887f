// instructionText, lineOf, cudaLineText: an instruction and its line of the kernel as text, for messages and tests.

#include <algorithm>

#include "fuser/ptx/module.h"
#include "fuser/support/check.h"

namespace fuser::ptx {
namespace {

std::string hexadecimal(uint64_t bits, int digits) {
  std::string text(static_cast<size_t>(digits), '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit, bits >>= 4) *digit = "0123456789ABCDEF"[bits & 15];
  return text;
}

class InstructionPrinter {
 public:
  explicit InstructionPrinter(const Function& function) : function_(function) {}

  std::string print(const Instruction& instruction) const {
    std::string text;
    if (instruction.guard >= 0) text = concat("@", instruction.guardNegated ? "!" : "", nameOf(instruction.guard), " ");
    text += instruction.opcode;
    return instruction.operands.empty() ? text : concat(text, " ", list(instruction.operands));
  }

 private:
  std::string nameOf(int64_t at) const { return registerText(function_.registers[static_cast<size_t>(at)]); }

  std::string list(const std::vector<Operand>& operands) const {
    std::string text;
    for (const Operand& operand : operands) text += concat(text.empty() ? "" : ", ", print(operand));
    return text;
  }

  std::string print(const Operand& operand) const {
    switch (operand.kind) {
      case Operand::Kind::Register: return concat(operand.isNegated ? "!" : "", nameOf(operand.at));
      case Operand::Kind::Integer: return std::to_string(static_cast<int64_t>(operand.bits));
      case Operand::Kind::Float:
        return operand.type == Type::F64 ? "0d" + hexadecimal(operand.bits, 16) : "0f" + hexadecimal(operand.bits, 8);
      case Operand::Kind::Address: return printAddress(operand);
      case Operand::Kind::Vector: return concat("{", list(operand.parts), "}");
      case Operand::Kind::Arguments: return concat("(", list(operand.parts), ")");
      case Operand::Kind::Pair: return concat(print(operand.parts[0]), "|", print(operand.parts[1]));
      case Operand::Kind::Variable:
      case Operand::Kind::Special:
      case Operand::Kind::Label:
      case Operand::Kind::Function: return std::string(operand.name);
      case Operand::Kind::Nothing: return "_";
    }
    FUSER_CHECK(false, "bad Operand::Kind");
  }

  std::string printAddress(const Operand& operand) const {
    const std::string base = operand.base == Operand::Base::Register   ? nameOf(operand.at)
                             : operand.base == Operand::Base::Variable ? std::string(operand.name)
                                                                       : "";
    if (base.empty()) return concat("[", operand.offset, "]");
    if (operand.offset == 0) return concat("[", base, "]");
    return concat("[", base, operand.offset > 0 ? "+" : "", operand.offset, "]");
  }

  const Function& function_;
};

}  // namespace

std::string registerText(const Register& named) {
  return named.number < 0 ? std::string(named.name) : concat(named.name, named.number);
}

std::string instructionText(const Function& function, const Instruction& instruction) {
  return InstructionPrinter(function).print(instruction);
}

std::string lineOf(const std::string& text, uint32_t line) {
  size_t start = 0;
  for (uint32_t i = 1; i < line; ++i) {
    start = text.find('\n', start);
    if (start == text.npos) return "";
    ++start;
  }
  const size_t end = std::min(text.find('\n', start), text.size());
  start = std::min(text.find_first_not_of(' ', start), end);
  return text.substr(start, end - start);
}

std::string cudaLineText(const Module& module, uint32_t line) {
  const std::string text = module.cuda ? lineOf(*module.cuda, line) : "";
  return text.empty() ? "" : concat(" `", text, "`");
}

}  // namespace fuser::ptx
