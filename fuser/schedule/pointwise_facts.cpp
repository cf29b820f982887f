#include "fuser/schedule/pointwise_facts.h"

#include <algorithm>

namespace fuser {

TensorView* largestTensor(const std::vector<Expr*>& exprs, const std::vector<Val*>& outputs) {
  TensorView* best = nullptr;
  const auto isOutput = [&](const TensorView* tensor) {
    return std::find(outputs.begin(), outputs.end(), tensor) != outputs.end();
  };
  for (TensorView* tensor : tensorsOf(exprs)) {
    if (!best || concreteAxes(tensor) > concreteAxes(best) ||
        (concreteAxes(tensor) == concreteAxes(best) && isOutput(tensor) && !isOutput(best))) {
      best = tensor;
    }
  }
  return best;
}

std::variant<ReferenceMap, std::string> mapOfElements(const FusionView& whole, PartLoops& loops) {
  for (const Expr* expr : whole.exprs) {
    if (expr->isScalarExpr()) return "scalars run on the host";
    if (isReduction(expr->op())) return concat("%", expr->output()->name(), " is a reduction");
  }
  if (std::string reason = findLoops(whole, loops); !reason.empty()) return reason;
  const FusionView& view = loops.view;
  const TensorView* reference = largestTensor(view.exprs, view.outputs);
  if (!reference) return "nothing to compute";
  if (std::string reason = whyEmpty(view); !reason.empty()) return reason;
  std::variant<ReferenceMap, std::string> built = ReferenceMap::build(view.exprs, reference);
  if (std::holds_alternative<std::string>(built)) return built;
  const std::vector<bool> none(reference->domain().logical.size(), false);
  std::string reason = whyUnwritten(view, std::get<ReferenceMap>(built), none);
  if (!reason.empty()) return reason;
  return built;
}

const ReferenceMap& knownMap(const Fusion& part, const ReferenceMap* known, std::optional<ReferenceMap>& built) {
  if (known) return *known;
  const std::vector<Expr*> exprs = loopsOf(part).view.exprs;
  return built.emplace(std::get<ReferenceMap>(ReferenceMap::build(exprs, largestTensor(exprs, part.outputs()))));
}

std::vector<int> visiblePositions(const TensorView* tensor, const ReferenceMap& map) {
  std::vector<int> visible;
  for (size_t i = 0; i < tensor->domain().logical.size(); ++i) {
    if (!tensor->domain().logical[i]->isReduction()) visible.push_back(map.positions(tensor)[i]);
  }
  return visible;
}

}  // namespace fuser
