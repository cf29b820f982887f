#pragma once
// The interface through which schedulers answer. The segmenter knows schedulers through this alone, so that it links
// none of them, and tests give it schedulers of their own.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fuser/analysis/fusion_view.h"
#include "fuser/case/options.h"
#include "fuser/ir/transform.h"

namespace fuser {

// None: no scheduler (a group that leads to a kernel through a cache of its own). The others in order of priority.
enum class SchedulerType : uint8_t {
  None,
#define SCHEDULER(NAME, SUMMARY, FILE) NAME,
#include "fuser/analysis/schedulers.def"
#undef SCHEDULER
};
std::string_view schedulerTypeName(SchedulerType type);  // "PointWise"
std::optional<SchedulerType> schedulerTypeFromName(std::string_view name);  // nullopt where none is called so

struct SchedulerInfo {
  SchedulerType type;
  std::string_view name;
  std::string_view summary;  // what it takes
};
// In the order of schedulers.def: without None.
std::span<const SchedulerInfo> allSchedulers();

class ReferenceMap;

struct SchedulerAnswer {
  SchedulerType type = SchedulerType::None;  // the first of the priority list that accepts
  std::string reason;                         // when None: each scheduler's reason, "; " between
  // How the part's axes relate, where the scheduler that accepts worked that out to say so; else null. Kept, so that
  // whoever schedules the part does not work it out again.
  std::shared_ptr<const ReferenceMap> map = nullptr;
  bool accepted() const { return type != SchedulerType::None; }
};

class SchedulerInterface {
 public:
  virtual ~SchedulerInterface() = default;
  // Which scheduler takes this part as one kernel (or host step), or why none does. Depends on the view alone.
  virtual SchedulerAnswer accepts(const FusionView& view) const = 0;
  // The inputs of this expression that must be segment inputs.
  virtual std::vector<Val*> mustBeSegmentInputs(const Expr* expr) const = 0;
};

}  // namespace fuser
