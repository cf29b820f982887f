// ChangeDtype: %y = exp(%x) -> %x.m0 = cast(%x) {dtype = f16}  %y = exp(%x.m0), for one reader or for all.

#include "fuzz/mutate/mutate.h"

namespace fuser::fuzz {

bool mutateChangeDtype(CaseEdit& edit, const CaseEdit*, Choices& choices) {
  if (edit.values.empty()) return false;
  const EditValue value = choices.pick(edit.values);
  if (!value.tensor) return false;
  const DataType dtype = choices.pick(kAllDataTypes);
  EditLine cast{{edit.freshName(value.name)}, OpKind::Cast, {value.name}, Attributes().dtype(dtype)};
  if (choices.chance(0.5)) {
    edit.insertBehind(value, std::move(cast));
    return true;
  }
  for (size_t i = value.line; i < edit.lines.size(); ++i) {
    for (EditOperand& operand : edit.lines[i].operands) {
      if (!operand.is(value.name)) continue;
      operand = cast.results[0];
      edit.lines.insert(edit.lines.begin() + static_cast<std::ptrdiff_t>(i), std::move(cast));
      return true;
    }
  }
  return false;
}

}  // namespace fuser::fuzz
