#pragma once
// Schedulers: which parts of a fusion they take, and the list of transforms that they choose. The list is the whole of
// their effect: it prints, parses and replays.
//
//   accepts(part) -> PointWise    chooseSchedule -> merge %y {0}; split %y {0, 128}; parallelize %y {0, BIDx}; …
//   applySchedule(part, list)     checkSchedule(part), lower(part)

#include <memory>

#include "fuser/analysis/compile_context.h"
#include "fuser/ir/transform.h"

namespace fuser {

// The schedulers of the priority list (fuser/analysis/schedulers.def), as the segmenter asks them.
class Schedulers : public SchedulerInterface {
 public:
  SchedulerAnswer accepts(const FusionView& view) const override;
  std::vector<Val*> mustBeSegmentInputs(const Expr* expr) const override;
};

// The schedule of one segment as a fusion of its own (clonePart), for a type that accepted it. `sizes` is over the
// part's extents; may be null. Layouts: one an input of the part; where there is none, no alignment is assumed. `map`:
// what the answer kept (SchedulerAnswer::map), of this part; null: it is worked out. The part is left as it is.
Schedule chooseSchedule(const Fusion& part, SchedulerType type, SizeFacts* sizes,
                        const std::vector<InputLayout>& layouts, const ReferenceMap* map = nullptr);

// --- apply.cpp ---
// Applies a list of transforms. An illegal step is a UserError that names the step, the tensor and the rule.
void applySchedule(Fusion& part, const Schedule& schedule);

// --- check.cpp ---
// The rules that a scheduled fusion must keep for lowering to take it; a UserError names the first one broken.
void checkSchedule(const Fusion& part);

}  // namespace fuser
