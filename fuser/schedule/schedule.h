#pragma once
// Schedulers: which parts of a fusion each one accepts, and the list of transforms that it chooses for a part. A
// scheduler has no other effect, so that a schedule can be printed, parsed and replayed.
//
//   accepts(part) -> PointWise    chooseSchedule -> merge %y {0}; split %y {0, 128}; parallelize %y {0, BIDx}; …
//   applySchedule(part, list)     checkSchedule(part), lower(part)

#include <memory>

#include "fuser/analysis/compile_context.h"
#include "fuser/analysis/schedule_rules.h"
#include "fuser/ir/transform.h"

namespace fuser {

// Asks the schedulers of fuser/analysis/schedulers.def in order of priority. With `option disable resize_scheduler` no
// kernel computes inline: what is read at other coordinates must be in memory. With `option enable deterministic` no
// kernel adds by atomics; else Scatter alone takes what they can add.
class Schedulers : public SchedulerInterface {
 public:
  Schedulers() = default;
  explicit Schedulers(const CompileOptions& options)
      : computesInline_(!isOptionDisabled(options, DisableOption::ResizeScheduler)), atomics_(!options.deterministic) {}
  SchedulerAnswer accepts(const FusionView& view) const override;
  std::vector<Val*> mustBeSegmentInputs(const Expr* expr) const override;

 private:
  bool computesInline_ = true;
  bool atomics_ = true;
};

// Chooses the schedule of a segment that `type` accepted; `part` is the segment as its own fusion (clonePart) and is
// not changed. `sizes` answers questions about the part's extents; may be null. `layouts` has one entry per input of
// the part; if empty, no alignment is assumed. `map` is SchedulerAnswer::map for this part; null: it is computed here.
// Blocks keep the limits of `device`.
Schedule chooseSchedule(const Fusion& part, SchedulerType type, SizeFacts* sizes,
                        const std::vector<InputLayout>& layouts, const ReferenceMap* map = nullptr,
                        const DeviceProperties& device = defaultDevice());

// --- apply.cpp ---
// Applies a schedule to the part. An illegal step is a UserError that names the step, the tensor and the rule.
void applySchedule(Fusion& part, const Schedule& schedule);

// --- check.cpp ---
// Checks the rules that lowering requires of a scheduled fusion for a device; a UserError names the first one that is
// broken. `sizes` answers questions about the part's extents; may be null.
void checkSchedule(const Fusion& part, const DeviceProperties& device = defaultDevice(), SizeFacts* sizes = nullptr,
                   const ScheduleRules& rules = ScheduleRules());

}  // namespace fuser
