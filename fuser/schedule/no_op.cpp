// NoOp: accepts parts that compute no element: every output is empty, a view of an existing tensor, or in place in the
// memory of one. Empty outputs are allocated; no kernel runs.
#include <algorithm>

#include "fuser/schedule/scheduler_list.h"

namespace fuser {

namespace {

// Whether the part itself makes the tensor whose memory the view shows. An empty one has to be allocated first, too.
bool isBaseInside(const FusionView& view, const Val* output) {
  const auto isInput = [&](const Val* val) {
    return std::find(view.inputs.begin(), view.inputs.end(), val) != view.inputs.end();
  };
  const Val* base = output;
  while (!isInput(base) && base->as<TensorView>()->domain().view) base = base->definition()->input(0);
  return !isInput(base);
}

// What it is made from is in memory before the part.
std::string whyNotInPlace(const FusionView& view, const TensorView* output) {
  std::vector<const TensorView*> stack{output};
  while (!stack.empty()) {
    const TensorView* tensor = stack.back();
    stack.pop_back();
    if (std::find(view.inputs.begin(), view.inputs.end(), tensor) != view.inputs.end()) continue;
    if (!tensor->domain().inPlace) return concat("the part makes %", tensor->name(), ", which is stored in it");
    for (const Val* operand : tensor->definition()->inputs()) {
      if (operand->isTensor()) stack.push_back(operand->as<TensorView>());
    }
  }
  return "";
}

}  // namespace

std::string whyNotNoOp(const FusionView& view, std::shared_ptr<const ReferenceMap>&) {
  for (const Expr* expr : view.exprs) {
    if (expr->isScalarExpr()) return "scalars run on the host";
  }
  for (const Val* output : view.outputs) {
    if (output->isScalar()) return "scalars run on the host";
    if (output->as<TensorView>()->domain().view) {
      if (isBaseInside(view, output)) return concat("%", output->name(), " is a view of what the part makes");
      continue;
    }
    if (output->as<TensorView>()->domain().inPlace) {
      const std::string reason = whyNotInPlace(view, output->as<TensorView>());
      if (!reason.empty()) return reason;
      continue;
    }
    const std::vector<IterDomain*> axes = output->as<TensorView>()->axes();
    const bool empty = view.sizes && std::any_of(axes.begin(), axes.end(), [&](const IterDomain* axis) {
                         return view.sizes->isZero(axis->size());
                       });
    if (!empty) return concat("%", output->name(), " has elements");
  }
  return "";
}

Schedule scheduleNoOp(const Fusion&, SizeFacts*, const std::vector<InputLayout>&, const ReferenceMap*,
                      const DeviceProperties&) {
  return {};
}

}  // namespace fuser
