// The schedulers' list as the segmenter sees it.
#include "fuser/schedule/schedule.h"

#include "fuser/schedule/scheduler_list.h"

namespace fuser {

SchedulerAnswer Schedulers::accepts(const FusionView& view) const {
  SchedulerAnswer answer;
#define SCHEDULER(name, file)                                                        \
  {                                                                                  \
    const std::string reason = whyNot##name(view);                                   \
    if (reason.empty()) return {SchedulerType::name, ""};                            \
    answer.reason += (answer.reason.empty() ? #name ": " : "; " #name ": ") + reason; \
  }
#include "fuser/schedule/schedulers.def"
#undef SCHEDULER
  return answer;
}

// No op of today's table needs its operand in memory.
std::vector<Val*> Schedulers::mustBeSegmentInputs(const Expr*) const { return {}; }

Schedule chooseSchedule(const Fusion& part, SchedulerType type, SizeFacts* sizes, const std::vector<InputLayout>& layouts) {
  switch (type) {
    case SchedulerType::None: break;
    case SchedulerType::NoOp: return scheduleNoOp(part, sizes, layouts);
    case SchedulerType::ExprEval: return scheduleExprEval(part, sizes, layouts);
    case SchedulerType::PointWise: return schedulePointWise(part, sizes, layouts);
    case SchedulerType::Reduction: return scheduleReduction(part, sizes, layouts);
  }
  FUSER_CHECK(false, "no scheduler makes a schedule for ", schedulerTypeName(type));
}

}  // namespace fuser
