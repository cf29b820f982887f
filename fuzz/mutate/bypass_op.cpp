// BypassOp: what reads a line's result reads one of its operands instead; the line stays, dead or alive.

#include "fuzz/mutate/mutate.h"

namespace fuser::fuzz {

bool mutateBypassOp(CaseEdit& edit, const CaseEdit*, Choices& choices) {
  if (edit.lines.empty()) return false;
  const size_t at = choices.index(edit.lines.size());
  const std::vector<EditOperand>& operands = edit.lines[at].operands;
  if (operands.empty()) return false;
  const EditOperand operand = choices.pick(operands);
  const std::string result = edit.lines[at].results[0];
  bool changed = false;
  const auto redirect = [&](EditOperand& reader) {
    if (!reader.is(result) || !operand.name()) return;
    reader = operand;
    changed = true;
  };
  for (size_t i = at + 1; i < edit.lines.size(); ++i) {
    for (EditOperand& reader : edit.lines[i].operands) redirect(reader);
  }
  for (EditOperand& output : edit.outputs) redirect(output);
  return changed;
}

}  // namespace fuser::fuzz
