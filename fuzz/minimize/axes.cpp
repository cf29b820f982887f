// Union of axes along the maps of the ops.

#include "fuzz/minimize/axes.h"

#include "fuser/analysis/axis_map.h"
#include "fuser/support/disjoint_sets.h"

namespace fuser::fuzz {
namespace {

std::vector<AxisClass> classes(const Fusion& fusion, bool bySymbol) {
  std::vector<size_t> first(fusion.valCount() + 1, 0);  // number of each tensor's first axis
  std::vector<AxisOf> axes;
  for (const auto& val : fusion.allVals()) {
    first[val->id()] = axes.size();
    if (val->isScalar()) continue;
    for (size_t i = 0; i < val->as<TensorView>()->domain().logical.size(); ++i) axes.push_back({val->id(), i});
  }
  DisjointSets sets(axes.size());
  for (const Expr* expr : fusion.exprs()) {
    if (expr->isScalarExpr()) continue;
    for (const Val* operand : expr->inputs()) {
      if (operand->isScalar()) continue;
      const TensorView* producer = operand->as<TensorView>();
      std::vector<size_t> places;
      for (size_t i = 0; i < producer->domain().logical.size(); ++i) {
        if (!producer->domain().logical[i]->isReduction()) places.push_back(i);
      }
      // An axis that is dropped is dropped on both sides, though elements move along it; its sizes are two.
      const std::vector<int> map = bySymbol ? producerAxes(expr, producer) : axesBeside(expr, producer);
      for (size_t i = 0; i < map.size(); ++i) {
        if (map[i] < 0) continue;
        for (const Val* result : expr->outputs()) {
          sets.unite(first[result->id()] + i, first[operand->id()] + places.at(static_cast<size_t>(map[i])));
        }
      }
    }
  }
  if (bySymbol) {
    std::map<std::string, size_t> axisOfSymbol;
    for (size_t i = 0; i < axes.size(); ++i) {
      const Val* val = fusion.allVals()[axes[i].first].get();
      const IterDomain* axis = val->as<TensorView>()->domain().logical[axes[i].second];
      const IntExpr size = axis->size();
      if (!size->isSymbol()) continue;
      const std::string key = concat(size->value);  // the symbol's place in the arena
      sets.unite(i, axisOfSymbol.emplace(key, i).first->second);
    }
  }
  std::map<size_t, AxisClass> byRoot;
  std::vector<AxisClass> result;
  std::vector<size_t> roots;
  for (size_t i = 0; i < axes.size(); ++i) {
    const size_t root = sets.find(i);
    if (byRoot[root].empty()) roots.push_back(root);
    byRoot[root].push_back(axes[i]);
  }
  for (size_t root : roots) result.push_back(std::move(byRoot[root]));
  return result;
}

}  // namespace

std::vector<AxisClass> coordinateClasses(const Fusion& fusion) { return classes(fusion, false); }
std::vector<AxisClass> sizeClasses(const Fusion& fusion) { return classes(fusion, true); }

}  // namespace fuser::fuzz
