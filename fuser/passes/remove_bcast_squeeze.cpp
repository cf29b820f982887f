// RemoveBcastSqueezePass: cancels an `unsqueeze` with a later `squeeze` of the same axis.
//
//   %a = unsqueeze(%x) {dims = [1]} : f32[i0, 1, i1]
//   %b = squeeze(%a) {dims = [1]} : f32[i0, i1]
//   %y = neg(%b)                                       ->    %y = neg(%x)
//
//   %a = unsqueeze(%x) {dims = [0]} : f32[1, i0]
//   %b = unsqueeze(%z) {dims = [0]} : f32[1, i0]
//   %c = mul(%a, %b)
//   %y = squeeze(%c) {dims = [0]} : f32[i0]            ->    %y = mul(%x, %z)
//
// Where only some of the axes meet, the others stay. Through pointwise ops, casts and `set`, which work element by
// element, when every tensor operand gets all squeezed axes from an unsqueeze and nobody else reads what lies between.
// Never through segment_set: it is the program's own boundary. A squeezed output stays a value of its own. After
// DeadCodePass: a dead reader would keep what lies between alive.

#include <algorithm>
#include <iterator>

#include "fuser/ir/builder.h"
#include "fuser/ir/replace_value.h"
#include "fuser/ir/sharding.h"
#include "fuser/passes/passes.h"

namespace fuser {

namespace {

using Axes = std::vector<int64_t>;  // sorted

Axes without(const Axes& axes, const Axes& removed) {
  Axes rest;
  std::set_difference(axes.begin(), axes.end(), removed.begin(), removed.end(), std::back_inserter(rest));
  return rest;
}

// Renumbers axes for a tensor without the axes in `removed`.
Axes renumbered(const Axes& axes, const Axes& removed) {
  Axes places;
  for (int64_t axis : axes) {
    places.push_back(axis - (std::lower_bound(removed.begin(), removed.end(), axis) - removed.begin()));
  }
  return places;
}

bool worksByElement(const Expr* expr) {
  return isPointwise(expr->op()) || expr->op() == OpKind::Cast || expr->op() == OpKind::Set;
}

class CancelSqueezes : public Pass {
 public:
  using Pass::Pass;

  void runPass(Fusion* fusion) override {
    const std::vector<Expr*> exprs = fusion->exprs();
    for (Expr* expr : exprs) {
      // An earlier rewrite may have removed it.
      if (expr->op() == OpKind::Squeeze && expr->output()->definition() == expr) cancel(*fusion, expr);
    }
  }

 private:
  void cancel(Fusion& fusion, Expr* squeeze) {
    Val* result = squeeze->output();
    if (result->uses().empty() && !result->isFusionOutput()) return;  // DeadCodePass' affair
    Val* operand = squeeze->input(0);
    const Axes dims = squeeze->attributes().dims();
    Expr* maker = operand->definition();
    if (!maker || isPlaced(result) || isPlaced(operand)) return;
    if (maker->op() == OpKind::Unsqueeze) {
      Axes common;
      std::set_intersection(dims.begin(), dims.end(), maker->attributes().dims().begin(),
                            maker->attributes().dims().end(), std::back_inserter(common));
      if (common.empty() || !mayApply()) return;
      become(fusion, squeeze, partlySqueezed(fusion, maker, dims, common));
    } else if (isPlain(maker, dims) && mayApply()) {
      recompute(fusion, squeeze, maker, dims);
    } else {
      return;
    }
    removeUnused(&fusion, operand);
    modified_ = true;
  }

  // Whether pointwise ops without other uses make the value from tensors that got the axes from unsqueezes.
  static bool isPlain(const Expr* maker, const Axes& dims) {
    const Val* value = maker->output();
    if (!worksByElement(maker) || value->isFusionOutput() || value->uses().size() != 1) return false;
    if (anyPlaced(maker->inputs()) || isPlaced(value)) return false;
    return std::all_of(maker->inputs().begin(), maker->inputs().end(), [&](const Val* operand) {
      if (operand->isScalar()) return true;
      const Expr* definition = operand->definition();
      if (!definition) return false;
      if (definition->op() != OpKind::Unsqueeze) return isPlain(definition, dims);
      const Axes& newAxes = definition->attributes().dims();
      return std::includes(newAxes.begin(), newAxes.end(), dims.begin(), dims.end());
    });
  }

  // The unsqueeze's result without the axes in `common`, squeezed along the remaining axes of `dims`.
  static Val* partlySqueezed(Fusion& fusion, const Expr* unsqueeze, const Axes& dims, const Axes& common) {
    auto* value = unsqueeze->input(0)->as<TensorView>();
    const Axes newAxes = renumbered(without(unsqueeze->attributes().dims(), common), common);
    const Axes squeezed = renumbered(without(dims, common), common);
    const std::string& name = unsqueeze->output()->name();
    if (!newAxes.empty()) value = build::unsqueeze(fusion, value, newAxes, name + ".unsqueezed");
    if (!squeezed.empty()) value = build::squeeze(fusion, value, squeezed, name + ".squeezed");
    return value;
  }

  static Val* squeezed(Fusion& fusion, Val* operand, const Axes& dims) {
    if (operand->isScalar()) return operand;
    const Expr* maker = operand->definition();
    if (maker->op() == OpKind::Unsqueeze) return partlySqueezed(fusion, maker, dims, dims);
    const std::vector<Val*> operands = squeezedOperands(fusion, maker, dims);
    const std::string name = operand->name() + ".squeezed";
    if (maker->op() == OpKind::Cast) return build::cast(fusion, operands[0], operand->dtype(), name);
    if (maker->op() == OpKind::Set) return build::set(fusion, operands[0]->as<TensorView>(), name);
    return build::pointwise(fusion, maker->op(), operands, name);
  }

  static std::vector<Val*> squeezedOperands(Fusion& fusion, const Expr* maker, const Axes& dims) {
    std::vector<Val*> operands;
    for (Val* operand : maker->inputs()) {
      // An operand that occurs twice is squeezed once.
      const auto first = std::find(maker->inputs().begin(), maker->inputs().end(), operand) - maker->inputs().begin();
      const bool again = first < static_cast<ptrdiff_t>(operands.size());
      operands.push_back(again ? operands[static_cast<size_t>(first)] : squeezed(fusion, operand, dims));
    }
    return operands;
  }

  // Rebuilds the squeeze's result by applying its operand's op to squeezed operands; keeps name, origin and layout.
  static void recompute(Fusion& fusion, Expr* squeeze, const Expr* maker, const Axes& dims) {
    const std::vector<Val*> operands = squeezedOperands(fusion, maker, dims);
    Val* result = squeeze->output();
    fusion.removeExpr(squeeze);
    fusion.newExpr(maker->op(), operands, {result}, maker->attributes());
  }

  static void become(Fusion& fusion, Expr* squeeze, Val* value) {
    Val* result = squeeze->output();
    fusion.removeExpr(squeeze);
    if (result->isFusionOutput()) {
      fusion.newExpr(OpKind::Set, {value}, {result});
    } else {
      fusion.replaceAllUses(result, value);
    }
  }
};

}  // namespace

const MakePasses RemoveBcastSqueezePass::kPasses = passesOf<CancelSqueezes>;

}  // namespace fuser
