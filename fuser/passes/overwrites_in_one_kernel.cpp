#include "fuser/passes/overwrites_in_one_kernel.h"

#include <algorithm>

#include "fuser/passes/empty_tensors.h"

namespace fuser {
namespace {

// By id: the values on which the output depends, itself, and what the same expressions make beside them.
std::vector<bool> neededFor(const Fusion& fusion, const Val* output) {
  std::vector<bool> needed(fusion.valCount(), false);
  needed[output->id()] = true;
  const std::vector<Expr*>& exprs = fusion.exprs();
  for (auto expr = exprs.rbegin(); expr != exprs.rend(); ++expr) {
    const std::vector<Val*>& results = (*expr)->outputs();
    if (std::none_of(results.begin(), results.end(), [&](const Val* val) { return needed[val->id()]; })) continue;
    for (const Val* result : results) needed[result->id()] = true;
    for (const Val* operand : (*expr)->inputs()) needed[operand->id()] = true;
  }
  return needed;
}

// Whether one kernel that keeps rows computes all that the output depends on.
bool keepsRows(const Fusion& fusion, Val* output, const std::vector<bool>& needed, const CompileContext& context) {
  if (!context.schedulers) return false;
  FusionView view{&fusion, {}, {}, {output}, context.sizes, context.device()};
  for (Expr* expr : fusion.exprs()) {
    if (expr->isScalarExpr() || !needed[expr->output()->id()]) continue;
    if (expr->op() == OpKind::SegmentSet) return false;
    view.exprs.push_back(expr);
  }
  for (const Expr* expr : view.exprs) {
    for (Val* operand : expr->inputs()) {
      const bool outside = !operand->definition() || operand->isScalar();
      if (outside && std::find(view.inputs.begin(), view.inputs.end(), operand) == view.inputs.end())
        view.inputs.push_back(operand);
    }
  }
  return keepsRowsOnChip(context.schedulers->accepts(view).type);
}

// Whether a scatter writes into it, and reads it nowhere else.
bool isScatteredInto(const Expr* expr, const TensorView* operand) {
  return expr->family() == Family::Scatter && expr->input(0) == operand &&
         std::count(expr->inputs().begin(), expr->inputs().end(), operand) == 1;
}

bool keepsPlaces(const Expr* expr, const TensorView* operand) {
  const bool isKept = isPointwise(expr->op()) || expr->op() == OpKind::Cast || expr->op() == OpKind::Set;
  if (!isKept && !isScatteredInto(expr, operand)) return false;
  const std::vector<IterDomain*> from = operand->axes(), to = expr->output()->as<TensorView>()->axes();
  return std::equal(from.begin(), from.end(), to.begin(), to.end(),
                    [](const IterDomain* a, const IterDomain* b) { return a->isBroadcast() == b->isBroadcast(); });
}

// Whether everything derived from the input is pointwise over the input's own axes.
bool isElementwise(const Fusion& fusion, const Val* input) {
  std::vector<bool> isCopied(fusion.valCount(), false);
  isCopied[input->id()] = true;
  for (const Expr* expr : fusion.exprs()) {
    if (expr->isScalarExpr()) continue;
    for (const Val* operand : expr->inputs()) {
      if (!isCopied[operand->id()]) continue;
      if (!keepsPlaces(expr, operand->as<TensorView>())) return false;
      isCopied[expr->output()->id()] = true;
    }
  }
  return true;
}

}  // namespace

bool overwritesInOneKernel(const Fusion& fusion, size_t output, const Val* input, const CompileContext& context) {
  Val* value = fusion.outputs().at(output);
  if (hasZeroExtent(value->as<TensorView>()->axes())) return true;
  const std::vector<bool> needed = neededFor(fusion, value);
  const bool leads = std::all_of(input->uses().begin(), input->uses().end(),
                                 [&](const Expr* use) { return use->isScalarExpr() || needed[use->output()->id()]; });
  return leads && (isElementwise(fusion, input) || keepsRows(fusion, value, needed, context));
}

}  // namespace fuser
