// InsertDeadCode: an op whose result nobody reads: a copy of a line, or a pointwise op on a value.

#include "fuzz/mutate/mutate.h"

namespace fuser::fuzz {

bool mutateInsertDeadCode(CaseEdit& edit, const CaseEdit*, Choices& choices) {
  if (edit.values.empty()) return false;
  if (!edit.lines.empty() && choices.chance(0.5)) {
    const size_t at = choices.index(edit.lines.size());
    EditLine copy = edit.lines[at];
    for (std::string& result : copy.results) result = edit.freshName(result);
    edit.lines.insert(edit.lines.begin() + static_cast<std::ptrdiff_t>(at), std::move(copy));
    return true;
  }
  static const std::vector<OpKind> kOps = {OpKind::Abs, OpKind::Exp, OpKind::Relu, OpKind::Neg, OpKind::Set};
  const EditValue& value = choices.pick(edit.values);
  edit.lines.insert(edit.lines.begin() + static_cast<std::ptrdiff_t>(value.line),
                    {{edit.freshName(value.name)}, choices.pick(kOps), {value.name}});
  return true;
}

}  // namespace fuser::fuzz
