// Slices come before the pointwise ops that they followed: f(x)[a:b] becomes f(x[a:b]).

#include <algorithm>
#include <set>

#include "fuser/ir/builder.h"
#include "fuzz/views/rewrites.h"
#include "fuzz/views/views.h"

namespace fuser::fuzz {
namespace {

bool isPlaceForPlace(const Expr* expr) {
  return expr && (isPointwise(expr->op()) || expr->op() == OpKind::Cast) && expr->output()->isTensor();
}

// The same slice of an operand, which is of the result's rank; one element stays one element.
Val* slicedOperand(Fusion& fusion, const Expr* slice, Val* operand) {
  if (operand->isScalar()) return operand;
  const Attributes& attributes = slice->attributes();
  auto* tensor = operand->as<TensorView>();
  const IterDomain* axis = tensor->axes()[static_cast<size_t>(attributes.dim())];
  if (axis->isBroadcast() && !axis->isExpanded()) return operand;
  return build::slice(fusion, tensor, attributes.dim(), attributes.start(), attributes.end(), attributes.step());
}

// The slice in front of the op that makes its operand.
TensorView* hoisted(Fusion& fusion, const Expr* slice) {
  const Expr* maker = slice->input(0)->definition();
  std::vector<Val*> operands;
  for (Val* operand : maker->inputs()) operands.push_back(slicedOperand(fusion, slice, operand));
  Val* result = maker->op() == OpKind::Cast ? build::cast(fusion, operands[0], maker->output()->dtype())
                                            : build::pointwise(fusion, maker->op(), operands);
  return result->as<TensorView>();
}

}  // namespace

bool slicesFirst(Case& testCase, uint64_t /*draw*/) {
  constexpr int kMostMoves = 8;
  Fusion& fusion = *testCase.fusion;
  if (!mayRewrite(testCase)) return false;
  int moves = 0;
  std::set<const Expr*> left;  // that have no place in front
  const auto hoistOne = [&](const Expr* slice) {
    if (slice->op() != OpKind::Slice || left.count(slice) != 0) return false;
    left.insert(slice);
    return isPlaceForPlace(slice->input(0)->definition()) &&
           replaceResult(fusion, slice->output()->as<TensorView>(), hoisted(fusion, slice));
  };
  while (moves < kMostMoves) {
    const std::vector<Expr*> exprs = fusion.exprs();
    if (std::none_of(exprs.begin(), exprs.end(), hoistOne)) break;
    ++moves;
  }
  return moves > 0;
}

}  // namespace fuser::fuzz
