#include "fuser/evaluate/concretize.h"

#include <algorithm>
#include <map>
#include <set>

#include "fuser/evaluate/expression_evaluator.h"
#include "fuser/ir/branches.h"
#include "fuser/ir/builder.h"
#include "fuser/ir/clone.h"
#include "fuser/ir/infer.h"

namespace fuser {
namespace {

bool hasMeet(IntExpr size) {
  if (!size) return false;
  return size->op == IntOp::Meet || hasMeet(size->a) || hasMeet(size->b);
}

bool hasMeet(const TensorView* tensor) {
  const std::vector<IterDomain*>& axes = tensor->domain().logical;
  return std::any_of(axes.begin(), axes.end(), [](const IterDomain* axis) { return hasMeet(axis->size()); });
}

// Or what a run expands: of a size that meets another one, the axis of a 1 has it.
bool squeezesSymbol(const Expr* expr) {
  if (expr->op() != OpKind::Squeeze) return false;
  const std::vector<IterDomain*> axes = expr->input(0)->as<TensorView>()->axes();
  const std::vector<int64_t>& dims = expr->attributes().dims();
  return std::any_of(dims.begin(), dims.end(),
                     [&](int64_t dim) { return !axes[static_cast<size_t>(dim)]->size()->isConstant(1); });
}

// Whether it gives an axis that it keeps another name: the size that is asked for, since a run may have 1 there.
bool renamesAxis(const Expr* expr) {
  if (expr->op() != OpKind::Expand) return false;
  const std::vector<IterDomain*> before = expr->input(0)->as<TensorView>()->axes();
  const std::vector<IterDomain*> after = expr->output()->as<TensorView>()->axes();
  for (size_t i = 0; i < before.size(); ++i) {
    const bool isPlain = before[i]->isBroadcast() && !before[i]->isExpanded();
    if (!isPlain && before[i]->size() != after[i]->size()) return true;
  }
  return false;
}

class Concretizer {
 public:
  Concretizer(const Fusion& original, const RunDecisions& decisions)
      : clone_(cloneFusion(original)), fusion_(*clone_.fusion) {
    fusion_.setConcrete(true);
    for (IntExpr one : decisions.ones) ones_.insert(cloneExtent(original, clone_, one));
    for (const auto& [result, holds] : decisions.branches) holds_.emplace(clone_.vals.at(result), holds);
    for (const auto& val : fusion_.allVals()) names_.insert(val->name());
  }

  std::unique_ptr<Fusion> run() {
    takeBranches();
    const std::vector<Expr*> exprs = fusion_.exprs();
    for (const auto& val : fusion_.allVals()) noteSizes(val.get());
    for (Val* input : fusion_.inputs()) {
      if (input->isTensor()) settleInput(input->as<TensorView>());
    }
    for (Expr* expr : exprs) {
      if (expr->family() == Family::Expand) broadcastExpanded(expr);
      if (isPointwise(expr->op()) && !expr->isScalarExpr()) broadcastOperands(expr);
      for (IntExpr& size : expr->mutableAttributes().allIntegers()) size = settled(size);
      if (squeezesSymbol(expr)) expr = selected(expr);
      inferAgain(expr);
      if (expr->family() == Family::Expand || taken_.count(expr)) skipIfSame(expr);
    }
    return std::move(clone_.fusion);
  }

 private:
  void takeBranches() {
    const auto holds = [&](const Expr* branch) {
      const auto found = holds_.find(branch->output());
      return found == holds_.end() || found->second;
    };
    const std::vector<bool> skipped = skippedExprs(fusion_, holds);
    const std::vector<Expr*> exprs = fusion_.exprs();
    for (Expr* expr : exprs) {
      if (skipped[expr->id()] || expr->family() != Family::Branch) continue;
      Val* taken = takenOperand(expr, holds(expr));
      Val* result = expr->output();
      fusion_.removeExpr(expr);
      taken_.insert(fusion_.newExpr(OpKind::Set, {taken}, {result}));
    }
    for (Expr* expr : exprs) {
      if (skipped[expr->id()]) fusion_.removeExpr(expr);
    }
  }

  // The sizes as the original has them.
  void noteSizes(const Val* val) {
    if (val->isScalar()) return;
    std::vector<IntExpr>& sizes = sizes_[val];
    for (const IterDomain* axis : val->as<TensorView>()->domain().logical) sizes.push_back(axis->size());
  }

  bool isOne(IntExpr size) const {
    if (size->isConstant(1) || ones_.count(size)) return true;
    if (size->op != IntOp::Meet) return false;
    const std::vector<IntExpr> all = sizesThatMeet(size);
    return std::all_of(all.begin(), all.end(), [&](IntExpr each) { return isOne(each); });
  }

  // Of sizes that meet, one that is not 1: the shortest, of those the first by its text, since a node's id depends on
  // what was built before.
  IntExpr settled(IntExpr size) {
    if (!size || !hasMeet(size)) return size;
    if (size->op != IntOp::Meet) return fusion_.ints().join(size->op, settled(size->a), settled(size->b));
    std::vector<IntExpr> all = sizesThatMeet(size);
    if (!isOne(size)) std::erase_if(all, [&](IntExpr each) { return isOne(each); });
    const auto rank = [&](IntExpr each) {
      const std::string text = extentToString(fusion_, each);
      return std::pair(text.size(), text);
    };
    const auto before = [&](IntExpr a, IntExpr b) { return rank(a) < rank(b); };
    return settled(*std::min_element(all.begin(), all.end(), before));
  }

  void settleInput(TensorView* input) {
    TensorDomain& domain = input->domain();
    for (IterDomain*& axis : domain.logical) {
      if (hasMeet(axis->size())) axis = axisLike(axis, axis->type(), settled(axis->size()), axis->isExpanded());
    }
    domain.loopRoot = domain.loop = domain.logical;
  }

  IterDomain* axisLike(const IterDomain* old, IterType type, IntExpr size, bool expanded) {
    IterDomain* axis = expanded ? fusion_.newIterDomain(type, fusion_.ints().constant(1), size)
                                : fusion_.newIterDomain(type, size, nullptr);
    // What has one element is on no streams.
    if (type != IterType::Broadcast || old->isBroadcast()) axis->parallelize(old->parallelType());
    return axis;
  }

  void broadcastExpanded(Expr* expr) {
    std::vector<int64_t> axes;
    const std::vector<IntExpr>& shape = expr->attributes().shape();
    for (size_t i = 0; i < shape.size(); ++i) {
      if (shape[i]->isConstant(-1)) continue;
      // What is expanded to a size that is 1 is 1, whatever its name: its readers read it where the expand is left out.
      if (!shape[i]->isConstant(1) && isOne(shape[i])) ones_.insert(axisSizes(expr->input(0))[i]);
      if (isBroadcast(expr->input(0), i, shape[i])) axes.push_back(static_cast<int64_t>(i));
    }
    if (!axes.empty()) fusion_.replaceInput(expr, 0, broadcast(expr->input(0)->as<TensorView>(), axes));
  }

  void broadcastOperands(Expr* expr) {
    const std::vector<IntExpr> result = sizes_.at(expr->output());
    for (size_t k = 0; k < expr->inputs().size(); ++k) {
      Val* operand = expr->input(k);
      if (operand->isScalar()) continue;
      std::vector<int64_t> axes;
      for (size_t i = 0; i < result.size(); ++i) {
        if (isBroadcast(operand, i, result[i])) axes.push_back(static_cast<int64_t>(i));
      }
      if (!axes.empty()) fusion_.replaceInput(expr, k, broadcast(operand->as<TensorView>(), axes));
    }
  }

  // Whether the operand's axis is one of the sizes that are 1, and meets another one.
  bool isBroadcast(const Val* operand, size_t axis, IntExpr other) const {
    const IterDomain* now = operand->as<TensorView>()->axes()[axis];
    if (now->isBroadcast() && !now->isExpanded()) return false;
    const IntExpr size = axisSizes(operand)[axis];
    return size != other && isOne(size) && !isOne(other);
  }

  // sizes_ without reduced axes.
  std::vector<IntExpr> axisSizes(const Val* val) const {
    std::vector<IntExpr> sizes;
    const std::vector<IterDomain*>& axes = val->as<TensorView>()->domain().logical;
    for (size_t i = 0; i < axes.size(); ++i) {
      if (!axes[i]->isReduction()) sizes.push_back(sizes_.at(val)[i]);
    }
    return sizes;
  }

  // The tensor with broadcast axes in place of these, which have one element each.
  TensorView* broadcast(TensorView* tensor, const std::vector<int64_t>& axes) {
    TensorView*& made = broadcasts_[{tensor, axes}];
    if (made) return made;
    made = build::unsqueeze(fusion_, firstAlong(tensor, axes), axes, freshName(tensor, ".one"));
    return made;
  }

  // Without these axes, at index 0.
  TensorView* firstAlong(TensorView* tensor, std::vector<int64_t> axes) {
    TensorView* first = tensor;
    for (; !axes.empty(); axes.pop_back()) {
      const Attributes attributes = Attributes().dim(axes.back()).index(fusion_.ints().constant(0));
      first = build::structuralTensor(fusion_, OpKind::Select, {first}, attributes, freshName(tensor, ".o"));
    }
    return first;
  }

  std::string freshName(const Val* val, std::string_view ending) {
    std::string name = concat(val->name(), ending);
    for (int number = 1; !names_.insert(name).second; ++number) name = concat(val->name(), ending, number);
    return name;
  }

  // In place of a squeeze of axes with symbols: selects at index 0, of which the last one gives its result.
  Expr* selected(Expr* squeeze) {
    auto* tensor = squeeze->input(0)->as<TensorView>();
    Val* result = squeeze->output();
    std::vector<int64_t> dims = squeeze->attributes().dims();
    std::sort(dims.begin(), dims.end());
    fusion_.removeExpr(squeeze);
    for (IterDomain* axis : result->as<TensorView>()->domain().logical) {
      if (axis->parallelType() == ParallelType::Stream) axis->parallelize(ParallelType::Serial);  // no select is on one
    }
    const int64_t last = dims.front();
    dims.erase(dims.begin());
    TensorView* operand = firstAlong(tensor, dims);
    result->as<TensorView>()->domain().view = false;
    return fusion_.newExpr(OpKind::Select, {operand}, {result},
                           Attributes().dim(last).index(fusion_.ints().constant(0)));
  }

  // The kinds of the axes follow from the operands; sizes are those that the original has, settled.
  void inferAgain(const Expr* expr) {
    if (expr->isScalarExpr()) return;
    const InferredType type = infer(fusion_, expr->op(), expr->inputs(), expr->attributes());
    for (Val* output : expr->outputs()) {
      auto* tensor = output->as<TensorView>();
      TensorDomain& domain = tensor->domain();
      const std::vector<IntExpr>& sizes = sizes_.at(output);
      FUSER_CHECK(type.axes.size() == sizes.size(), "%", tensor->name(), " has another rank than before");
      for (size_t i = 0; i < sizes.size(); ++i) {
        const AxisType& axis = type.axes[i];
        const bool isPlain = axis.type == IterType::Broadcast && !axis.expandedExtent;
        const IntExpr inferred = axis.expandedExtent ? axis.expandedExtent : axis.extent;
        const IntExpr wanted = settled(sizes[i]);
        // A number 1 is no size that an axis is expanded to, nor one that an iteration axis has.
        const bool keeps = !isPlain && expr->op() != OpKind::Expand && !wanted->isConstant(1);
        const IntExpr size = keeps ? wanted : inferred;
        domain.logical[i] = axisLike(domain.logical[i], axis.type, size, axis.expandedExtent != nullptr);
      }
      domain.loopRoot = domain.loop = domain.logical;
      const std::vector<IterDomain*> axes = tensor->axes();
      for (size_t place = 0; place < domain.contiguity.size(); ++place) {
        const bool broadcast = axes[static_cast<size_t>(domain.allocationOrder[place])]->isBroadcast();
        if (broadcast == domain.contiguity[place].has_value()) {
          domain.contiguity[place] = broadcast ? std::nullopt : std::optional<bool>(true);
        }
      }
    }
  }

  // An expand that expands nothing, or a branch that is taken: its readers read what it reads. Not where the sizes of
  // the readers have the name of a scalar that the expand gives them.
  void skipIfSame(Expr* expr) {
    if (!Fusion::extentScalars(expr).empty()) return;
    auto* operand = expr->input(0)->as<TensorView>();
    auto* result = expr->output()->as<TensorView>();
    const std::vector<IterDomain*> before = operand->axes(), after = result->axes();
    const bool same = std::equal(
        before.begin(), before.end(), after.begin(), after.end(), [](const IterDomain* a, const IterDomain* b) {
          return a->type() == b->type() && a->size() == b->size() && a->parallelType() == b->parallelType();
        });
    if (!same || result->isFusionOutput() || result->domain().hasFixedLayout || !result->domain().mesh.empty()) return;
    fusion_.replaceAllUses(result, operand);
    fusion_.removeExpr(expr);
  }

  ClonedFusion clone_;
  Fusion& fusion_;
  std::set<IntExpr> ones_;  // look-ups only, like those below
  std::map<const Val*, bool> holds_;  // of branches, by their results: whether their conditions hold
  std::set<const Expr*> taken_;       // the sets in their place
  std::map<const Val*, std::vector<IntExpr>> sizes_;
  std::map<std::pair<const Val*, std::vector<int64_t>>, TensorView*> broadcasts_;
  std::set<std::string> names_;
};

}  // namespace

bool needsConcretizing(const Fusion& fusion) {
  if (fusion.isConcrete()) return false;
  for (const Val* input : fusion.inputs()) {
    if (input->isTensor() && hasMeet(input->as<TensorView>())) return true;
  }
  for (const Expr* expr : fusion.liveExprs()) {
    const std::vector<Val*>& outputs = expr->outputs();
    if (expr->family() == Family::Branch || squeezesSymbol(expr) || renamesAxis(expr) ||
        std::any_of(outputs.begin(), outputs.end(),
                    [](const Val* output) { return output->isTensor() && hasMeet(output->as<TensorView>()); })) {
      return true;
    }
    const std::vector<IntExpr>& sizes = expr->attributes().allIntegers();
    if (std::any_of(sizes.begin(), sizes.end(), [](IntExpr size) { return hasMeet(size); })) return true;
  }
  return false;
}

namespace {

// Of an axis of a pointwise op.
bool isAssumed(const Expr* expr, size_t axis) {
  const IntExpr made = expr->output()->as<TensorView>()->axes()[axis]->size();
  std::set<IntExpr> met;
  for (const Val* operand : expr->inputs()) {
    if (operand->isScalar()) continue;
    const IterDomain* given = operand->as<TensorView>()->axes()[axis];
    if (given->isBroadcast() && !given->isExpanded()) continue;
    if (given->size()->isConstant() && given->size() != made) return true;
    met.insert(given->size());
  }
  const bool isCertain = made->isConstant() || made->range.low > 1;  // it cannot be a 1 that meets another size
  return met.size() > 1 && made->op != IntOp::Meet && !isCertain;
}

}  // namespace

bool assumesEqualSizes(const Fusion& fusion) {
  const std::vector<Expr*>& exprs = fusion.liveExprs();
  return std::any_of(exprs.begin(), exprs.end(), [](const Expr* expr) {
    if (!isPointwise(expr->op()) || expr->isScalarExpr()) return false;
    for (size_t axis = 0; axis < expr->output()->as<TensorView>()->rank(); ++axis) {
      if (isAssumed(expr, axis)) return true;
    }
    return false;
  });
}

std::unique_ptr<Fusion> concretize(const Fusion& fusion, const RunDecisions& decisions) {
  return Concretizer(fusion, decisions).run();
}

}  // namespace fuser
