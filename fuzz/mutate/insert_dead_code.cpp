// InsertDeadCode: an op whose result nobody reads: a copy of a line, or a pointwise op on a value.

#include "fuzz/mutate/mutate.h"

namespace fuser::fuzz {

bool mutateInsertDeadCode(Draft& draft, const Draft*, Choices& choices) {
  if (draft.values.empty()) return false;
  if (!draft.lines.empty() && choices.chance(0.5)) {
    const size_t at = choices.index(draft.lines.size());
    DraftLine copy = draft.lines[at];
    for (std::string& result : copy.results) result = draft.freshName(result);
    draft.lines.insert(draft.lines.begin() + static_cast<std::ptrdiff_t>(at), std::move(copy));
    return true;
  }
  static const std::vector<OpKind> kOps = {OpKind::Abs, OpKind::Exp, OpKind::Relu, OpKind::Neg, OpKind::Set};
  const DraftValue& value = choices.pick(draft.values);
  draft.lines.insert(draft.lines.begin() + static_cast<std::ptrdiff_t>(value.line),
                     {{draft.freshName(value.name)}, choices.pick(kOps), {value.name}});
  return true;
}

}  // namespace fuser::fuzz
