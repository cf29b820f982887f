// The table of schedulers, from schedulers.def.

#include "fuser/analysis/scheduler.h"

namespace fuser {

namespace {

constexpr std::string_view kNone = "None";

constexpr SchedulerInfo kSchedulers[] = {
#define SCHEDULER(NAME, SUMMARY, FILE) {SchedulerType::NAME, #NAME, SUMMARY},
#include "fuser/analysis/schedulers.def"
#undef SCHEDULER
};

}  // namespace

std::span<const SchedulerInfo> allSchedulers() { return kSchedulers; }

std::string_view schedulerTypeName(SchedulerType type) {
  if (type == SchedulerType::None) return kNone;
  for (const SchedulerInfo& info : kSchedulers) {
    if (info.type == type) return info.name;
  }
  FUSER_CHECK(false, "bad SchedulerType");
}

std::optional<SchedulerType> schedulerTypeFromName(std::string_view name) {
  if (name == kNone) return SchedulerType::None;
  for (const SchedulerInfo& info : kSchedulers) {
    if (info.name == name) return info.type;
  }
  return std::nullopt;
}

}  // namespace fuser
