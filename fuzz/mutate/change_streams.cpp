// ChangeStreams: an axis goes on streams, off them, or another one of the tensor does; all of them come or go.

#include <algorithm>

#include "fuser/analysis/resharding.h"
#include "fuzz/generate/run_sizes.h"
#include "fuzz/generate/streams.h"
#include "fuzz/mutate/mutate.h"

namespace fuser::fuzz {
namespace {

struct StreamPlace {
  const Expr* expr;
  size_t axis;
};

// Axes that may go on streams and are not there.
std::vector<StreamPlace> placesOf(const Case& testCase) {
  RunSizes sizes(testCase);
  std::vector<StreamPlace> places;
  for (const Expr* expr : testCase.fusion->exprs()) {
    if (expr->isScalarExpr()) continue;
    const std::vector<IterDomain*> axes = expr->output()->as<TensorView>()->axes();
    for (size_t axis = 0; axis < axes.size(); ++axis) {
      const bool few = sizes.all(axes[axis]->size(), [](int64_t size) { return size <= kMaxTurns; });
      if (few && expr->output()->as<TensorView>()->streamAxis() != axis && whyNoStreamAxis(expr, axis).empty()) {
        places.push_back({expr, axis});
      }
    }
  }
  return places;
}

// All results of an expression have the axis of whichever was given one.
void takeOff(const Expr* expr) {
  for (Val* output : expr->outputs()) {
    if (const auto axis = output->as<TensorView>()->streamAxis()) {
      output->as<TensorView>()->axes()[*axis]->parallelize(ParallelType::Serial);
    }
  }
}

bool changeStreams(Case& testCase, Choices& choices) {
  const Fusion& fusion = *testCase.fusion;
  if (!fusion.hasStreams() && choices.chance(0.5)) return spreadOverStreams(testCase, choices);
  std::vector<const Expr*> onStreams;
  for (const Expr* expr : fusion.exprs()) {
    const auto runs = [](const Val* output) { return output->isTensor() && output->as<TensorView>()->streamAxis(); };
    if (std::any_of(expr->outputs().begin(), expr->outputs().end(), runs)) onStreams.push_back(expr);
  }
  if (!onStreams.empty() && choices.chance(0.3)) {
    if (!choices.chance(0.2)) onStreams = {choices.pick(onStreams)};
    for (const Expr* expr : onStreams) takeOff(expr);
    return true;
  }
  const std::vector<StreamPlace> places = placesOf(testCase);
  if (places.empty()) return false;
  const StreamPlace place = choices.pick(places);
  takeOff(place.expr);
  place.expr->output()->as<TensorView>()->axes()[place.axis]->parallelize(ParallelType::Stream);
  return true;
}

}  // namespace

bool mutateChangeStreams(CaseEdit& edit, const CaseEdit*, Choices& choices) {
  return changeCase(edit, choices, changeStreams);
}

}  // namespace fuser::fuzz
