// TranslateRepeatToExpandPass: replaces a repeat by an expand, which fuses with its neighbours and needs no memory.
//
//   %y = repeat(%x: [i0, 1]) {repeats = [1, 4]}       ->  %y = expand(%x) {shape = [-1, 4]}
//   %y = repeat(%x: [i0, i1]) {repeats = [1, 4]}      ->  %y.u = unsqueeze(%x) {dims = [1]}
//                                                         %y.e = expand(%y.u) {shape = [-1, 4, -1]}
//                                                         %y = reshape(%y.e) {shape = [i0, (i1 * 4)]}
//
// The first form applies everywhere. The second one applies only if %x is computed in the fusion and has no other use,
// and the result has no broadcast axis: the operand of a repeat or reshape must be in memory, and an expanded axis
// takes no memory. A fusion input is in memory already, so a repeat of it stays, and so does one that would need 9
// axes. Runs after MoveRepeatForwardPass, which looks for repeats.

#include <algorithm>

#include "fuser/ir/builder.h"
#include "fuser/ir/replace_value.h"
#include "fuser/ir/sharding.h"
#include "fuser/passes/passes.h"
#include "fuser/types/dims.h"

namespace fuser {

namespace {

class RepeatToExpand : public Pass {
 public:
  using Pass::Pass;

  void runPass(Fusion* fusion) override {
    for (Expr* expr : std::vector<Expr*>(fusion->exprs())) {
      if (expr->family() == Family::Repeat) translateRepeat(fusion, expr);
    }
  }

 private:
  void translateRepeat(Fusion* fusion, Expr* repeat) {
    TensorView* operand = repeat->input(0)->as<TensorView>();
    const std::vector<IterDomain*> axes = operand->axes();
    const std::vector<IntExpr>& repeats = repeat->attributes().repeats();
    const size_t added = repeats.size() - axes.size();
    size_t split = 0;       // axes of elements that are repeated
    bool expanded = false;  // an expanded axis cannot be expanded further
    for (size_t i = 0; i < axes.size(); ++i) {
      if (repeats[added + i]->isConstant(1)) continue;
      split += !axes[i]->isBroadcast();
      expanded |= axes[i]->isExpanded();
    }
    if (expanded || repeats.size() + split > kMaxRank) return;
    // A reshape does not tell a broadcast axis from one with elements of the same size, nor from one
    // repeated 0 times.
    const std::vector<IterDomain*> seen = repeat->output()->as<TensorView>()->axes();
    const auto isUnclear = [](const IterDomain* axis) { return axis->isBroadcast() || axis->size()->isConstant(0); };
    if (split > 0 && std::any_of(seen.begin(), seen.end(), isUnclear)) return;
    if (split > 0 && (operand->isFusionInput() || operand->isFusionOutput() || operand->uses().size() > 1)) return;
    if (isPlaced(repeat->output()) || !mayApply()) return;
    replace(fusion, repeat, split > 0 ? throughReshape(fusion, repeat) : expansion(fusion, operand, repeats));
  }

  static TensorView* expansion(Fusion* fusion, TensorView* operand, const std::vector<IntExpr>& repeats) {
    const size_t added = repeats.size() - operand->rank();
    std::vector<IntExpr> shape;
    for (size_t i = 0; i < repeats.size(); ++i) {
      const bool kept = i >= added && repeats[i]->isConstant(1);
      shape.push_back(kept ? fusion->ints().constant(-1) : repeats[i]);
    }
    return build::expand(*fusion, operand, shape);
  }

  static TensorView* throughReshape(Fusion* fusion, const Expr* repeat) {
    const TensorView* result = repeat->output()->as<TensorView>();
    TensorView* operand = repeat->input(0)->as<TensorView>();
    const std::vector<IterDomain*> axes = operand->axes();
    const std::vector<IntExpr>& repeats = repeat->attributes().repeats();
    const size_t added = repeats.size() - axes.size();
    std::vector<int64_t> places;
    std::vector<IntExpr> shape;
    for (size_t i = 0; i < repeats.size(); ++i) {
      const bool kept = i >= added && repeats[i]->isConstant(1);
      const bool elements = i >= added && !axes[i - added]->isBroadcast();
      if (!kept && elements) {
        places.push_back(static_cast<int64_t>(shape.size()));
        shape.push_back(repeats[i]);
      }
      shape.push_back(kept || elements ? fusion->ints().constant(-1) : repeats[i]);
      if (i < added) places.push_back(static_cast<int64_t>(shape.size()) - 1);
    }
    TensorView* wide = build::unsqueeze(*fusion, operand, places, partName(result, ".u"));
    wide = build::expand(*fusion, wide, shape, partName(result, ".e"));
    std::vector<IntExpr> sizes;
    for (const IterDomain* axis : result->axes()) sizes.push_back(axis->size());
    return build::reshape(*fusion, wide, sizes);
  }

  static std::string partName(const Val* val, const char* part) {
    return val->name().empty() ? "" : val->name() + part;
  }

  void replace(Fusion* fusion, Expr* expr, TensorView* with) {
    TensorView* old = expr->output()->as<TensorView>();
    replaceValue(fusion, old, with);
    fusion->removeExpr(expr);
    modified_ = true;
  }
};

}  // namespace

const MakePasses TranslateRepeatToExpandPass::kPasses = passesOf<RepeatToExpand>;

}  // namespace fuser
