#include "fuser/schedule/pointwise_facts.h"

#include <algorithm>
#include <unordered_map>

#include "fuser/support/disjoint_sets.h"

namespace fuser {
namespace {

// Parts of one kernel share a value, one of memory or one of their own: what shares none gains nothing by a common
// kernel.
std::string whyApart(const FusionView& whole, const TensorView* reference) {
  std::unordered_map<const Val*, size_t> numbers;  // look-ups only
  DisjointSets connected;
  const auto numberOf = [&](const Val* val) {
    const size_t number = numbers.emplace(val, numbers.size()).first->second;
    connected.grow(number + 1);
    return number;
  };
  for (const Expr* expr : whole.exprs) {
    const size_t result = numberOf(expr->output());
    for (const Val* output : expr->outputs()) connected.unite(result, numberOf(output));
    for (const Val* input : expr->inputs()) {
      if (input->isTensor()) connected.unite(result, numberOf(input));
    }
  }
  for (const TensorView* tensor : tensorsOf(whole.exprs)) {
    if (tensor->concreteRank() > 0 && !connected.same(numbers.at(tensor), numbers.at(reference)))
      return concat("%", tensor->name(), " and %", reference->name(), " share no value");
  }
  return "";
}

// A scatter goes through all its indices for an element, which is too much for each element of an axis that it lacks.
std::string whyScatterRepeated(const std::vector<Expr*>& exprs, const TensorView* reference) {
  for (const Expr* expr : exprs) {
    if (expr->family() != Family::Scatter) continue;
    const auto* result = expr->output()->as<TensorView>();
    if (result->concreteRank() < reference->concreteRank())
      return concat("%", result->name(), " is a scatter, which is not repeated along the axes of %", reference->name());
  }
  return "";
}

}  // namespace

TensorView* largestTensor(const std::vector<Expr*>& exprs, const std::vector<Val*>& outputs) {
  TensorView* best = nullptr;
  const auto isOutput = [&](const TensorView* tensor) {
    return std::find(outputs.begin(), outputs.end(), tensor) != outputs.end();
  };
  for (TensorView* tensor : tensorsOf(exprs)) {
    if (!best || tensor->concreteRank() > best->concreteRank() ||
        (tensor->concreteRank() == best->concreteRank() && isOutput(tensor) && !isOutput(best))) {
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
  if (reason.empty()) reason = whyApart(whole, reference);
  if (reason.empty()) reason = whyScatterRepeated(view.exprs, reference);
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

int scannedPosition(const std::vector<Expr*>& exprs, const ReferenceMap& map) {
  for (const Expr* expr : exprs) {
    if (expr->family() != Family::Scan) continue;
    const auto* result = expr->output()->as<TensorView>();
    const auto dim = static_cast<size_t>(expr->attributes().dim());
    if (!result->axes()[dim]->isBroadcast()) return map.positions(result)[dim];
  }
  return -1;
}

}  // namespace fuser
