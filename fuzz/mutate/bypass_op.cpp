// BypassOp: what reads a line's result reads one of its operands instead; the line stays, dead or alive.

#include "fuzz/mutate/mutate.h"

namespace fuser::fuzz {

bool mutateBypassOp(Draft& draft, const Draft*, Choices& choices) {
  if (draft.lines.empty()) return false;
  const size_t at = choices.index(draft.lines.size());
  const std::vector<std::string>& operands = draft.lines[at].operands;
  if (operands.empty()) return false;
  const std::string operand = choices.pick(operands);
  const std::string result = "%" + draft.lines[at].results[0];
  bool changed = false;
  const auto redirect = [&](std::string& reader) {
    if (reader != result || operand[0] != '%') return;
    reader = operand;
    changed = true;
  };
  for (size_t i = at + 1; i < draft.lines.size(); ++i) {
    for (std::string& reader : draft.lines[i].operands) redirect(reader);
  }
  for (std::string& output : draft.outputs) redirect(output);
  return changed;
}

}  // namespace fuser::fuzz
