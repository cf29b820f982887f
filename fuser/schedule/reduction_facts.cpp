#include "fuser/schedule/reduction_facts.h"

#include <algorithm>
#include <unordered_map>

#include "fuser/analysis/axis_map.h"

namespace fuser {

TensorView* firstReduction(const std::vector<Expr*>& exprs) {
  for (const Expr* expr : exprs) {
    if (!expr->isScalarExpr() && isReduction(expr->op())) return expr->output()->as<TensorView>();
  }
  return nullptr;
}

std::variant<ReferenceMap, std::string> mapOfReductions(const FusionView& view, PartLoops& loops) {
  for (const Expr* expr : view.exprs) {
    if (expr->isScalarExpr()) return "scalars run on the host";
  }
  if (!firstReduction(view.exprs)) return "there is no reduction";
  if (std::string reason = findLoops(view, loops); !reason.empty()) return reason;
  if (std::string reason = whyEmpty(loops.view); !reason.empty()) return reason;
  const TensorView* reference = firstReduction(loops.view.exprs);
  if (!reference) return "only the size of a reduction is needed";
  return ReferenceMap::build(loops.view.exprs, reference);
}

std::vector<bool> reducedPositions(const TensorView* reference) {
  std::vector<bool> reduced;
  for (const IterDomain* axis : reference->domain().logical) reduced.push_back(axis->isReduction());
  return reduced;
}

int fastestReduced(const TensorView* reference) {
  const std::vector<IterDomain*>& axes = reference->domain().logical;
  int fastest = -1;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i]->isReduction()) fastest = static_cast<int>(i);
  }
  return fastest;
}

IntExpr reducedCount(Fusion& fusion, const TensorView* reference, const std::vector<bool>& reduced) {
  IntExprArena& ints = fusion.ints();
  IntExpr count = ints.constant(1);
  const std::vector<IterDomain*>& axes = reference->domain().logical;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (!reduced[i]) continue;
    const bool alone = std::count(reduced.begin(), reduced.end(), true) == 1;
    count = ints.mul(count, alone ? axes[i]->extent() : ints.max(axes[i]->extent(), ints.constant(1)));
  }
  return count;
}

std::string whyNested(const std::vector<Expr*>& exprs) {
  AfterReductions after;
  for (const Expr* expr : exprs) {
    if (after.visit(expr) && isReduction(expr->op())) {
      return concat("%", expr->output()->name(), " reduces the result of a reduction");
    }
  }
  return "";
}

std::string whyShapesDiffer(const std::vector<Expr*>& exprs, const ReferenceMap& map, const std::vector<bool>& reduced,
                            bool spreads) {
  AfterReductions after;
  for (const Expr* expr : exprs) {
    const TensorView* output = expr->output()->as<TensorView>();
    const bool reads = after.visit(expr);
    const std::vector<int>& positions = map.positions(output);
    const std::vector<IterDomain*>& axes = output->domain().logical;
    if (isReduction(expr->op())) {
      for (size_t i = 0; i < axes.size(); ++i) {
        if (positions[i] >= 0 && axes[i]->isReduction() != reduced[positions[i]]) {
          return concat("%", output->name(), " reduces other axes than %", map.reference()->name());
        }
      }
      for (size_t i = 0; i < reduced.size(); ++i) {
        if (reduced[i] && std::find(positions.begin(), positions.end(), static_cast<int>(i)) == positions.end()) {
          return concat("%", output->name(), " reduces fewer axes than %", map.reference()->name());
        }
      }
    } else if (reads && !spreads) {
      for (size_t i = 0; i < axes.size(); ++i) {
        if (positions[i] >= 0 && reduced[positions[i]] && !axes[i]->isBroadcast()) {
          return concat("%", output->name(), " spreads a reduction's result over the reduced axes");
        }
      }
    }
  }
  return "";
}

bool runsOverReduced(const Expr* expr, const ReferenceMap& map, const std::vector<bool>& reduced) {
  const TensorView* tensor = map.leader(expr->output()->as<TensorView>());
  const std::vector<int>& positions = map.positions(tensor);
  for (size_t i = 0; i < positions.size(); ++i) {
    if (positions[i] >= 0 && reduced[positions[i]] && !tensor->domain().logical[i]->isBroadcast()) return true;
  }
  return false;
}

// An output that does not depend on a reduction and lacks a reduced axis would not be written if that axis is empty.
std::string whyOutputsUnwritten(const FusionView& view, const ReferenceMap& map, const std::vector<bool>& reduced) {
  FusionView before = view;
  FusionView behind = view;
  before.outputs.clear();
  behind.outputs.clear();
  AfterReductions after;
  for (const Expr* expr : view.exprs) after.visit(expr);
  for (Val* output : view.outputs) {
    const bool afterLoops = after.contains(output) && (isReduction(output->definition()->op()) ||
                                                       !runsOverReduced(output->definition(), map, reduced));
    (afterLoops ? behind : before).outputs.push_back(output);
  }
  const std::string reason = whyUnwritten(before, map, std::vector<bool>(reduced.size(), false));
  return reason.empty() ? whyUnwritten(behind, map, reduced) : reason;
}

std::variant<ReferenceMap, std::string> mapOfOneShape(const FusionView& whole, PartLoops& loops) {
  if (std::string reason = whyNested(whole.exprs); !reason.empty()) return reason;
  std::variant<ReferenceMap, std::string> built = mapOfReductions(whole, loops);
  const auto* map = std::get_if<ReferenceMap>(&built);
  if (!map) return built;
  const std::vector<bool> reduced = reducedPositions(map->reference());
  std::string reason = whyShapesDiffer(loops.view.exprs, *map, reduced, false);
  if (reason.empty()) reason = whyOutputsUnwritten(loops.view, *map, reduced);
  if (!reason.empty()) return reason;
  return built;
}

namespace {

// The position of an operand's fastest axis in memory, as the expression reads it; -1 if it has none. An axis that a
// reshape takes apart or makes lies mostly along the last one on its other side.
int fastestPosition(const Expr* expr, const TensorView* operand, const ReferenceMap& map) {
  const auto* result = expr->output()->as<TensorView>();
  const std::vector<int> beside = axesBeside(expr, operand);
  const std::vector<int>& mine = map.positions(result);
  std::vector<int> positions(operand->rank(), -1);
  for (size_t i = 0; i < beside.size() && i < mine.size(); ++i) {
    if (beside[i] >= 0) positions[static_cast<size_t>(beside[i])] = mine[i];
  }
  const std::vector<IterDomain*> axes = operand->axes();
  const std::vector<int>& order = operand->domain().allocationOrder;
  for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
    if (axes[static_cast<size_t>(*axis)]->isBroadcast()) continue;
    if (positions[static_cast<size_t>(*axis)] >= 0) return positions[static_cast<size_t>(*axis)];
    const std::vector<int>& other = map.positions(map.leader(result));
    if ((expr->family() == Family::Reshape || map.trailing(result)) && !other.empty()) return other.back();
  }
  return -1;
}

}  // namespace

bool fastestIsReduced(const std::vector<Expr*>& exprs, const std::vector<Val*>& inputs, const ReferenceMap& map,
                      const std::vector<bool>& reduced) {
  std::unordered_map<const Val*, bool> fastest;  // look-ups only
  for (const Expr* expr : exprs) {
    for (const Val* operand : expr->inputs()) {
      if (operand->isScalar() || map.contains(operand->as<TensorView>())) continue;
      const int position = fastestPosition(expr, operand->as<TensorView>(), map);
      if (position >= 0) fastest[operand] = reduced[static_cast<size_t>(position)];
    }
  }
  size_t most = 0;
  bool inner = true;
  for (const Val* input : inputs) {
    const auto found = fastest.find(input);
    if (found == fastest.end() || input->as<TensorView>()->concreteRank() <= most) continue;
    most = input->as<TensorView>()->concreteRank();
    inner = found->second;
  }
  return inner;
}

}  // namespace fuser
