// ReplaceOperand: an operand becomes another value that exists there: of its dtype and rank, of any, or a literal.

#include <limits>

#include "fuzz/mutate/mutate.h"

namespace fuser::fuzz {

bool mutateReplaceOperand(CaseEdit& edit, const CaseEdit*, Choices& choices) {
  if (edit.lines.empty()) return false;
  const size_t at = choices.index(edit.lines.size());
  EditLine& line = edit.lines[at];
  if (line.operands.empty()) return false;
  EditOperand& operand = line.operands[choices.index(line.operands.size())];
  const EditValue* former = edit.find(operand);
  if (!former || choices.chance(0.1)) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    static const std::vector<ScalarValue> kLiterals = {int64_t{0}, int64_t{1}, int64_t{-1}, 2.5,   -0.0,
                                                       kInfinity,  kNan,       true,        1e-30, 65504.0};
    operand = choices.pick(kLiterals);
    return true;
  }
  const bool any = choices.chance(0.2);
  std::vector<const EditValue*> others;
  for (const EditValue* value : edit.valuesBefore(at)) {
    const bool alike = value->tensor == former->tensor && value->dtype == former->dtype && value->rank == former->rank;
    if (value != former && (any || alike)) others.push_back(value);
  }
  if (others.empty()) return false;
  operand = choices.pick(others)->name;
  return true;
}

}  // namespace fuser::fuzz
