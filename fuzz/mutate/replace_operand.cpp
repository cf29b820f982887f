// ReplaceOperand: an operand becomes another value that exists there: of its dtype and rank, of any, or a literal.

#include "fuzz/mutate/mutate.h"

namespace fuser::fuzz {

bool mutateReplaceOperand(Draft& draft, const Draft*, Choices& choices) {
  if (draft.lines.empty()) return false;
  const size_t at = choices.index(draft.lines.size());
  DraftLine& line = draft.lines[at];
  if (line.operands.empty()) return false;
  std::string& operand = line.operands[choices.index(line.operands.size())];
  const DraftValue* former = draft.find(operand);
  if (!former || choices.chance(0.1)) {
    static const std::vector<std::string> kLiterals = {"0",   "1",   "-1",   "2.5",   "-0.0",
                                                       "inf", "nan", "true", "1e-30", "65504.0"};
    operand = choices.pick(kLiterals);
    return true;
  }
  const bool any = choices.chance(0.2);
  std::vector<const DraftValue*> others;
  for (const DraftValue* value : draft.valuesBefore(at)) {
    const bool alike = value->tensor == former->tensor && value->dtype == former->dtype && value->rank == former->rank;
    if (value != former && (any || alike)) others.push_back(value);
  }
  if (others.empty()) return false;
  operand = "%" + choices.pick(others)->name;
  return true;
}

}  // namespace fuser::fuzz
