// Implements the scheduler interface over the list schedulers.def.
#include "fuser/schedule/schedule.h"

#include <algorithm>

#include "fuser/analysis/axis_map.h"
#include "fuser/analysis/inline_reads.h"
#include "fuser/analysis/stored_slices.h"
#include "fuser/schedule/facts.h"
#include "fuser/schedule/scheduler_list.h"

namespace fuser {

namespace {

bool isInOtherMemory(const TensorDomain& domain) { return domain.view || domain.inPlace; }

// The first output that is a view or in place. These need no kernel, so they are in parts of their own.
const Val* firstWithoutKernel(const FusionView& view) {
  for (const Val* output : view.outputs) {
    if (output->isTensor() && isInOtherMemory(output->as<TensorView>()->domain())) return output;
  }
  return nullptr;
}

// The first operand of a reader at other coordinates that the part computes.
std::string whyReadElsewhere(const FusionView& view) {
  for (const Expr* expr : view.exprs) {
    if (expr->isScalarExpr()) continue;
    for (const Val* operand : expr->inputs()) {
      if (operand->isScalar() || readsInPlace(expr, operand->as<TensorView>())) continue;
      if (std::find(view.exprs.begin(), view.exprs.end(), operand->definition()) == view.exprs.end()) continue;
      return concat("%", expr->output()->name(), " = ", expr->info().mnemonic, "(…) needs %", operand->name(),
                    " in memory, as a segment input");
    }
  }
  return "";
}

}  // namespace

SchedulerAnswer Schedulers::accepts(const FusionView& view) const {
  SchedulerAnswer answer;
  if (!computesInline_) {
    answer.reason = whyReadElsewhere(view);
    if (!answer.reason.empty()) return answer;
  }
  if (const Val* seen = firstWithoutKernel(view)) {
    const std::string reason = whyNotNoOp(view, answer.map);
    if (reason.empty()) return {SchedulerType::NoOp, ""};
    const char* what = seen->as<TensorView>()->domain().view ? " is a view" : " is in place";
    return {SchedulerType::None, concat("%", seen->name(), what, " and needs no kernel, but ", reason)};
  }
  const bool adds = atomics_ && std::any_of(view.exprs.begin(), view.exprs.end(), mayAddByAtomics);
  const bool scans = std::any_of(view.exprs.begin(), view.exprs.end(),
                                 [](const Expr* expr) { return expr->family() == Family::Scan; });
  const auto isAsked = [&](SchedulerType type) {
    if (type == SchedulerType::Scatter) return adds;
    if (type == SchedulerType::Scan) return scans && !adds;
    return !(adds || scans) || type == SchedulerType::ExprEval || type == SchedulerType::NoOp;
  };
#define SCHEDULER(name, summary, file)                                                \
  if (isAsked(SchedulerType::name)) {                                                 \
    const std::string reason = whyNot##name(view, answer.map);                        \
    if (reason.empty()) return {SchedulerType::name, "", answer.map};                 \
    answer.reason += (answer.reason.empty() ? #name ": " : "; " #name ": ") + reason; \
  }
#include "fuser/analysis/schedulers.def"
#undef SCHEDULER
  return answer;
}

// Operands that are read at other coordinates than the reader's must be in memory, if the reader cannot compute them
// inline; so must the base of a view, what is in place, and what that is made from; and what atomics add to.
std::vector<Val*> Schedulers::mustBeSegmentInputs(const Expr* expr) const {
  if (expr->isScalarExpr()) return {};
  const TensorDomain& made = expr->output()->as<TensorView>()->domain();
  std::vector<Val*> required;
  for (Val* operand : expr->inputs()) {
    if (operand->isScalar() || !operand->definition()) continue;
    const auto* tensor = operand->as<TensorView>();
    if (atomics_ && operand == expr->input(0) && mayAddByAtomics(expr)) {
      required.push_back(operand);  // what the result starts as
      continue;
    }
    if (made.inPlace || tensor->domain().inPlace) {
      if (!isInnerPart(tensor)) required.push_back(operand);
      continue;
    }
    if (readsInPlace(expr, tensor)) continue;
    if (!computesInline_ || (!mayTrail(expr) && !whyNotInline(expr, tensor).empty())) required.push_back(operand);
  }
  if (!required.empty() || !made.view) return required;
  Val* source = expr->input(0);
  return source->as<TensorView>()->domain().view ? std::vector<Val*>{} : std::vector<Val*>{source};
}

Schedule chooseSchedule(const Fusion& part, SchedulerType type, SizeFacts* sizes,
                        const std::vector<InputLayout>& layouts, const ReferenceMap* map,
                        const DeviceProperties& device) {
  switch (type) {
    case SchedulerType::None: break;
#define SCHEDULER(name, summary, file) \
  case SchedulerType::name:            \
    return schedule##name(part, sizes, layouts, map, device);
#include "fuser/analysis/schedulers.def"
#undef SCHEDULER
  }
  FUSER_CHECK(false, "no scheduler makes a schedule for ", schedulerTypeName(type));
}

}  // namespace fuser
