// InsertSegmentSet: a segment_set, or a plain set, between a tensor and all that read it.

#include "fuzz/mutate/mutate.h"

namespace fuser::fuzz {

bool mutateInsertSegmentSet(CaseEdit& edit, const CaseEdit*, Choices& choices) {
  if (edit.values.empty()) return false;
  const EditValue value = choices.pick(edit.values);
  if (!value.tensor) return false;
  const OpKind op = choices.chance(0.3) ? OpKind::Set : OpKind::SegmentSet;
  edit.insertBehind(value, {{edit.freshName(value.name)}, op, {value.name}});
  return true;
}

}  // namespace fuser::fuzz
