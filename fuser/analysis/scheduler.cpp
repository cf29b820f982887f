#include "fuser/analysis/scheduler.h"

namespace fuser {

std::string_view schedulerTypeName(SchedulerType type) {
  switch (type) {
    case SchedulerType::None: return "None";
    case SchedulerType::NoOp: return "NoOp";
    case SchedulerType::ExprEval: return "ExprEval";
    case SchedulerType::PointWise: return "PointWise";
    case SchedulerType::Reduction: return "Reduction";
  }
  FUSER_CHECK(false, "bad SchedulerType");
}

std::optional<SchedulerType> schedulerTypeFromName(std::string_view name) {
  for (SchedulerType type : {SchedulerType::None, SchedulerType::NoOp, SchedulerType::ExprEval,
                             SchedulerType::PointWise, SchedulerType::Reduction}) {
    if (schedulerTypeName(type) == name) return type;
  }
  return std::nullopt;
}

}  // namespace fuser
