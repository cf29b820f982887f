// A reduction takes a few more terms that change nothing: 0 in a sum, 1 in a product, the smallest number in amax.

#include "fuser/ir/builder.h"
#include "fuzz/views/rewrites.h"
#include "fuzz/views/views.h"

namespace fuser::fuzz {
namespace {

// Not mean and var, which count their terms.
bool takesMoreTerms(OpKind op) {
  return op == OpKind::Sum || op == OpKind::Prod || op == OpKind::Amax || op == OpKind::Amin || op == OpKind::Any ||
         op == OpKind::All;
}

Val* identity(Fusion& fusion, OpKind op, DataType dtype) {
  const Identity value = reductionIdentity(op, dtype);
  return isFloating(dtype) ? fusion.newConstant(value.floating) : fusion.newConstant(value.integer);
}

}  // namespace

bool reductionPadded(Case& testCase, uint64_t draw) {
  Fusion& fusion = *testCase.fusion;
  if (!mayRewrite(testCase)) return false;
  std::vector<Expr*> places;
  for (Expr* expr : fusion.exprs()) {
    if (takesMoreTerms(expr->op()) && !expr->attributes().dims().empty()) places.push_back(expr);
  }
  if (places.empty()) return false;
  const Expr* reduction = places[draw % places.size()];
  auto* operand = reduction->input(0)->as<TensorView>();
  const std::vector<int64_t>& dims = reduction->attributes().dims();
  const size_t dim = static_cast<size_t>(dims[draw / places.size() % dims.size()]);
  IntExprArena& ints = fusion.ints();
  std::vector<IntExpr> pads(2 * (operand->rank() - dim), ints.constant(0));
  const int64_t before = static_cast<int64_t>(draw >> 32) & 3;
  pads[pads.size() - 2] = ints.constant(before);
  pads[pads.size() - 1] = ints.constant(1 + (static_cast<int64_t>(draw >> 34) & 3));
  TensorView* padded = build::pad(fusion, operand, pads, identity(fusion, reduction->op(), operand->dtype()));
  TensorView* result = build::reduction(fusion, reduction->op(), padded, dims, false);
  return replaceResult(fusion, reduction->output()->as<TensorView>(), result);
}

}  // namespace fuser::fuzz
