#include "fuser/gradients/sides.h"

#include <algorithm>
#include <iterator>

namespace fuser::gradients {
namespace {

void meet(std::optional<Sides>& all, const Sides& some) {
  if (!all) {
    all = some;
    return;
  }
  Sides both;
  std::set_intersection(all->begin(), all->end(), some.begin(), some.end(), std::inserter(both, both.end()));
  all = std::move(both);
}

// The sides that some result needs the expression on; nullopt: no output needs it.
std::optional<Sides> sidesAround(const SidesOfFusion& sides, const Expr* expr) {
  std::optional<Sides> around;
  for (const Val* result : expr->outputs()) {
    if (sides.needed[result->id()]) meet(around, *sides.needed[result->id()]);
  }
  return around;
}

Sides sidesOfOperand(const Expr* expr, size_t operand, Sides around) {
  if (expr->family() == Family::Branch && operand < 2) around.insert({expr->input(2), operand == 0});
  return around;
}

}  // namespace

Sides SidesOfFusion::between(const Expr* expr, size_t operand) const {
  const Sides inner = sidesOfOperand(expr, operand, *sidesAround(*this, expr)), outer = around(expr->input(operand));
  Sides left;
  std::set_difference(inner.begin(), inner.end(), outer.begin(), outer.end(), std::inserter(left, left.end()));
  return left;
}

SidesOfFusion sidesOf(const Fusion& fusion) {
  SidesOfFusion sides;
  sides.needed.resize(fusion.valCount());
  for (const Val* output : fusion.outputs()) sides.needed[output->id()] = Sides();
  const std::vector<Expr*>& order = fusion.exprs();
  for (size_t i = order.size(); i-- > 0;) {
    const std::optional<Sides> around = sidesAround(sides, order[i]);
    if (!around) continue;
    for (size_t operand = 0; operand < order[i]->inputs().size(); ++operand) {
      meet(sides.needed[order[i]->input(operand)->id()], sidesOfOperand(order[i], operand, *around));
    }
  }
  return sides;
}

}  // namespace fuser::gradients
