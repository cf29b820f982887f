#include "fuzz/views/drawn_loops.h"

namespace fuser::fuzz {

void divideLoop(DrawnLoops& loops, size_t at, int64_t factor) {
  DrawnLoop outer = loops[at];
  if (outer.extent > 0) outer.extent = (outer.extent + factor - 1) / factor;
  if (!isBlockDim(outer.type)) outer.type = ParallelType::Serial;
  loops[at].extent = factor;
  if (isBlockDim(loops[at].type)) loops[at].type = ParallelType::Serial;
  loops.insert(loops.begin() + static_cast<ptrdiff_t>(at), outer);
}

void joinLoops(DrawnLoops& loops, size_t at) {
  loops[at].extent *= loops[at + 1].extent;
  loops.erase(loops.begin() + static_cast<ptrdiff_t>(at) + 1);
}

void followStep(DrawnLoops& loops, const Transform& step) {
  const auto at = static_cast<size_t>(step.axis < 0 ? step.axis + static_cast<int64_t>(loops.size()) : step.axis);
  if (step.kind == TransformKind::Parallelize) loops[at].type = step.type;
  if (step.kind == TransformKind::Merge) joinLoops(loops, at);
  if (step.kind == TransformKind::Split) divideLoop(loops, at, step.factor);
  if (step.kind == TransformKind::Bound) loops[at].extent = step.factor;
  if (step.kind != TransformKind::Reorder) return;
  DrawnLoops moved(loops.size());
  std::vector<bool> from(loops.size(), false), to(loops.size(), false);
  for (const auto& [old, now] : step.old2new) {
    moved[static_cast<size_t>(now)] = loops[static_cast<size_t>(old)];
    from[static_cast<size_t>(old)] = to[static_cast<size_t>(now)] = true;
  }
  for (size_t i = 0, next = 0; i < loops.size(); ++i) {
    if (from[i]) continue;
    while (to[next]) ++next;
    moved[next++] = loops[i];
  }
  loops = std::move(moved);
}

}  // namespace fuser::fuzz
