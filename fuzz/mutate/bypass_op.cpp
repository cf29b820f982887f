// BypassOp: what reads a line's result reads one of its operands instead; the line stays, dead or alive.

#include "fuzz/mutate/mutate.h"

namespace fuser::fuzz {

bool mutateBypassOp(Draft& draft, const Draft*, Choices& choices) {
  if (draft.lines.empty()) return false;
  const size_t at = choices.index(draft.lines.size());
  const std::vector<DraftOperand>& operands = draft.lines[at].operands;
  if (operands.empty()) return false;
  const DraftOperand operand = choices.pick(operands);
  const std::string result = draft.lines[at].results[0];
  bool changed = false;
  const auto redirect = [&](DraftOperand& reader) {
    if (!reader.is(result) || !operand.name()) return;
    reader = operand;
    changed = true;
  };
  for (size_t i = at + 1; i < draft.lines.size(); ++i) {
    for (DraftOperand& reader : draft.lines[i].operands) redirect(reader);
  }
  for (DraftOperand& output : draft.outputs) redirect(output);
  return changed;
}

}  // namespace fuser::fuzz
