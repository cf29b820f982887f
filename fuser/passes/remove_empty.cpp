// RemoveEmptyPass: values that are known to hold no elements are not computed.
//
//   %s = sum(%x) {dims = [0]} : f32[4]      (%x: f32[0, 4])
//   ->  %s = full() {shape = [4], fill_value = 0.0, dtype = f32}
//   %y = exp(%x) : f32[0, 4]; return %y
//   ->  %y = full() {shape = [0, 4], fill_value = 0.0, dtype = f32}; return %y
//
// Tensor expressions that only these needed go too. amax and amin over nothing are the program's error and stay. Only
// extents that are the constant 0 count: an extent that happens to be 0 at run time is the schedulers' affair.

#include <algorithm>
#include <cmath>

#include "fuser/ir/builder.h"
#include "fuser/passes/passes.h"

namespace fuser {

namespace {

bool hasZeroExtent(const std::vector<IterDomain*>& axes) {
  return std::any_of(axes.begin(), axes.end(), [](const IterDomain* axis) { return axis->size()->isConstant(0); });
}

class ReplaceEmpty : public Pass {
 public:
  using Pass::Pass;
  std::string_view name() const override { return "ReplaceEmpty"; }

  void runPass(Fusion* fusion) override {
    const std::vector<Expr*> exprs = fusion->exprs();
    for (const Expr* expr : exprs) {
      // Mean and variance of nothing.
      if (isWelford(expr->op()) && reducesNothing(expr)) {
        for (Val* result : std::vector<Val*>(expr->outputs())) replace(fusion, result->as<TensorView>(), ScalarValue(std::nan("")));
        continue;
      }
      if (!isReduction(expr->op()) || !reducesNothing(expr) || !givesIdentity(expr->op())) continue;
      TensorView* result = expr->output()->as<TensorView>();
      const Identity identity = reductionIdentity(expr->op(), result->dtype());
      replace(fusion, result,
              isFloating(result->dtype()) ? ScalarValue(identity.floating) : ScalarValue(identity.integer));
    }
    const std::vector<Val*> outputs = fusion->outputs();
    for (Val* output : outputs) {
      // A value that is returned twice is replaced everywhere the first time.
      if (!output->isFusionOutput() || !output->isTensor() || !output->definition()) continue;
      TensorView* tensor = output->as<TensorView>();
      if (hasZeroExtent(tensor->axes()) && !isFull(tensor)) replace(fusion, tensor, zero(tensor->dtype()));
    }
  }

 private:
  // Of nothing. The greatest of nothing is an error, and the mean NaN.
  static bool givesIdentity(OpKind op) {
    return op == OpKind::Sum || op == OpKind::Prod || op == OpKind::Any || op == OpKind::All;
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

  static ScalarValue zero(DataType dtype) {
    if (dtype == DataType::Bool) return ScalarValue(false);
    return isFloating(dtype) ? ScalarValue(0.0) : ScalarValue(int64_t{0});
  }

  // Bit for bit the same value, so it keeps name, origin and layout.
  void replace(Fusion* fusion, TensorView* old, ScalarValue value) {
    std::vector<IntExpr> stored;
    std::vector<IntExpr> seen;
    for (const IterDomain* axis : old->axes()) {
      stored.push_back(axis->extent());
      seen.push_back(axis->size());
    }
    TensorView* result = build::full(*fusion, stored, fusion->newConstant(value), old->dtype(), old->name());
    if (stored != seen) {
      result->setName(old->name() + ".full");
      result = build::expand(*fusion, result, seen, old->name());
    }
    result->domain().allocationOrder = old->domain().allocationOrder;
    result->domain().contiguity = old->domain().contiguity;
    result->setOrigin(old->origin());
    fusion->replaceAllUses(old, result);
    // Without its definition the old value, whose name the new one has taken, is no part of the fusion.
    removeUnused(fusion, old);
    modified_ = true;
  }

  // The definition of a value that nothing needs, and those of its operands that nothing needs then.
  static void removeUnused(Fusion* fusion, const Val* val) {
    std::vector<const Val*> work = {val};
    while (!work.empty()) {
      val = work.back();
      work.pop_back();
      Expr* definition = val->definition();
      if (!val->isTensor() || !definition) continue;
      const bool needed = std::any_of(definition->outputs().begin(), definition->outputs().end(), [](const Val* result) {
        return !result->uses().empty() || result->isFusionOutput();
      });
      if (needed) continue;
      for (const Val* operand : definition->inputs()) work.push_back(operand);
      fusion->removeExpr(definition);
    }
  }
};

}  // namespace

PassList RemoveEmptyPass::registerPasses(Fusion* fusion) {
  PassList passes;
  passes.push_back(std::make_unique<ReplaceEmpty>(fusion));
  return passes;
}

}  // namespace fuser
