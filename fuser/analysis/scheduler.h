#pragma once
// SchedulerInterface: the only interface through which the segmenter queries schedulers. The segmenter therefore links
// none of them, and tests can substitute their own.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fuser/analysis/fusion_view.h"
#include "fuser/case/options.h"
#include "fuser/ir/transform.h"

namespace fuser {

// None: no scheduler; such a group is compiled by its own FusionExecutorCache. The others are in order of priority.
enum class SchedulerType : uint8_t {
  None,
#define SCHEDULER(NAME, SUMMARY, FILE) NAME,
#include "fuser/analysis/schedulers.def"
#undef SCHEDULER
};
std::string_view schedulerTypeName(SchedulerType type);  // "PointWise"
std::optional<SchedulerType> schedulerTypeFromName(std::string_view name);  // nullopt for an unknown name

// Whether a kernel of this scheduler reads its rows once and keeps them, before it stores anything.
inline bool keepsRowsOnChip(SchedulerType type) {
  return type == SchedulerType::InnerPersistent || type == SchedulerType::OuterPersistent ||
         type == SchedulerType::InnerOuterPersistent;
}

struct SchedulerInfo {
  SchedulerType type;
  std::string_view name;
  std::string_view summary;  // which parts it accepts
};
// In the order of schedulers.def, without None.
std::span<const SchedulerInfo> allSchedulers();

class ReferenceMap;

struct SchedulerAnswer {
  SchedulerType type = SchedulerType::None;  // the first scheduler, by priority, that accepts
  std::string reason;                         // if None: every scheduler's reason, joined by "; "
  // The reference map, if the accepting scheduler built one; otherwise null. Kept, so that scheduling the part does not
  // build it again.
  std::shared_ptr<const ReferenceMap> map = nullptr;
  bool accepted() const { return type != SchedulerType::None; }
};

class SchedulerInterface {
 public:
  virtual ~SchedulerInterface() = default;
  // Which scheduler accepts this part as one kernel (or host step), or why none does. A pure function of the view.
  virtual SchedulerAnswer accepts(const FusionView& view) const = 0;
  // The operands of this expression that must be segment inputs, because the scheduler reads them from memory.
  virtual std::vector<Val*> mustBeSegmentInputs(const Expr* expr) const = 0;
};

}  // namespace fuser
