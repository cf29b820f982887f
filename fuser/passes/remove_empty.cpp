// RemoveEmptyPass: replaces empty tensors, and reductions and pads of empty tensors, by `full`.
//
//   %s = sum(%x) {dims = [0]} : f32[4]      (%x: f32[0, 4])
//   ->  %s = full() {shape = [4], fill_value = 0.0, dtype = f32}
//   %p = pad(%x) {pad = [2, 1], value = 7.0}      (%x: f32[0])
//   ->  %p = full() {shape = [3], fill_value = 7.0, dtype = f32}
//   %c = cat(%x, %y, %z) {dim = 0}                (%y: f32[0])
//   ->  %c = cat(%x, %z) {dim = 0}
//   %y = exp(%x) : f32[0, 4]; return %y
//   ->  %y = full() {shape = [0, 4], fill_value = 0.0, dtype = f32}; return %y
//
// Expressions that become dead through this are removed, too. The mean of an empty axis is NaN. amax and amin of one
// are the caller's error and stay. Only constant extents of 0 count; schedulers handle extents that are 0 in one run.
// Runs after ExactMappedExtentSubstitutionPass, which replaces every extent that must be 0 by
// the constant.

#include <algorithm>
#include <cmath>
#include <limits>

#include "fuser/ir/builder.h"
#include "fuser/ir/infer.h"
#include "fuser/ir/replace_value.h"
#include "fuser/ir/sharding.h"
#include "fuser/passes/empty_tensors.h"
#include "fuser/passes/passes.h"

namespace fuser {

namespace {

class ReplaceEmpty : public Pass {
 public:
  using Pass::Pass;

  void runPass(Fusion* fusion) override {
    const std::vector<Expr*> exprs = fusion->exprs();
    for (const Expr* expr : exprs) {
      // Mean and variance of an empty axis.
      if (isWelford(expr->op()) && reducesNothing(expr)) {
        if (anyPlaced(expr->outputs()) || !mayApply()) continue;
        for (Val* result : std::vector<Val*>(expr->outputs())) {
          replace(fusion, result->as<TensorView>(), ScalarValue(std::nan("")));
        }
        continue;
      }
      if (!isReduction(expr->op()) || !reducesNothing(expr) || expr->op() == OpKind::Amax ||
          expr->op() == OpKind::Amin || expr->family() == Family::ExtremeIndex || isPlaced(expr->output()) ||
          !mayApply()) {
        continue;
      }
      replace(fusion, expr->output()->as<TensorView>(), ofNothing(expr->op(), expr->output()->dtype()));
    }
    for (Expr* expr : exprs) {
      if (expr->family() == Family::Pad) fillPadOfNothing(fusion, expr);
      if (expr->family() == Family::Cat) leaveOutNothing(fusion, expr);
    }
    const std::vector<Val*> outputs = fusion->outputs();
    for (Val* output : outputs) {
      // The first replacement of a value covers all of its uses as an output.
      if (!output->isFusionOutput() || !output->isTensor() || !output->definition()) continue;
      TensorView* tensor = output->as<TensorView>();
      if (hasZeroExtent(tensor->axes()) && !isFull(tensor) && !isPlaced(tensor) && mayApply()) {
        replace(fusion, tensor, zeroOf(tensor->dtype()));
      }
    }
  }

 private:
  // The reduction of an empty axis: 0 for sum, 1 for prod, 0 / 0 for mean.
  static ScalarValue ofNothing(OpKind op, DataType dtype) {
    if (op == OpKind::Mean) return ScalarValue(std::numeric_limits<double>::quiet_NaN());
    const Identity identity = reductionIdentity(op, dtype);
    return isFloating(dtype) ? ScalarValue(identity.floating) : ScalarValue(identity.integer);
  }

  static bool reducesNothing(const Expr* reduction) {
    const TensorView* result = reduction->output()->as<TensorView>();
    const std::vector<IterDomain*>& axes = result->domain().logical;
    const bool used = std::any_of(reduction->outputs().begin(), reduction->outputs().end(), [](const Val* val) {
      return !val->uses().empty() || val->isFusionOutput();
    });
    return used && std::any_of(axes.begin(), axes.end(), [](const IterDomain* axis) {
             return axis->isReduction() && axis->size()->isConstant(0);
           });
  }

  static bool isFull(const TensorView* tensor) {
    const Expr* definition = tensor->definition();
    if (definition->op() == OpKind::Expand) definition = definition->input(0)->definition();
    return definition && definition->op() == OpKind::Full;
  }

  static bool isUsed(const Val* val) { return !val->uses().empty() || val->isFusionOutput(); }

  void fillPadOfNothing(Fusion* fusion, const Expr* pad) {
    TensorView* result = pad->output()->as<TensorView>();
    if (!hasZeroExtent(pad->input(0)->as<TensorView>()->axes()) || !isUsed(result)) return;
    if (isPlaced(result) || !mayApply()) return;
    replace(fusion, result, pad->input(1));
  }

  // The operands that are empty along the concatenated axis.
  void leaveOutNothing(Fusion* fusion, const Expr* cat) {
    TensorView* old = cat->output()->as<TensorView>();
    const int64_t dim = cat->attributes().dim();
    std::vector<Val*> kept = cat->inputs();
    std::erase_if(kept, [&](const Val* val) {
      return val->as<TensorView>()->axes()[static_cast<size_t>(dim)]->size()->isConstant(0);
    });
    if (kept.empty() || kept.size() == cat->inputs().size() || !isUsed(old)) return;
    if (!makesElementsAlike(kept, static_cast<size_t>(dim), old) || !hasSizesOf(*fusion, kept, *cat)) return;
    if (isPlaced(old) || !mayApply()) return;
    putInPlace(fusion, old, kept.size() == 1 ? build::set(*fusion, kept[0]->as<TensorView>(), old->name())
                                            : build::cat(*fusion, kept, dim, old->name()));
  }

  // A cat stores elements along its axis, and along any other axis that one of its operands stores. The operands that
  // are dropped must not be the only ones to do so.
  static bool makesElementsAlike(const std::vector<Val*>& kept, size_t dim, const TensorView* old) {
    for (size_t axis = 0; axis < old->rank(); ++axis) {
      if (axis == dim && kept.size() > 1) continue;
      const bool stored = std::any_of(kept.begin(), kept.end(), [&](const Val* operand) {
        return !operand->as<TensorView>()->axes()[axis]->isBroadcast();
      });
      if (stored == old->axes()[axis]->isBroadcast()) return false;
    }
    return true;
  }

  // Whether a cat of these operands, or one of them, has the sizes of the cat's result as these are written. Operands
  // may write equal sizes differently, and what reads them has axes that follow from how they are written: a slice of
  // one element of i0 + 1 has that one, of i2 it may have none.
  static bool hasSizesOf(Fusion& fusion, const std::vector<Val*>& kept, const Expr& cat) {
    const InferredType type =
        kept.size() == 1 ? infer(fusion, OpKind::Set, kept, {}) : infer(fusion, OpKind::Cat, kept, cat.attributes());
    const std::vector<IterDomain*> axes = cat.output()->as<TensorView>()->axes();
    return std::equal(type.axes.begin(), type.axes.end(), axes.begin(), axes.end(),
                      [](const AxisType& axis, const IterDomain* old) {
                        return axis == AxisType{old->type(), old->extent(), old->expandedExtent()};
                      });
  }

  void replace(Fusion* fusion, TensorView* old, ScalarValue value) { replace(fusion, old, fusion->newConstant(value)); }

  void replace(Fusion* fusion, TensorView* old, Val* value) {
    std::vector<IntExpr> stored;
    std::vector<IntExpr> seen;
    for (const IterDomain* axis : old->axes()) {
      stored.push_back(axis->extent());
      seen.push_back(axis->size());
    }
    TensorView* result = build::full(*fusion, stored, value, old->dtype(), old->name());
    if (stored != seen) {
      result->setName(old->name() + ".full");
      result = build::expand(*fusion, result, seen, old->name());
    }
    putInPlace(fusion, old, result);
  }

  void putInPlace(Fusion* fusion, TensorView* old, TensorView* result) {
    replaceValue(fusion, old, result);
    // Removing the definition removes the old value from the fusion, so that the names do not clash.
    removeUnused(fusion, old);
    modified_ = true;
  }

};

}  // namespace

const MakePasses RemoveEmptyPass::kPasses = passesOf<ReplaceEmpty>;

}  // namespace fuser
