// ChangeDtype: %y = exp(%x) -> %x.m0 = cast(%x) {dtype = f16}  %y = exp(%x.m0), for one reader or for all.

#include "fuzz/mutate/mutate.h"

namespace fuser::fuzz {

bool mutateChangeDtype(Draft& draft, const Draft*, Choices& choices) {
  if (draft.values.empty()) return false;
  const DraftValue value = choices.pick(draft.values);
  if (!value.tensor) return false;
  const DataType dtype = choices.pick(kAllDataTypes);
  DraftLine cast{{draft.freshName(value.name)}, OpKind::Cast, {value.name}, Attributes().dtype(dtype)};
  if (choices.chance(0.5)) {
    draft.insertBehind(value, std::move(cast));
    return true;
  }
  for (size_t i = value.line; i < draft.lines.size(); ++i) {
    for (DraftOperand& operand : draft.lines[i].operands) {
      if (!operand.is(value.name)) continue;
      operand = cast.results[0];
      draft.lines.insert(draft.lines.begin() + static_cast<std::ptrdiff_t>(i), std::move(cast));
      return true;
    }
  }
  return false;
}

}  // namespace fuser::fuzz
