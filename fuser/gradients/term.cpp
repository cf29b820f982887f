#include "fuser/gradients/term.h"

#include <cmath>
#include <numbers>

#include "fuser/ir/view_axes.h"

namespace fuser::gradients {

Term apply(OpKind op, Term a) { return a.made(build::unary(*a.fusion, op, a.val)); }
Term apply(OpKind op, Term a, Term b) { return a.made(build::binary(*a.fusion, op, a.val, b.val)); }
Term select(Term condition, Term a, Term b) { return a.made(build::where(*a.fusion, condition.val, a.val, b.val)); }

Term asNumber(Term condition, Term like) {
  return condition.made(build::cast(*condition.fusion, condition.val, like.val->dtype()));
}

TensorView* zerosOf(const TensorView* sizes, DataType dtype) {
  Fusion& fusion = sizes->fusion();
  return build::full(fusion, sizesOf(sizes), fusion.newConstant(ScalarValue(0.0)), dtype);
}

Term zeros(Term like) { return like.made(zerosOf(like.tensor(), like.val->dtype())); }

Term digamma(Term x) {
  const Term isBelow = x < 0.0;
  const Term start = select(isBelow, 1.0 - x, x);
  Term moved = start, steps = 1.0 / start;
  for (int i = 1; i < 10; ++i) steps = steps + 1.0 / (start + i);
  moved = start + 10.0;
  const Term z = 1.0 / square(moved);
  // The Bernoulli numbers B(2 n) / (2 n), from n = 7 to 1.
  static constexpr double kSeries[] = {1.0 / 12,  -691.0 / 32760, 1.0 / 132, -1.0 / 240,
                                       1.0 / 252, -1.0 / 120,     1.0 / 12};
  Term series = z * kSeries[0];
  for (size_t n = 1; n < std::size(kSeries); ++n) series = (series + kSeries[n]) * z;
  const Term above = log(moved) - 0.5 / moved - series - steps;
  // The period of the tangent is 1; a remainder keeps its argument small.
  const Term turn = apply(OpKind::Frac, x);
  const Term reflected = select(turn == 0.0, std::nan(""), above - std::numbers::pi / tan(turn * std::numbers::pi));
  const Term result = select(isBelow, reflected, above);
  return select(x == 0.0, apply(OpKind::Copysign, x.number(HUGE_VAL), -x), result);
}

}  // namespace fuser::gradients
