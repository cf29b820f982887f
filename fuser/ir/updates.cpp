#include "fuser/ir/updates.h"

#include <algorithm>

#include "fuser/ir/view_axes.h"

namespace fuser {
namespace {

// In elements, one per axis; null: only a run knows it.
using Strides = std::vector<IntExpr>;

// Of memory of a tensor of its own: an input's layout, row-major for what is computed.
Strides ownStrides(const TensorView* tensor, IntExprArena& ints) {
  const std::vector<IterDomain*> axes = tensor->axes();
  Strides strides(axes.size(), nullptr);
  const TensorDomain& domain = tensor->domain();
  IntExpr spanned = ints.constant(1);
  for (size_t place = axes.size(); place-- > 0;) {
    const size_t axis = tensor->isFusionInput() ? static_cast<size_t>(domain.allocationOrder[place]) : place;
    // What is computed has memory for each element of an axis that its operands expand.
    if (axes[axis]->isBroadcast() && !(axes[axis]->isExpanded() && !tensor->isFusionInput())) {
      strides[axis] = ints.constant(axes[axis]->isExpanded() ? 0 : 1);
      continue;
    }
    const bool dense = !tensor->isFusionInput() || domain.contiguity[place].value_or(true);
    if (!dense) spanned = nullptr;
    strides[axis] = spanned;
    if (spanned) spanned = ints.mul(spanned, axes[axis]->size());
  }
  return strides;
}

// The axes along which an expand repeats its operand's elements.
std::vector<bool> expandedHere(const Expr* expand) {
  const std::vector<IterDomain*> from = expand->input(0)->as<TensorView>()->axes();
  const std::vector<IterDomain*> to = expand->output()->as<TensorView>()->axes();
  std::vector<bool> expanded;
  for (size_t axis = 0; axis < to.size(); ++axis) {
    expanded.push_back(to[axis]->isExpanded() && !from[axis]->isExpanded());
  }
  return expanded;
}

Strides stridesOf(const TensorView* tensor, IntExprArena& ints);

Strides stridesOfView(const Expr* expr, IntExprArena& ints) {
  const Strides operand = stridesOf(expr->input(0)->as<TensorView>(), ints);
  const Attributes& attributes = expr->attributes();
  const size_t rank = expr->output()->as<TensorView>()->rank();
  Strides strides;
  const auto has = [&](size_t axis) {
    const std::vector<int64_t>& dims = attributes.allAxes();
    return std::find(dims.begin(), dims.end(), static_cast<int64_t>(axis)) != dims.end();
  };
  const OpKind op = expr->op();
  if (op == OpKind::Permute) {
    for (int64_t dim : attributes.dims()) strides.push_back(operand[static_cast<size_t>(dim)]);
  } else if (op == OpKind::Unsqueeze) {
    for (size_t axis = 0, next = 0; axis < rank; ++axis) {
      strides.push_back(has(axis) ? ints.constant(1) : operand[next++]);
    }
  } else if (op == OpKind::Squeeze || op == OpKind::Select) {
    for (size_t axis = 0; axis < operand.size(); ++axis) {
      if (!has(axis)) strides.push_back(operand[axis]);
    }
  } else if (op == OpKind::Expand) {
    const std::vector<bool> shared = expandedHere(expr);
    for (size_t axis = 0; axis < rank; ++axis) strides.push_back(shared[axis] ? ints.constant(0) : operand[axis]);
  } else if (op == OpKind::Slice) {
    strides = operand;
    IntExpr& stride = strides[static_cast<size_t>(attributes.dim())];
    if (stride) stride = ints.mul(stride, attributes.step());
  } else if (op == OpKind::Unfold) {
    strides = operand;
    const auto dim = static_cast<size_t>(attributes.dim());
    const IntExpr stride = operand[dim];
    strides.push_back(stride);
    if (stride) strides[dim] = ints.mul(stride, attributes.spacing());
  } else {
    strides.resize(rank, nullptr);  // of a reshape: what follows depends on the run
  }
  return strides;
}

Strides stridesOf(const TensorView* tensor, IntExprArena& ints) {
  const Expr* maker = tensor->definition();
  if (!maker || memoryOf(maker) == Memory::Own) return ownStrides(tensor, ints);
  return stridesOfView(maker, ints);
}

bool isOne(IntExpr size) { return size->isConstant(1); }

// A reshape is a view where neighbouring axes that become one lie as one in memory.
Memory memoryOfReshape(const Expr* expr) {
  IntExprArena& ints = expr->fusion().ints();
  const auto* operand = expr->input(0)->as<TensorView>();
  const std::vector<IntExpr> from = sizesOf(operand);
  const std::vector<IntExpr> to = reshapedSizes(ints, from, expr->attributes().shape());
  const Strides strides = stridesOf(operand, ints);
  bool depends = false;
  for (const ReshapeGroup& group : reshapeGroups(ints, from, to)) {
    size_t last = group.fromEnd;  // the next inner axis of more than one element
    for (size_t axis = group.fromEnd; axis-- > group.from;) {
      if (isOne(from[axis])) continue;
      if (last != group.fromEnd) {
        const IntExpr spanned = strides[last] ? ints.mul(strides[last], from[last]) : nullptr;
        if (!spanned || !strides[axis]) {
          depends = true;
        } else if (spanned != strides[axis]) {
          if (spanned->isConstant() && strides[axis]->isConstant() && from[axis]->isConstant()) return Memory::Own;
          depends = true;
        }
      }
      last = axis;
    }
  }
  return depends ? Memory::Depends : Memory::OfOperand;
}

}  // namespace

bool hasUpdates(const Fusion& fusion) {
  const std::vector<Expr*>& exprs = fusion.liveExprs();
  return std::any_of(exprs.begin(), exprs.end(), [](const Expr* expr) { return expr->family() == Family::Update; });
}

bool isUpdated(const Fusion& fusion, const TensorView* storage) {
  const std::vector<Expr*>& exprs = fusion.liveExprs();
  return std::any_of(exprs.begin(), exprs.end(), [&](const Expr* expr) {
    return expr->family() == Family::Update && storageOf(expr->input(0)->as<TensorView>()) == storage;
  });
}

Memory memoryOf(const Expr* expr) {
  constexpr OpKind kViews[] = {OpKind::Slice,  OpKind::Permute, OpKind::Unsqueeze, OpKind::Squeeze,
                               OpKind::Expand, OpKind::Select,  OpKind::Unfold};
  if (expr->op() == OpKind::Reshape) return memoryOfReshape(expr);
  const bool isView = std::find(std::begin(kViews), std::end(kViews), expr->op()) != std::end(kViews);
  return isView ? Memory::OfOperand : Memory::Own;
}

std::vector<Expr*> viewsTo(const TensorView* tensor) {
  std::vector<Expr*> views;
  while (Expr* maker = tensor->definition()) {
    if (memoryOf(maker) != Memory::OfOperand) break;
    views.insert(views.begin(), maker);
    tensor = maker->input(0)->as<TensorView>();
  }
  return views;
}

const TensorView* storageOf(const TensorView* tensor) {
  const std::vector<Expr*> views = viewsTo(tensor);
  return views.empty() ? tensor : views.front()->input(0)->as<TensorView>();
}

IntExpr offsetOf(const TensorView* tensor) {
  IntExprArena& ints = tensor->fusion().ints();
  IntExpr offset = ints.constant(0);
  for (const Expr* view : viewsTo(tensor)) {
    const bool isSlice = view->op() == OpKind::Slice;
    if (!isSlice && view->op() != OpKind::Select) continue;
    const auto* operand = view->input(0)->as<TensorView>();
    const auto dim = static_cast<size_t>(view->attributes().dim());
    const IntExpr stride = stridesOf(operand, ints)[dim], size = operand->axes()[dim]->size();
    if (!stride) return nullptr;
    const IntExpr place = isSlice ? sliceBounds(ints, size, view->attributes()).start
                                  : selectedPlace(ints, size, view->attributes().index());
    offset = ints.add(offset, ints.mul(place, stride));
  }
  return offset;
}

std::string whyNoUpdate(const TensorView* tensor) {
  if (tensor->isCpuScalar()) return concat("%", tensor->name(), " lies on the host");
  const auto refusal = [](const Val* view, size_t axis) {
    return concat("the elements of %", view->name(), " along its expanded axis ", axis,
                  " share memory: write to what it expands");
  };
  const TensorView* storage = storageOf(tensor);
  // What an op computes has memory for each element, also along an axis that its operands expand.
  for (size_t axis = 0; storage->isFusionInput() && axis < storage->rank(); ++axis) {
    if (storage->axes()[axis]->isExpanded()) return refusal(storage, axis);
  }
  for (const Expr* view : viewsTo(tensor)) {
    if (view->op() == OpKind::Unfold) {
      const IntExpr window = view->attributes().window(), spacing = view->attributes().spacing();
      if (window->isConstant() && spacing->isConstant() && window->value <= spacing->value) continue;
      return concat("windows of %", view->output()->name(), " may share elements: write to what it unfolds");
    }
    if (view->op() != OpKind::Expand) continue;
    const std::vector<bool> shared = expandedHere(view);
    const auto axis = std::find(shared.begin(), shared.end(), true);
    if (axis != shared.end()) return refusal(view->output(), static_cast<size_t>(axis - shared.begin()));
  }
  const Expr* maker = storage->definition();
  if (maker && memoryOf(maker) == Memory::Depends) {
    const Val* operand = maker->input(0);
    return concat("whether %", storage->name(), " is a view of %", operand->name(),
                  " or a copy depends on the run: make it a copy with set, or write to %", operand->name());
  }
  return "";
}

}  // namespace fuser
