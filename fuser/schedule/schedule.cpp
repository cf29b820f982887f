// The schedulers' list as the segmenter sees it.
#include "fuser/schedule/schedule.h"

#include "fuser/analysis/axis_map.h"
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

std::vector<Val*> Schedulers::mustBeSegmentInputs(const Expr* expr) const {
  std::vector<Val*> required;
  for (Val* operand : expr->inputs()) {
    if (operand->isTensor() && !readsInPlace(expr, operand->as<TensorView>())) required.push_back(operand);
  }
  return required;
}

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
