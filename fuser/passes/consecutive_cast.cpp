// ConsecutiveCastPass: folds a cast of a cast into one cast, or none, where that is bit-exact for every value.
//
//   %a = cast(%x) {dtype = f32}             (%x: bf16, %b is no output)
//   %b = cast(%a) {dtype = bf16}
//   %y = neg(%b)                      ->    %y = neg(%x)
//
//   %a = cast(%x) {dtype = f32}             (%x: f16)
//   %y = cast(%a) {dtype = f64}       ->    %y = cast(%x) {dtype = f64}
//
//   %a = cast(%x) {dtype = f32}             (%x: f32)
//   %y = neg(%a)                      ->    %y = neg(%x)
//
// It never folds f32 -> bf16 -> f32 or i32 -> f32 -> i32, where the type in between rounds. An inner cast with other
// uses stays. A folded fusion output stays a value of its own with its layout, if need be as a `set`.
// After RemoveBcastSqueezePass, which brings casts together that had an unsqueeze and a squeeze between them.

#include <cmath>

#include "fuser/ir/sharding.h"
#include "fuser/passes/passes.h"

namespace fuser {

namespace {

// The numbers of a dtype: multiples of the unit with so many bits.
struct NumberRange {
  int bits;
  double least;
  double most;
  double unit;
  bool hasInfinities;
};
NumberRange rangeOf(DataType dtype) {
  if (!isFloating(dtype)) {
    const auto [least, most] = integerRange(dtype);
    const int bits = static_cast<int>(8 * dtypeSize(dtype)) - (isUnsigned(dtype) ? 0 : 1);
    return {bits, static_cast<double>(least), static_cast<double>(most), 1, false};
  }
  const FloatFormat format = floatFormat(dtype);
  const int unit = 2 - (1 << (format.exponentBits - 1)) - format.fractionBits;
  return {format.fractionBits + 1, -format.largest, format.largest, std::ldexp(1, unit), format.hasInfinities};
}

// Whether `to` represents every value of `from`, including NaN, infinities and -0.
bool holdsAllOf(DataType to, DataType from) {
  if (to == from || from == DataType::Bool) return true;
  if (to == DataType::Bool || (isFloating(from) && !isFloating(to))) return false;
  const NumberRange inner = rangeOf(from), outer = rangeOf(to);
  return inner.bits <= outer.bits && inner.least >= outer.least && inner.most <= outer.most &&
         inner.unit >= outer.unit && (!inner.hasInfinities || outer.hasInfinities);
}

// Whether from -> between -> to equals from -> to. Conversions to narrow floats always go through f32.
bool foldsExactly(DataType from, DataType between, DataType to) {
  // An integer wraps when it is narrowed; an out-of-range float does not.
  const bool wraps = category(from) == Category::Int && category(to) == Category::Int && !holdsAllOf(to, from);
  if (wraps && isFloating(between)) return false;
  return holdsAllOf(between, from) || (between == DataType::Float && isNarrowFloat(to));
}

class FoldCasts : public Pass {
 public:
  using Pass::Pass;

  void runPass(Fusion* fusion) override {
    const std::vector<Expr*> exprs = fusion->exprs();
    for (Expr* outer : exprs) {
      if (outer->op() == OpKind::Cast) fold(fusion, outer);
    }
  }

 private:
  void fold(Fusion* fusion, Expr* outer) {
    Val* result = outer->output();
    const Expr* inner = outer->input(0)->definition();
    if (result->uses().empty() && !result->isFusionOutput()) return;  // DeadCodePass' affair
    Val* source = outer->input(0);
    if (source->dtype() != result->dtype()) {
      if (!inner || inner->op() != OpKind::Cast) return;
      source = inner->input(0);
      if (!foldsExactly(source->dtype(), inner->output()->dtype(), result->dtype())) return;
    }
    const bool named = result->isScalar() && (result->isFusionOutput() || result->dtype() == DataType::Int64);
    if (source->dtype() == result->dtype() && named) return;  // an output of its own; or extents may name it
    if (isPlaced(result) || isPlaced(outer->input(0)) || !mayApply()) return;

    if (result->dtype() != source->dtype()) {
      redefine(fusion, outer, OpKind::Cast, source, outer->attributes());
    } else if (result->isTensor() && result->isFusionOutput()) {
      redefine(fusion, outer, OpKind::Set, source, {});
    } else {
      fusion->replaceAllUses(result, source);
      fusion->removeExpr(outer);
      modified_ = true;
    }
    if (inner) removeUnused(fusion, inner);
  }

  // Replaces the value by an equal one that takes over its name, origin and layout.
  void redefine(Fusion* fusion, Expr* expr, OpKind op, Val* operand, Attributes attributes) {
    Val* result = expr->output();
    fusion->removeExpr(expr);
    fusion->newExpr(op, {operand}, {result}, std::move(attributes));
    modified_ = true;
  }

  static void removeUnused(Fusion* fusion, const Expr* cast) {
    const Val* val = cast->output();
    const bool named = val->isScalar() && val->dtype() == DataType::Int64;
    const bool unused = cast->op() == OpKind::Cast && val->uses().empty() && !val->isFusionOutput() && !named;
    if (unused) fusion->removeExpr(val->definition());
  }
};

}  // namespace

const MakePasses ConsecutiveCastPass::kPasses = passesOf<FoldCasts>;

}  // namespace fuser
