// MoveRepeatForwardPass: moves a repeat below pointwise ops, so that they compute each element once.
//
//   %r = repeat(%x) {repeats = [1, 4]}
//   %y = exp(%r)                            ->   %y.once = exp(%x)
//                                                %y = repeat(%y.once) {repeats = [1, 4]}
//
//   %y = cat(%x, %x) {dim = 0}              ->   %y = repeat(%x) {repeats = [2, 1]}
//
// A cat along a broadcast axis stays: its result has elements in memory, a repeat's would not. Every other tensor
// operand must be repeated in the same way or be broadcast along the repeated axes. The repeated value must have no
// other use, or both would be computed. Runs before TranslateRepeatToExpandPass, which removes repeats.

#include <algorithm>

#include "fuser/ir/builder.h"
#include "fuser/ir/replace_value.h"
#include "fuser/ir/sharding.h"
#include "fuser/passes/passes.h"

namespace fuser {

namespace {

class CatToRepeat : public Pass {
 public:
  using Pass::Pass;
  std::string_view name() const override { return "CatToRepeat"; }

  void runPass(Fusion* fusion) override {
    for (Expr* expr : std::vector<Expr*>(fusion->exprs())) {
      if (expr->family() == Family::Cat) translate(fusion, expr);
    }
  }

 private:
  void translate(Fusion* fusion, Expr* cat) {
    const std::vector<Val*> operands = cat->inputs();
    const bool same = std::all_of(operands.begin(), operands.end(), [&](const Val* val) { return val == operands[0]; });
    if (operands.size() < 2 || !same || isPlaced(cat->output())) return;
    const TensorView* tensor = operands[0]->as<TensorView>();
    // A cat stores elements along its axis, a repeated broadcast axis does not: the result types differ.
    if (tensor->axes()[static_cast<size_t>(cat->attributes().dim())]->isBroadcast() || !mayApply()) return;
    std::vector<IntExpr> repeats(tensor->rank(), fusion->ints().constant(1));
    repeats[static_cast<size_t>(cat->attributes().dim())] =
        fusion->ints().constant(static_cast<int64_t>(operands.size()));
    replaceValue(fusion, cat->output()->as<TensorView>(),
                 build::repeat(*fusion, operands[0]->as<TensorView>(), repeats));
    fusion->removeExpr(cat);
    modified_ = true;
  }
};

class RepeatForward : public Pass {
 public:
  using Pass::Pass;
  std::string_view name() const override { return "RepeatForward"; }

  void runPass(Fusion* fusion) override {
    for (Expr* expr : std::vector<Expr*>(fusion->exprs())) {
      if (expr->isScalarExpr() || !(isPointwise(expr->op()) || expr->family() == Family::Cast)) continue;
      if (isPlaced(expr->output()) || anyPlaced(expr->inputs())) continue;
      const Expr* repeat = repeatOf(expr);
      if (repeat && operandsFit(expr, repeat) && mayApply()) move(fusion, expr, repeat);
    }
  }

 private:
  // The first operand that is a repeat without other uses.
  static const Expr* repeatOf(const Expr* expr) {
    for (const Val* operand : expr->inputs()) {
      if (isOwnRepeat(operand)) return operand->definition();
    }
    return nullptr;
  }

  static bool isOwnRepeat(const Val* val) {
    return val->isTensor() && val->definition() && val->definition()->family() == Family::Repeat &&
           val->uses().size() == 1 && !val->isFusionOutput();
  }

  // The operand before an equal repeat; the operand itself if repeating does not change it; otherwise null.
  static Val* once(Val* operand, const Expr* repeat) {
    if (operand->isScalar()) return operand;
    const std::vector<IntExpr>& repeats = repeat->attributes().repeats();
    if (isOwnRepeat(operand) && operand->definition()->attributes().repeats() == repeats) {
      return operand->definition()->input(0);
    }
    const std::vector<IterDomain*> axes = operand->as<TensorView>()->axes();
    if (repeats.size() != repeat->input(0)->as<TensorView>()->rank() || axes.size() != repeats.size()) return nullptr;
    for (size_t i = 0; i < axes.size(); ++i) {
      const bool open = axes[i]->isBroadcast() && !axes[i]->isExpanded();
      if (!repeats[i]->isConstant(1) && !open) return nullptr;
    }
    return operand;
  }

  // Repeated axes must have the same kind in all operands: a broadcast axis would be repeated to another size.
  static bool operandsFit(const Expr* expr, const Expr* repeat) {
    const std::vector<IntExpr>& repeats = repeat->attributes().repeats();
    const TensorView* first = repeat->input(0)->as<TensorView>();
    const size_t added = repeats.size() - first->rank();
    for (Val* operand : expr->inputs()) {
      const Val* source = once(operand, repeat);
      if (!source) return false;
      if (source->isScalar() || source == operand) continue;
      const TensorView* tensor = source->as<TensorView>();
      if (tensor->rank() != first->rank()) return false;
      for (size_t i = 0; i < tensor->rank(); ++i) {
        if (repeats[added + i]->isConstant(1)) continue;
        const IterDomain *a = tensor->axes()[i], *b = first->axes()[i];
        if (a->isBroadcast() != b->isBroadcast() || a->size() != b->size()) return false;
      }
    }
    return true;
  }

  void move(Fusion* fusion, Expr* expr, const Expr* repeat) {
    TensorView* old = expr->output()->as<TensorView>();
    const std::vector<IntExpr> repeats = repeat->attributes().repeats();
    std::vector<Val*> operands;
    for (Val* operand : expr->inputs()) operands.push_back(once(operand, repeat));
    const std::string name = old->name().empty() ? "" : old->name() + ".once";
    Val* result = isPointwise(expr->op()) ? build::pointwise(*fusion, expr->op(), operands, name)
                                          : build::cast(*fusion, operands[0], expr->attributes().dtype(), name);
    TensorView* with = build::repeat(*fusion, result->as<TensorView>(), repeats);
    replaceValue(fusion, old, with);
    const std::vector<Val*> readBefore = expr->inputs();
    fusion->removeExpr(expr);
    for (const Val* operand : readBefore) {
      if (operand->isTensor() && operand->definition() && operand->uses().empty() && !operand->isFusionOutput()) {
        fusion->removeExpr(operand->definition());
      }
    }
    modified_ = true;
  }
};

}  // namespace

const MakePasses MoveRepeatForwardPass::kPasses = passesOf<CatToRepeat, RepeatForward>;

}  // namespace fuser
