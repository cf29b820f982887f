#include "fuser/schedule/facts.h"

#include <algorithm>
#include <bit>
#include <map>
#include <unordered_set>

#include "fuser/analysis/axis_map.h"
#include "fuser/analysis/inline_reads.h"

namespace fuser {

std::vector<TensorView*> tensorsOf(const std::vector<Expr*>& exprs) {
  std::vector<TensorView*> tensors;
  for (const Expr* expr : exprs) {
    for (Val* output : expr->outputs()) {
      if (output->isTensor()) tensors.push_back(output->as<TensorView>());
    }
  }
  return tensors;
}

namespace {

// The tensor's axis with elements at a position of the reference; null if it has none.
const IterDomain* axisAt(const TensorView* tensor, const ReferenceMap& map, int position) {
  const std::vector<int>& positions = map.positions(tensor);
  const auto found = std::find(positions.begin(), positions.end(), position);
  if (found == positions.end()) return nullptr;
  const IterDomain* axis = tensor->domain().logical[static_cast<size_t>(found - positions.begin())];
  return axis->isBroadcast() ? nullptr : axis;
}

}  // namespace

std::string whyUnwritten(const FusionView& view, const ReferenceMap& map, const std::vector<bool>& skip) {
  const size_t rank = map.reference()->domain().logical.size();
  std::map<std::pair<int, size_t>, IntExpr> extents;  // of a set of extents, at a position of the reference
  std::vector<const TensorView*> tensors{map.reference()};
  for (const TensorView* tensor : tensorsOf(view.exprs)) tensors.push_back(tensor);
  for (const TensorView* tensor : tensors) {
    for (size_t i = 0; i < rank; ++i) {
      if (const IterDomain* axis = axisAt(tensor, map, static_cast<int>(i)))
        extents.emplace(std::pair(map.extentSet(tensor), i), axis->extent());
    }
  }
  for (size_t i = 0; i < rank; ++i) {
    for (const Val* output : view.outputs) {
      const TensorView* tensor = output->as<TensorView>();
      if (skip[i] || !map.contains(tensor) || axisAt(tensor, map, static_cast<int>(i))) continue;
      const auto extent = extents.find({map.extentSet(tensor), i});
      if (extent != extents.end() && (!view.sizes || view.sizes->isZero(extent->second))) {
        return concat("%", tensor->name(), " lacks axis ", i, " of %", map.reference()->name(), ", which may be empty");
      }
    }
  }
  return "";
}

std::string whyEmpty(const FusionView& view) {
  for (const TensorView* tensor : tensorsOf(view.exprs)) {
    for (const IterDomain* axis : tensor->domain().logical) {
      if (axis->isExpanded() && (!view.sizes || view.sizes->isZero(axis->expandedExtent()))) {
        return concat("an expanded axis of %", tensor->name(), " may be empty");
      }
    }
  }
  return "";
}

namespace {

// A scatter goes through all its indices for an element, which is too much for each term of a reduction.
std::string whyScatterBesideReduction(const FusionView& view) {
  const Expr* scatter = nullptr;
  bool reduces = false;
  for (const Expr* expr : view.exprs) {
    if (expr->family() == Family::Scatter) scatter = expr;
    reduces |= isReduction(expr->op());
  }
  return scatter && reduces ? concat("%", scatter->output()->name(), " is a scatter beside a reduction") : "";
}

}  // namespace

std::string findLoops(const FusionView& view, PartLoops& loops) {
  if (std::string reason = whyScatterBesideReduction(view); !reason.empty()) return reason;
  loops.view = view;
  std::unordered_set<const Expr*> part;
  loops.trailing = TrailingReshapes(view.exprs);
  for (const Expr* expr : view.exprs) {
    for (const Val* operand : expr->inputs()) {
      if (operand->isScalar() || !operand->definition() || readsInPlace(expr, operand->as<TensorView>())) continue;
      if (loops.trailing.contains(expr)) continue;
      if (part.empty()) part.insert(view.exprs.begin(), view.exprs.end());
      if (part.count(operand->definition()) == 0) continue;
      const std::string reason = whyNotInline(expr, operand->as<TensorView>(), &part);
      if (!reason.empty()) return reason;
    }
  }
  if (part.empty()) return "";
  const InlineReads reads(view.exprs, view.outputs);
  if (std::string reason = whyTooMuchInline(view.exprs, reads); !reason.empty()) return reason;
  loops.readInline = reads.readInline();
  loops.view.exprs = reads.exprsWithLoops();
  std::vector<Val*>& inputs = loops.view.inputs;
  for (const Expr* expr : loops.view.exprs) {
    for (Val* operand : expr->inputs()) {
      if (operand->isScalar() || !reads.canCompute(operand->as<TensorView>())) continue;
      const bool isNew = std::find(inputs.begin(), inputs.end(), operand) == inputs.end();
      if (!reads.hasLoops(operand->definition()) && isNew) inputs.push_back(operand);
    }
  }
  return "";
}

PartLoops loopsOf(const Fusion& part) {
  FusionView view;
  view.fusion = &part;
  view.exprs = part.exprs();
  view.inputs = part.inputs();
  view.outputs = part.outputs();
  PartLoops loops;
  const std::string reason = findLoops(view, loops);
  FUSER_CHECK(reason.empty(), "a part that was accepted cannot be one kernel: ", reason);
  return loops;
}

std::vector<Expr*> readersIn(const std::vector<Expr*>& exprs, const Val* input) {
  std::vector<Expr*> readers;
  for (Expr* expr : exprs) {
    const std::vector<Val*>& operands = expr->inputs();
    if (std::find(operands.begin(), operands.end(), input) != operands.end()) readers.push_back(expr);
  }
  return readers;
}

std::optional<std::vector<int>> onlyReading(const std::vector<Expr*>& readers, const ReferenceMap& map,
                                            const TensorView* input) {
  if (!map.relatesInputs() && readers.size() > 1) return std::nullopt;
  std::optional<std::vector<int>> reading;
  for (const Expr* reader : readers) {
    if (!map.contains(reader->output()->as<TensorView>()) || !readsInPlace(reader, input)) return std::nullopt;
    const std::vector<int> positions = map.operandPositions(reader, input);
    if (reading && *reading != positions) return std::nullopt;
    reading = positions;
  }
  return reading;
}

std::string localName(const Val* tensor) { return tensor->name() + ".local"; }

std::string nameInKernel(const Val* result) { return result->isFusionOutput() ? localName(result) : result->name(); }

void cacheOutputs(const Fusion& part, Schedule& schedule) {
  for (const Val* output : part.outputs()) {
    schedule.push_back(on(TransformKind::CacheBefore, output->name(), localName(output)));
  }
}

std::vector<int> memoryOrder(const TensorView* tensor) {
  std::vector<int> visible, reduced, order;
  const std::vector<IterDomain*>& axes = tensor->domain().logical;
  for (size_t i = 0; i < axes.size(); ++i) (axes[i]->isReduction() ? reduced : visible).push_back(static_cast<int>(i));
  for (int axis : tensor->domain().allocationOrder) order.push_back(visible[axis]);
  order.insert(order.end(), reduced.begin(), reduced.end());
  return order;
}

IntExpr extentAlong(const std::vector<int>& positions, const ReferenceMap& map) {
  const TensorView* reference = map.reference();
  IntExprArena& ints = const_cast<Fusion&>(reference->fusion()).ints();  // only interns the product
  IntExpr extent = ints.constant(1);
  for (int each : positions)
    extent = ints.mul(extent, reference->domain().logical[static_cast<size_t>(each)]->extent());
  return extent;
}

bool mayAddByAtomics(const Expr* expr) {
  return expr->family() == Family::Scatter && expr->info().combine == OpKind::Add &&
         addsAtomically(expr->output()->dtype());
}

int64_t mostThreads(const DeviceProperties& device) {
  return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(device.threadsPerBlock)));
}

Transform on(TransformKind kind, const std::string& tensor, const std::string& other) {
  Transform step{};
  step.kind = kind;
  step.tensor = tensor;
  step.other = other;
  return step;
}

Transform split(const std::string& tensor, int64_t axis, int64_t factor) {
  Transform step = on(TransformKind::Split, tensor);
  step.axis = axis;
  step.factor = factor;
  return step;
}

Transform bound(const std::string& tensor, int64_t axis, int64_t factor) {
  Transform step = split(tensor, axis, factor);
  step.kind = TransformKind::Bound;
  return step;
}

Transform computeAt(const std::string& tensor, const std::string& reader, int64_t position) {
  Transform step = on(TransformKind::ComputeAt, tensor, reader);
  step.axis = position;
  return step;
}

Transform merge(const std::string& tensor, int64_t axis) {
  Transform step = on(TransformKind::Merge, tensor);
  step.axis = axis;
  return step;
}

Transform parallelize(const std::string& tensor, int64_t axis, ParallelType type) {
  Transform step = on(TransformKind::Parallelize, tensor);
  step.axis = axis;
  step.type = type;
  return step;
}

void reorder(Schedule& schedule, const std::string& tensor, const std::vector<int>& newOrder) {
  Transform step = on(TransformKind::Reorder, tensor);
  for (size_t i = 0; i < newOrder.size(); ++i) {
    if (newOrder[i] != static_cast<int>(i)) step.old2new.emplace_back(newOrder[i], static_cast<int64_t>(i));
  }
  if (!step.old2new.empty()) schedule.push_back(step);
}

}  // namespace fuser
