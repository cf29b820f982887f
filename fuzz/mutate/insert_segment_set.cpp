// InsertSegmentSet: a segment_set, or a plain set, between a tensor and all that read it.

#include "fuzz/mutate/mutate.h"

namespace fuser::fuzz {

bool mutateInsertSegmentSet(Draft& draft, const Draft*, Choices& choices) {
  if (draft.values.empty()) return false;
  const DraftValue value = choices.pick(draft.values);
  if (!value.tensor) return false;
  const OpKind op = choices.chance(0.3) ? OpKind::Set : OpKind::SegmentSet;
  draft.insertBehind(value, {{draft.freshName(value.name)}, op, {value.name}});
  return true;
}

}  // namespace fuser::fuzz
