#include "fuser/lower/fences.h"

#include <set>
#include <vector>

#include "fuser/ir/tensor_view.h"

namespace fuser {
namespace {

// Whether something other than sums and differences of op by op, or of a reduction, reads the product, itself or as a
// copy. What a scatter_add adds is rounded before.
bool hasOtherReaders(const Val* product) {
  std::vector<const Val*> copies{product};
  std::set<const Val*> seen{product};  // look-ups only
  while (!copies.empty()) {
    const Val* copy = copies.back();
    copies.pop_back();
    for (const Expr* reader : copy->uses()) {
      const OpKind op = reader->op();
      if (op == OpKind::Add || op == OpKind::Sub || op == OpKind::Sum || op == OpKind::Mean) continue;
      const bool joins = reader->info().combine.value_or(OpKind::Set) != OpKind::Set;  // scatter_add
      const bool isMove = !isPointwise(op) && !isReduction(op) && !joins && op != OpKind::Cast;
      const bool isCopy = op == OpKind::Neg || isMove;
      if (!isCopy) return true;
      if (seen.insert(reader->output()).second) copies.push_back(reader->output());
    }
  }
  return false;
}

}  // namespace

bool isFenced(const Expr* expr) {
  if (!isFloating(expr->output()->dtype())) return false;
  if (expr->op() == OpKind::Div) {
    const Val* divisor = expr->input(1);
    return divisor->isScalar() && divisor->as<Scalar>()->isConstant();
  }
  return expr->op() == OpKind::Mul && hasOtherReaders(expr->output());
}

}  // namespace fuser
