// Reduction: accepts reductions of one shape with their pointwise producers and consumers, as one kernel. The reference
// is the first reduction; I is its kept axes, R its reduced axes, each merged into one:
//   few elements to reduce:   [I] -> [I/128 (BIDx), 128 (TIDx)], R serial in each thread
//   fastest axis reduced:     [I/rows (BIDx), rows (TIDy)], [R/t serial, t (TIDx)]: t threads a row, several rows a
//                             block
//   fastest axis kept:        [I/32 (BIDx), 32 (TIDx)], [R/16 serial, 16 (TIDy)]
//   everything reduced:       [R/512 serial, 512 (TIDx)]
// Each thread accumulates its serial part, then the block combines the threads' parts.
#include <algorithm>
#include <unordered_set>

#include "fuser/schedule/facts.h"
#include "fuser/schedule/scheduler_list.h"

namespace fuser {
namespace {

TensorView* firstReduction(const std::vector<Expr*>& exprs) {
  for (const Expr* expr : exprs) {
    if (!expr->isScalarExpr() && isReduction(expr->op())) return expr->output()->as<TensorView>();
  }
  return nullptr;
}

std::vector<bool> reducedPositions(const TensorView* reference) {
  std::vector<bool> reduced;
  for (const IterDomain* axis : reference->domain().logical) reduced.push_back(axis->isReduction());
  return reduced;
}

// The results of reductions and, transitively, of their readers; for lookups only.
class AfterReductions {
 public:
  // Whether the expression reads such a result; call it for each expression in order. Records the expression's results.
  bool visit(const Expr* expr) {
    const bool reads = std::any_of(expr->inputs().begin(), expr->inputs().end(),
                                   [&](const Val* operand) { return contains(operand); });
    if (reads || isReduction(expr->op())) after_.insert(expr->outputs().begin(), expr->outputs().end());
    return reads;
  }
  bool contains(const Val* val) const { return after_.count(val) != 0; }

 private:
  std::unordered_set<const Val*> after_;
};

// Refuses a reduction that depends on another one. This check comes first, because it rejects most large parts cheaply.
std::string whyNested(const std::vector<Expr*>& exprs) {
  AfterReductions after;
  for (const Expr* expr : exprs) {
    if (after.visit(expr) && isReduction(expr->op())) {
      return concat("%", expr->output()->name(), " reduces the result of a reduction");
    }
  }
  return "";
}

// Requires that every reduction reduces exactly the reference's reduced axes (or broadcast axes without loops), and
// that no tensor after a reduction has those axes.
std::string whyShapesDiffer(const std::vector<Expr*>& exprs, const ReferenceMap& map,
                            const std::vector<bool>& reduced) {
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
    } else if (reads) {
      for (size_t i = 0; i < axes.size(); ++i) {
        if (positions[i] >= 0 && reduced[positions[i]] && !axes[i]->isBroadcast()) {
          return concat("%", output->name(), " spreads a reduction's result over the reduced axes");
        }
      }
    }
  }
  return "";
}

// An output that does not depend on a reduction and lacks a reduced axis would not be written if that axis is empty.
// One that depends on a reduction is written after its loops.
std::string whyOutputsUnwritten(const FusionView& view, const ReferenceMap& map, const std::vector<bool>& reduced) {
  FusionView before = view;
  FusionView behind = view;
  before.outputs.clear();
  behind.outputs.clear();
  AfterReductions after;
  for (const Expr* expr : view.exprs) after.visit(expr);
  for (Val* output : view.outputs) {
    (after.contains(output) ? behind : before).outputs.push_back(output);
  }
  const std::string reason = whyUnwritten(before, map, std::vector<bool>(reduced.size(), false));
  return reason.empty() ? whyUnwritten(behind, map, reduced) : reason;
}

// Whether the fastest axis in memory of the part input with the most axes is reduced.
bool fastestIsReduced(const Fusion& part, const ReferenceMap& map, const std::vector<bool>& reduced) {
  size_t most = 0;
  bool inner = true;
  for (const Val* input : part.inputs()) {
    if (input->isScalar()) continue;
    const TensorView* tensor = input->as<TensorView>();
    if (concreteAxes(tensor) <= most) continue;
    for (const Expr* use : tensor->uses()) {
      const std::vector<int> positions = map.operandPositions(use, tensor);
      const std::vector<int>& order = tensor->domain().allocationOrder;
      for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
        if (tensor->axes()[*axis]->isBroadcast() || positions[*axis] < 0) continue;
        inner = reduced[positions[*axis]];
        most = concreteAxes(tensor);
        break;
      }
    }
  }
  return inner;
}

// The shape of a block. serial: one thread per result.
struct BlockShape {
  bool serial = false;
  bool inner = true;
  int64_t reducing = 512;  // threads along R
  int64_t keeping = 1;     // threads along I
};

// With at most so many threads: fewer along the longer side.
BlockShape within(BlockShape shape, int64_t threads) {
  while (shape.reducing * shape.keeping > threads) {
    (shape.reducing > shape.keeping ? shape.reducing : shape.keeping) /= 2;
  }
  return shape;
}

BlockShape chooseShape(const Fusion& part, const ReferenceMap& map, const std::vector<bool>& reduced,
                       SizeFacts* sizes) {
  IntExprArena& ints = const_cast<Fusion&>(part).ints();
  IntExpr count = ints.constant(1);
  bool keeps = false;
  const std::vector<IterDomain*>& axes = map.reference()->domain().logical;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (reduced[i]) count = ints.mul(count, axes[i]->extent());
    keeps |= !reduced[i];
  }
  const auto atMost = [&](int64_t bound) { return sizes && sizes->atMost(count, bound); };
  if (!keeps) {
    for (int64_t threads : {32, 128}) {
      if (atMost(threads)) return {false, true, threads, 1};
    }
    return {false, true, 512, 1};
  }
  if (!fastestIsReduced(part, map, reduced)) {
    return atMost(32) ? BlockShape{true, false, 1, 128} : BlockShape{false, false, 16, 32};
  }
  if (atMost(8)) return {true, true, 1, 128};
  if (atMost(64)) return {false, true, 16, 8};
  if (atMost(512)) return {false, true, 32, 4};
  return {false, true, 256, 1};
}

}  // namespace

std::string whyNotReduction(const FusionView& view, std::shared_ptr<const ReferenceMap>& kept) {
  for (const Expr* expr : view.exprs) {
    if (expr->isScalarExpr()) return "scalars run on the host";
  }
  const TensorView* reference = firstReduction(view.exprs);
  if (!reference) return "there is no reduction";
  if (std::string reason = whyNested(view.exprs); !reason.empty()) return reason;
  if (std::string reason = whyNotInMemory(view); !reason.empty()) return reason;
  if (std::string reason = whyEmpty(view); !reason.empty()) return reason;
  std::variant<ReferenceMap, std::string> built = ReferenceMap::build(view.exprs, reference);
  if (const std::string* reason = std::get_if<std::string>(&built)) return *reason;
  ReferenceMap& map = std::get<ReferenceMap>(built);
  const std::vector<bool> reduced = reducedPositions(reference);
  std::string reason = whyShapesDiffer(view.exprs, map, reduced);
  if (reason.empty()) reason = whyOutputsUnwritten(view, map, reduced);
  if (reason.empty()) kept = std::make_shared<ReferenceMap>(std::move(map));
  return reason;
}

Schedule scheduleReduction(const Fusion& part, SizeFacts* sizes, const std::vector<InputLayout>&,
                           const ReferenceMap* known, const DeviceProperties& device) {
  std::optional<ReferenceMap> built;
  if (!known) {
    known = &built.emplace(std::get<ReferenceMap>(ReferenceMap::build(part.exprs(), firstReduction(part.exprs()))));
  }
  const ReferenceMap& map = *known;
  const TensorView* reference = map.reference();
  const std::vector<bool> reduced = reducedPositions(reference);
  const BlockShape shape = within(chooseShape(part, map, reduced, sizes), device.threadsPerBlock);
  Schedule schedule;
  cacheOutputs(part, schedule);
  // A reduction that is an output becomes a copy of a local reduction, which is the reference from then on.
  const std::string name = reference->isFusionOutput() ? localName(reference) : reference->name();
  const std::vector<int> order = memoryOrder(reference);
  reorder(schedule, name, order);
  const int64_t reducedCount = std::count(reduced.begin(), reduced.end(), true);
  const int64_t keptCount = static_cast<int64_t>(reduced.size()) - reducedCount;
  for (int64_t i = 1; i < keptCount; ++i) schedule.push_back(merge(name, 0));
  const int64_t first = keptCount > 0 ? 1 : 0;  // R's position
  for (int64_t i = 1; i < reducedCount; ++i) schedule.push_back(merge(name, first));
  const ParallelType reducing = shape.inner ? ParallelType::TIDx : ParallelType::TIDy;
  const ParallelType keeping = shape.inner && !shape.serial ? ParallelType::TIDy : ParallelType::TIDx;
  if (reducedCount > 0 && !shape.serial) {
    schedule.push_back(split(name, first, shape.reducing));
    schedule.push_back(parallelize(name, first + 1, reducing));
  }
  if (keptCount > 0) {
    if (shape.keeping > 1) {
      schedule.push_back(split(name, 0, shape.keeping));
      schedule.push_back(parallelize(name, 1, keeping));
    }
    schedule.push_back(parallelize(name, 0, ParallelType::BIDx));
  }
  schedule.push_back(on(TransformKind::Propagate, name));
  schedule.push_back(on(TransformKind::ParallelizeAllLike, name));
  schedule.push_back(on(TransformKind::InlineMost, ""));
  return schedule;
}

}  // namespace fuser
