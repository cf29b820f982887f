#include "oracle/liberties.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "fuser/ir/tensor_view.h"
#include "oracle/real_rules.h"
#include "oracle/rounding.h"
#include "oracle/rule_group.h"
#include "oracle/slice.h"
#include "oracle/whole_rules.h"

namespace oracle {

using fuser::DataType;
using fuser::OpKind;

namespace {

// to(set) for each element, at the same places.
template <class From, class To>
Value mappedSets(const std::vector<From>& from, const Value& value, DataType dtype, const To& to) {
  using Set = decltype(to(from[0]));
  std::vector<Set> sets;
  sets.reserve(from.size());
  for (const From& set : from) sets.push_back(to(set));
  Value result{dtype, value.sizes, value.strides, nullptr, nullptr, nullptr, nullptr};
  if constexpr (std::is_same_v<Set, Interval>)
    result.real = std::make_shared<const std::vector<Set>>(std::move(sets));
  else
    result.whole = std::make_shared<const std::vector<Set>>(std::move(sets));
  return result;
}
template <class To>
Value mapped(const Value& value, DataType dtype, const To& to) {
  return mappedSets(*value.real, value, dtype, to);
}
template <class To>
Value mappedWhole(const Value& value, DataType dtype, const To& to) {
  return mappedSets(*value.whole, value, dtype, to);
}

Interval everything(DataType dtype) { return Interval::everything(format(fuser::computeType(dtype)).largest); }

Value joined(const Value& a, const Value& b) {
  std::vector<Interval> sets;
  sets.reserve(a.real->size());
  for (size_t i = 0; i < a.real->size(); ++i) sets.push_back(hull((*a.real)[i], (*b.real)[i]));
  Value result = a;
  result.real = std::make_shared<const std::vector<Interval>>(std::move(sets));
  return result;
}

// --- marks: NaN at the elements of which nothing is known. A sum of marks lies as the results of the operands do. ---

Interval mark(bool isUnknown) { return Interval::of(isUnknown ? std::numeric_limits<double>::quiet_NaN() : 0.0); }

Value anyOf(const std::vector<Value>& marks, OpKind op) {
  // A function of one operand lies as its operand.
  if (marks.size() == 1 && ruleGroup(op) != RuleGroup::Formula) return marks[0];
  Value sum = marks[0];
  for (size_t i = marks.size() == 1 ? 0 : 1; i < marks.size(); ++i) {
    const Value both[] = {sum, marks[i]};
    sum = applyRule(OpKind::Add, both, DataType::Double, {});
  }
  return sum;
}

Value unknownWhereMarked(const Value& result, const Value& marks) {
  FUSER_CHECK(marks.strides == result.strides, "marks lie as what they mark");
  Value known = result;
  known.candidates = nullptr;
  const auto isMarked = [&](size_t i) { return (*marks.real)[i].has(kNan); };
  if (result.whole) {
    std::vector<Whole> sets = *result.whole;
    for (size_t i = 0; i < sets.size(); ++i) {
      if (isMarked(i)) sets[i] = fullRange(result.dtype);
    }
    known.whole = std::make_shared<const std::vector<Whole>>(std::move(sets));
    return known;
  }
  std::vector<Interval> sets = *result.real;
  for (size_t i = 0; i < sets.size(); ++i) {
    if (isMarked(i)) sets[i] = everything(result.dtype);
  }
  known.real = std::make_shared<const std::vector<Interval>>(std::move(sets));
  return known;
}

// --- operands ---

// Of the dtype that computes. A scalar beside 16 bits may be rounded to them, or not.
Value operandUnder(const Profile& profile, const fuser::Expr& expr, size_t index, const Value& value, DataType common) {
  if (fuser::takesCondition(expr.op(), index)) return castUnder(profile, value, DataType::Bool);
  if (!fuser::isFloating(common)) return castUnder(profile, value, common);
  const DataType compute = fuser::computeType(common);
  Value operand = expr.input(index)->isTensor() ? value : castUnder(profile, value, compute);
  if (fuser::isNarrowFloat(common) && !expr.input(index)->isTensor())
    operand = joined(operand, castValue(castValue(value, common), compute));
  Value result = mapped(operand, compute, [&](const Interval& set) { return flushed(set, profile, compute); });
  result.products = operand.products;
  return result;
}

// --- functions that were measured ---

// The least number within `ulps` of one of [lo, hi], of the dtype's at that one. From a power of two on ulps are twice
// as large, so that a number of the range just below one may reach farther down than its low end does.
double leastWithin(double ulps, double lo, double hi, DataType dtype) {
  const auto reach = [&](double number) {
    const double width = ulps * ulp(number, dtype);
    const double farther = number < 0 ? number - width : number + width;  // a larger one may have larger ulps
    return number - ulps * ulp(farther, dtype);
  };
  double least = reach(lo);
  int exponent = 0;
  if (lo > 0) std::frexp(lo, &exponent);
  for (int next = 0; lo > 0 && next < 4; ++next) {
    const double power = std::ldexp(1.0, exponent + next);
    const double from = std::clamp(power - ulps * ulp(std::nextafter(power, 0.0), dtype), lo, hi);
    least = std::min(least, reach(from));
  }
  return least;
}

// Every number within `ulps` of one of the range.
Interval within(double ulps, const Interval& set, DataType dtype) {
  if (!set.hasRange()) return set;
  return {leastWithin(ulps, set.lo, set.hi, dtype), -leastWithin(ulps, -set.hi, -set.lo, dtype),
          static_cast<uint8_t>(set.flags | kZeros)};
}

// Functions that other compilers compose of maxima and minima: there a NaN may become anything.
bool isOfExtremes(OpKind op) {
  return op == OpKind::Hardsigmoid || op == OpKind::Hardswish || op == OpKind::Hypot || op == OpKind::Logaddexp ||
         op == OpKind::Logaddexp2;
}

Value measured(const Profile& profile, const FunctionError& row, std::span<const Value> x, DataType common) {
  std::vector<Value> operands, marks;
  const bool mayLoseNan = profile.numberBesideNan && isOfExtremes(row.op);
  for (const Value& operand : x) {
    operands.push_back(mapped(operand, DataType::Double, [](const Interval& set) { return set; }));
    marks.push_back(mapped(operand, DataType::Double, [&](const Interval& set) {
      const bool isBeyond = set.hasRange() && std::max(std::fabs(set.lo), std::fabs(set.hi)) > row.most;
      return mark(isBeyond || (mayLoseNan && set.has(kNan)));
    }));
  }
  const DataType compute = fuser::computeType(common);
  const Value image = applyRule(row.op, operands, DataType::Double, {});
  // The rule's own roundings, where it does not compute in a wider dtype.
  const double ownError = common == DataType::Double ? 4 : 0;
  // With contraction a sum may take the last step of the function before it is rounded: half an ulp, which the doubled
  // error has.
  const Value result = mapped(image, compute, [&](const Interval& set) {
    const Interval wider = within(row.ulps + ownError, set, common), rounded = roundTo(wider, compute);
    return profile.contraction ? hull(wider, rounded) : rounded;
  });
  return unknownWhereMarked(result, anyOf(marks, row.op));
}

// --- ops that IEEE 754 fixes ---

bool isExtreme(OpKind op) {
  return op == OpKind::Maximum || op == OpKind::Minimum || op == OpKind::ClampMin || op == OpKind::ClampMax ||
         op == OpKind::Relu || op == OpKind::Relu6 || op == OpKind::Clamp || op == OpKind::Hardtanh;
}

// A NaN that meets a number may go. Of the bounds, each alone may be left, and the operand.
Value withNumbersBesideNan(OpKind op, const Value& result, std::span<const Value> x) {
  const auto only = [&](double number) {
    return mapped(result, result.dtype,
                  [&](const Interval& set) { return set.has(kNan) ? hull(set, Interval::of(number)) : set; });
  };
  if (op == OpKind::Relu) return only(0);
  if (op == OpKind::Relu6) return joined(only(0), only(6));
  Value sets = result;
  for (const Value& operand : x) {
    // The operand at the result's places: a sum with zeros of all operands.
    Value placed = mapped(operand, operand.dtype, [](const Interval& set) { return set; });
    for (const Value& other : x) {
      const Value zeros = mapped(other, other.dtype, [](const Interval&) { return Interval::of(0.0); });
      const Value both[] = {placed, zeros};
      placed = applyRule(OpKind::Add, both, result.dtype, {});
    }
    std::vector<Interval> wider;
    for (size_t i = 0; i < sets.real->size(); ++i) {
      const Interval& set = (*sets.real)[i];
      wider.push_back((*result.real)[i].has(kNan) ? hull(set, (*placed.real)[i]) : set);
    }
    sets.real = std::make_shared<const std::vector<Interval>>(std::move(wider));
  }
  return sets;
}

// A product, or a quotient that may be one with a reciprocal.
Value productOrQuotient(const Profile& profile, OpKind op, std::span<const Value> x, DataType compute) {
  const Arithmetic arithmetic{profile.contraction, MathLibrary::Any, nullptr};
  const Value exact = applyRule(op, x, compute, arithmetic);
  if (op != OpKind::Div || !profile.reciprocals) return exact;
  const Value factors[] = {x[0], applyRule(OpKind::Reciprocal, x.subspan(1), compute, {})};
  const Value product = applyRule(OpKind::Mul, factors, compute, arithmetic);
  Value either = joined(exact, product);
  either.products = product.products;
  return either;
}

// a + p, where p is a product or quotient of its own: in 16 bits it may be rounded to them.
Value sumWithPart(const Profile& profile, OpKind part, std::span<const Value> x, DataType common) {
  const DataType compute = fuser::computeType(common);
  Profile either = profile;
  either.excessPrecision = true;
  const Arithmetic arithmetic{profile.contraction, MathLibrary::Any, nullptr};
  Value second = productOrQuotient(profile, part, x.subspan(1), compute);
  const std::shared_ptr<const std::vector<Unrounded>> products = second.products;
  second = mapped(second, compute, [&](const Interval& set) { return settled(set, either, common); });
  second.products = products;
  const Value both[] = {x[0], second};
  return applyRule(OpKind::Add, both, compute, arithmetic);
}

// By the rule of our own language in the compute dtype, without the rounding to 16 bits.
Value byRule(const Profile& profile, OpKind op, std::span<const Value> x, DataType common) {
  const DataType compute = fuser::computeType(common);
  if (op == OpKind::Addcmul) return sumWithPart(profile, OpKind::Mul, x, common);
  if (op == OpKind::Addcdiv) return sumWithPart(profile, OpKind::Div, x, common);
  Value result = productOrQuotient(profile, op, x, compute);
  if (op == OpKind::Deg2rad || op == OpKind::Rad2deg) {
    // The factor is a scalar, too: of the compute dtype, or rounded to 16 bits.
    const double degrees = op == OpKind::Deg2rad ? std::numbers::pi / 180 : 180 / std::numbers::pi;
    const double wide = roundOnce(degrees, compute), narrow = roundOnce(degrees, common);
    const Interval factor = Interval::range(std::min(wide, narrow), std::max(wide, narrow), 0);
    result = mapped(x[0], compute, [&](const Interval& set) { return multiply(set, factor, compute); });
  }
  if (fuser::isNarrowFloat(common) && !profile.excessPrecision) result.products = nullptr;
  if (op == OpKind::Square && profile.contraction && (!fuser::isNarrowFloat(common) || profile.excessPrecision)) {
    std::vector<Unrounded> products;
    for (const Interval& set : *x[0].real) products.push_back(unroundedProduct(absolute(set), absolute(set)));
    result.products = std::make_shared<const std::vector<Unrounded>>(std::move(products));
  }
  // A product with a number that no operand is.
  if ((op == OpKind::Deg2rad || op == OpKind::Rad2deg || op == OpKind::LeakyRelu) && profile.contraction)
    return mapped(result, compute, [&](const Interval& set) { return within(0.5, set, compute); });
  if (profile.numberBesideNan && isExtreme(op)) return withNumbersBesideNan(op, result, x);
  return result;
}

// Whether our own rule says all that there is to say of the op on floating operands, once operands and result are
// widened.
bool isFixed(OpKind op) {
  switch (ruleGroup(op)) {
    case RuleGroup::UnaryStep:
    case RuleGroup::Arithmetic:
    case RuleGroup::Extreme:
    case RuleGroup::Comparison:
    case RuleGroup::Connective:
    case RuleGroup::Classification:
    case RuleGroup::Selection:
    case RuleGroup::Fused:
    case RuleGroup::Structural:
    case RuleGroup::Reduction:
    case RuleGroup::Pick: return true;
    case RuleGroup::Formula:
      return op == OpKind::Addcmul || op == OpKind::Addcdiv || op == OpKind::LeakyRelu || op == OpKind::Hardshrink ||
             op == OpKind::Softshrink || op == OpKind::Threshold || op == OpKind::Deg2rad || op == OpKind::Rad2deg;
    case RuleGroup::Function:
    case RuleGroup::FunctionOfTwo:
    case RuleGroup::WholeQuotient:
    case RuleGroup::Bits:
    case RuleGroup::Variance: return false;
  }
  FUSER_CHECK(false, "bad RuleGroup");
}

// --- integers ---

Value magnitude(const Value& value) {
  return mappedWhole(value, DataType::Double, [](const Whole& set) {
    return Interval::of(std::max(std::fabs(static_cast<double>(set.lo)), std::fabs(static_cast<double>(set.hi))));
  });
}

// A bound on the magnitude of the result before it wraps, at the result's places; nothing where none can overflow.
std::optional<Value> boundOf(OpKind op, std::span<const Value> x) {
  std::vector<Value> sizes;
  for (const Value& operand : x) sizes.push_back(magnitude(operand));
  const auto by = [&](OpKind real) { return applyRule(real, sizes, DataType::Double, {}); };
  if (op == OpKind::Neg || op == OpKind::Abs) return sizes[0];
  if (op == OpKind::Square || op == OpKind::Pow || op == OpKind::Addcmul || op == OpKind::Add || op == OpKind::Mul)
    return by(op);
  if (op == OpKind::Sub) return by(OpKind::Add);
  if (op == OpKind::Lcm) return by(OpKind::Mul);
  if (op != OpKind::LeftShift) return std::nullopt;
  sizes[1] = applyRule(OpKind::Exp2, {&sizes[1], 1}, DataType::Double, {});
  return by(OpKind::Mul);
}

// No language of a target defines a division by zero, the smallest integer by -1, or a shift by the width.
bool isUndefined(OpKind op, size_t index, const Whole& operand, DataType dtype) {
  if (index != 1) return false;
  if (ruleGroup(op) == RuleGroup::WholeQuotient) return (operand.lo <= 0 && operand.hi >= 0) || operand.lo == -1;
  const auto width = static_cast<int64_t>(8 * fuser::dtypeSize(dtype));
  const bool shifts = op == OpKind::LeftShift || op == OpKind::RightShift;
  return (shifts && (operand.lo < 0 || operand.hi >= width)) || (op == OpKind::Pow && operand.lo < 0);
}

Value wholeUnder(const Profile& profile, OpKind op, std::span<const Value> x, DataType common) {
  Value result = applyRule(op, x, common, {});
  if (!result.whole || common == DataType::Bool || result.dtype == DataType::Bool) return result;
  if (ruleGroup(op) == RuleGroup::WholeQuotient || ruleGroup(op) == RuleGroup::Bits || op == OpKind::Pow) {
    std::vector<Value> marks;
    for (size_t i = 0; i < x.size(); ++i) {
      marks.push_back(
          mappedWhole(x[i], DataType::Double, [&](const Whole& set) { return mark(isUndefined(op, i, set, common)); }));
    }
    result = unknownWhereMarked(result, anyOf(marks, op));
  }
  if (!profile.anyOverflow) return result;
  const std::optional<Value> bound = boundOf(op, x);
  if (!bound) return result;
  const auto most = static_cast<double>(fullRange(common).hi);
  // The bound is a rounded number: next to the largest i64 it says nothing.
  const Value marks = mapped(*bound, DataType::Double,
                             [&](const Interval& set) { return mark(!(set.greatest() * (1 + 0x1p-40) <= most)); });
  return unknownWhereMarked(result, marks);
}

}  // namespace

const FunctionError* errorOf(const Profile& profile, OpKind op, DataType dtype) {
  for (const FunctionError& row : profile.functions) {
    if (row.op == op && row.dtype == dtype) return &row;
  }
  return nullptr;
}

bool isJudged(const Profile& profile, OpKind op, DataType dtype) {
  if (!fuser::isFloating(dtype) || ruleGroup(op) == RuleGroup::Bits) return true;
  return isFixed(op) || errorOf(profile, op, dtype) != nullptr;
}

// A zero may have either sign, of an operand, too: another op may have made it.
Interval flushed(Interval set, const Profile& profile, DataType compute) {
  if (set.hasZero()) set.flags |= kZeros;
  return profile.flushToZero ? withFlushed(set, compute) : set;
}

Interval withFlushed(const Interval& set, DataType compute) {
  if (!set.hasRange()) return set;
  const double normal = std::ldexp(1.0, format(compute).minExponent);
  const bool mayBeDenormal = set.lo < normal && set.hi > -normal && (set.lo != 0 || set.hi != 0);
  return mayBeDenormal ? hull(set, {0, 0, kZeros}) : set;
}

Interval settled(const Interval& set, const Profile& profile, DataType dtype) {
  Interval result = flushed(set, profile, fuser::computeType(dtype));
  if (fuser::isNarrowFloat(dtype)) {
    const Interval rounded = roundTo(result, dtype);
    result = profile.excessPrecision ? hull(result, rounded) : rounded;
  }
  if (result.hasZero()) result.flags |= kZeros;
  return result;
}

Value anyValue(const Value& like, DataType dtype) {
  const auto count = like.real ? like.real->size() : like.whole->size();
  Value result{dtype, like.sizes, like.strides, nullptr, nullptr, nullptr, nullptr};
  if (fuser::isFloating(dtype))
    result.real = std::make_shared<const std::vector<Interval>>(count, everything(dtype));
  else
    result.whole = std::make_shared<const std::vector<Whole>>(count, fullRange(dtype));
  return result;
}

Value pointwiseUnder(const Profile& profile, const fuser::Expr& expr, std::span<const Value> operands) {
  const OpKind op = expr.op();
  const DataType common = commonType(expr, operands);
  std::vector<Value> x;
  for (size_t i = 0; i < operands.size(); ++i) x.push_back(operandUnder(profile, expr, i, operands[i], common));
  if (!fuser::isFloating(common)) return wholeUnder(profile, op, x, common);
  const FunctionError* row = errorOf(profile, op, common);
  if (!row && !isFixed(op)) {
    const std::vector<Value>& places = x;  // of any rule: only where results lie counts
    return anyValue(applyRule(op, places, fuser::computeType(common), {}), common);
  }
  const Value result = row ? measured(profile, *row, x, common) : byRule(profile, op, x, common);
  if (!result.real) return result;
  Value finished = mapped(result, common, [&](const Interval& set) { return settled(set, profile, common); });
  finished.products = result.products;
  return finished;
}

Value castUnder(const Profile& profile, const Value& value, DataType to) {
  const DataType from = fuser::computeType(value.dtype);
  if (value.dtype == to) {
    return value.real ? mapped(value, to, [&](const Interval& set) { return flushed(set, profile, from); }) : value;
  }
  if (value.real) {
    if (fuser::isFloating(to)) {
      return mapped(value, to, [&](const Interval& set) {
        const Interval operand = flushed(set, profile, from);
        if (!fuser::isNarrowFloat(to)) return settled(roundTo(operand, to), profile, to);
        // At once or by way of f32; a pair of casts may go.
        Interval result = hull(roundTo(operand, to), toReal(operand, to));
        if (profile.excessPrecision) result = hull(result, hull(operand, roundTo(operand, DataType::Float)));
        if (result.hasZero()) result.flags |= kZeros;
        return flushed(result, profile, DataType::Float);
      });
    }
    return mapped(value, to, [&](const Interval& set) {
      const Interval operand = flushed(set, profile, from);
      if (to == DataType::Bool) return truth(operand);
      const Whole full = fullRange(to);
      const bool fits = !operand.has(kSpecials) && operand.hasRange() &&
                        std::trunc(operand.lo) >= static_cast<double>(full.lo) &&
                        std::trunc(operand.hi) < -static_cast<double>(full.lo);
      return fits || !profile.anyConversion ? toWhole(operand, to) : full;
    });
  }
  if (fuser::isFloating(to)) {
    return mappedWhole(value, to, [&](const Whole& set) {
      const Interval direct = roundTo(toReal(set, DataType::Double), to);
      return settled(
          hull(direct, toReal(set, fuser::isNarrowFloat(to) && profile.excessPrecision ? DataType::Float : to)),
          profile, to);
    });
  }
  return mappedWhole(value, to, [&](const Whole& set) {
    const Whole full = fullRange(to);
    const bool fits = to == DataType::Bool || (set.lo >= full.lo && set.hi <= full.hi);
    return fits || !profile.anyConversion ? toWhole(set, to) : full;
  });
}

}  // namespace oracle
