// SwapOperands: %y = sub(%a, %b) -> %y = sub(%b, %a).

#include "fuzz/mutate/mutate.h"

namespace fuser::fuzz {

bool mutateSwapOperands(CaseEdit& edit, const CaseEdit*, Choices& choices) {
  std::vector<size_t> lines;
  for (size_t i = 0; i < edit.lines.size(); ++i) {
    if (edit.lines[i].operands.size() > 1) lines.push_back(i);
  }
  if (lines.empty()) return false;
  std::vector<EditOperand>& operands = edit.lines[choices.pick(lines)].operands;
  const size_t first = choices.index(operands.size() - 1);
  if (operands[first] == operands[first + 1]) return false;
  std::swap(operands[first], operands[first + 1]);
  return true;
}

}  // namespace fuser::fuzz
