// Pointwise ops and casts: converts operands to the common dtype, applies the op's rule to each element, rounds once.

#include <array>
#include <cmath>
#include <optional>

#include "fuser/ir/tensor_view.h"
#include "oracle/formulas.h"
#include "oracle/real_rules.h"
#include "oracle/rounding.h"
#include "oracle/rule_group.h"
#include "oracle/slice.h"
#include "oracle/whole_rules.h"

namespace oracle {

using fuser::DataType;
using fuser::Dims;
using fuser::OpKind;

namespace {

bool isReal(DataType dtype) { return fuser::isFloating(dtype); }

// The same places, other sets.
Value withSets(const Value& like, DataType dtype, std::vector<Interval> sets) {
  return {dtype,   like.sizes, like.strides, std::make_shared<const std::vector<Interval>>(std::move(sets)),
          nullptr, nullptr,    nullptr};
}
Value withSets(const Value& like, DataType dtype, std::vector<Whole> sets) {
  return {dtype,   like.sizes, like.strides, nullptr, std::make_shared<const std::vector<Whole>>(std::move(sets)),
          nullptr, nullptr};
}

// to(set) for every set of the value, whatever kind it is.
template <class Set, class F>
Value converted(const Value& value, DataType dtype, const F& to) {
  std::vector<Set> sets(value.real ? value.real->size() : value.whole->size());
  if (value.real) {
    for (size_t i = 0; i < sets.size(); ++i) sets[i] = to((*value.real)[i]);
  } else {
    for (size_t i = 0; i < sets.size(); ++i) sets[i] = to((*value.whole)[i]);
  }
  return withSets(value, dtype, std::move(sets));
}

// Results lie row-major; axes along which no operand varies are stored once.
struct Places {
  Dims sizes;
  Dims stored;   // sizes, 1 where stored once
  Dims strides;  // of the result
  std::array<Dims, 3> operands;
  bool alike = true;  // every operand lies exactly as the result
};

Places placesOf(std::span<const Value> operands) {
  Places places;
  size_t rank = 0;
  for (const Value& operand : operands) rank = std::max(rank, operand.sizes.size());
  places.sizes = Dims(rank, 1);
  places.stored = Dims(rank, 1);
  for (const Value& operand : operands) {
    FUSER_CHECK(operand.sizes.empty() || operand.sizes.size() == rank, "operands of ranks ", operand.sizes.size(),
                " and ", rank);
    for (size_t axis = 0; axis < operand.sizes.size(); ++axis) {
      const int64_t size = operand.sizes[axis];
      if (size == 1) continue;
      FUSER_CHECK(places.sizes[axis] == 1 || places.sizes[axis] == size, "sizes ", places.sizes[axis], " and ", size,
                  " meet");
      places.sizes[axis] = size;
      if (operand.strides[axis] != 0 || size == 0) places.stored[axis] = size;
    }
  }
  places.strides = fuser::contiguousStrides(places.stored);
  for (size_t axis = 0; axis < rank; ++axis) {
    if (places.stored[axis] == 1) places.strides[axis] = 0;
  }
  for (size_t k = 0; k < operands.size(); ++k) {
    places.operands[k] = Dims(rank, 0);
    for (size_t axis = 0; axis < operands[k].sizes.size(); ++axis) {
      if (operands[k].sizes[axis] != 1) places.operands[k][axis] = operands[k].strides[axis];
    }
    places.alike = places.alike && places.operands[k] == places.strides;
  }
  for (size_t k = operands.size(); k < 3; ++k) places.operands[k] = Dims(rank, 0);
  return places;
}

// rule(offsets of the operands) for each stored element of the result.
template <class Set, class Rule>
Value combined(std::span<const Value> operands, DataType dtype, const Rule& rule) {
  const Places places = placesOf(operands);
  std::vector<Set> sets(static_cast<size_t>(fuser::numel(places.stored)));
  if (places.alike) {
    for (size_t i = 0; i < sets.size(); ++i) {
      const int64_t at = static_cast<int64_t>(i);
      sets[i] = rule(std::array<int64_t, 3>{at, at, at});
    }
  } else {
    size_t next = 0;
    forEachOffset<3>(places.stored, places.operands,
                     [&](const std::array<int64_t, 3>& at) { sets[next++] = rule(at); });
  }
  Value result;
  result.sizes = places.sizes;
  result.strides = places.strides;
  return withSets(result, dtype, std::move(sets));
}

// A scalar operand takes part as the row says, wherever it stands: at compute precision, or rounded to the common dtype
// first. (LibTorch keeps a scalar in front of a tensor of 16 bits on a GPU, as the Keep rows do, and rounds it on the
// CPU.)
Value operandAs(const fuser::Expr& expr, size_t index, const Value& value, DataType common) {
  if (value.dtype == common || expr.input(index)->isTensor()) {
    FUSER_CHECK(value.dtype == common, fuser::opName(expr.op()), " of ", value.dtype, " among ", common);
    return value;
  }
  const DataType compute = fuser::computeType(common);
  const bool rounds = expr.info().scalar == fuser::ScalarOperand::Round || compute == common;
  return castValue(value, rounds ? common : compute);
}

// The dtype in which all floating elements of a result are rounded once more.
Interval finish(const Interval& set, DataType dtype) {
  return fuser::computeType(dtype) == dtype ? set : roundTo(set, dtype);
}

Value unaryReal(OpKind op, const Value& a, DataType dtype, MathLibrary library) {
  const DataType compute = fuser::computeType(dtype);
  std::vector<Interval> sets(a.real->size());
  const auto each = [&](const auto& rule) {
    for (size_t i = 0; i < sets.size(); ++i) sets[i] = finish(rule((*a.real)[i]), dtype);
  };
  if (ruleGroup(op) == RuleGroup::Function) {
    functionRule(op, *a.real, sets, compute, library);
    for (Interval& set : sets) set = finish(set, dtype);
  } else if (op == OpKind::Abs) {
    each([](const Interval& x) { return absolute(x); });
  } else if (op == OpKind::Neg) {
    each([](const Interval& x) { return negate(x); });
  } else if (op == OpKind::Relu) {
    each([](const Interval& x) { return relu(x); });
  } else if (op == OpKind::Relu6) {
    each([](const Interval& x) { return minimum(maximum(x, Interval::of(0)), Interval::of(6)); });
  } else if (op == OpKind::Sign) {
    each([](const Interval& x) { return signOf(x); });
  } else if (op == OpKind::Frac) {
    each([compute](const Interval& x) { return fraction(x, compute); });
  } else if (op == OpKind::Square) {
    each([compute](const Interval& x) { return squared(x, compute); });
  } else if (op == OpKind::Floor || op == OpKind::Ceil || op == OpKind::Trunc || op == OpKind::Round) {
    each([op](const Interval& x) { return roundToWhole(op, x); });
  } else if (op == OpKind::Sqrt) {
    each([compute](const Interval& x) { return squareRoot(x, compute); });
  } else {
    FUSER_CHECK(op == OpKind::Reciprocal, "no rule for ", fuser::opName(op));
    each([compute](const Interval& x) { return divide(Interval::of(1), x, compute); });
  }
  Value result = withSets(a, dtype, std::move(sets));
  if (op == OpKind::Neg && a.products) {
    std::vector<Unrounded> products;
    for (const Unrounded& product : *a.products) products.push_back(-product);
    result.products = std::make_shared<const std::vector<Unrounded>>(std::move(products));
  }
  return result;
}

Value unary(OpKind op, const Value& a, DataType dtype, MathLibrary library) {
  if (isReal(dtype)) return unaryReal(op, a, dtype, library);
  std::vector<Whole> sets;
  sets.reserve(a.whole->size());
  for (const Whole& set : *a.whole) sets.push_back(unaryWhole(op, set, dtype));
  return withSets(a, dtype, std::move(sets));
}

// The numbers themselves, where both operands are points and the result is an ordinary number: most of a run's
// elements.
std::optional<double> atPoints(OpKind op, const Interval& a, const Interval& b) {
  if (!a.isPoint() || !b.isPoint()) return std::nullopt;
  if (op == OpKind::Add) return a.lo + b.lo;
  if (op == OpKind::Sub) return a.lo - b.lo;
  if (op == OpKind::Mul) return a.lo * b.lo;
  if (op == OpKind::Div) return a.lo / b.lo;
  return std::nullopt;
}

Interval binaryReal(OpKind op, const Interval& a, const Interval& b, DataType compute) {
  if (op == OpKind::Add) return add(a, b, compute);
  if (op == OpKind::Sub) return add(a, negate(b), compute);
  if (op == OpKind::Mul) return multiply(a, b, compute);
  if (op == OpKind::Div) return divide(a, b, compute);
  if (op == OpKind::Maximum || op == OpKind::ClampMin) return maximum(a, b);
  if (op == OpKind::Minimum || op == OpKind::ClampMax) return minimum(a, b);
  if (op == OpKind::Fmax) return maximumNumber(a, b);
  if (op == OpKind::Fmin) return minimumNumber(a, b);
  if (op == OpKind::Copysign) return withSign(a, b);
  return ruleGroup(op) == RuleGroup::WholeQuotient ? divisionRule(op, a, b, compute)
                                                   : binaryFunction(op, a, b, compute);
}

// With contraction: the sum with either operand as the product that it was before its rounding, and with both rounded
// where some statement may compute it so.
Interval fusedSum(OpKind op, const Value& a, const Value& b, const std::array<int64_t, 3>& at, DataType compute,
                  const fuser::SumForms& forms) {
  const auto product = [](const Value& value, int64_t offset) {
    return (*value.products)[static_cast<size_t>(offset)];
  };
  const Interval& first = a.realAt(at[0]);
  const Interval second = op == OpKind::Sub ? negate(b.realAt(at[1])) : b.realAt(at[1]);
  Interval result;
  if (forms.rounded) result = add(first, second, compute);
  if (forms.fused && a.products) result = hull(result, addProduct(second, first, product(a, at[0]), compute));
  if (forms.fused && b.products) {
    const Unrounded p = product(b, at[1]);
    result = hull(result, addProduct(first, second, op == OpKind::Sub ? -p : p, compute));
  }
  if (result.hasZero()) result.flags |= kZeros;
  return result;
}

Value sumOrProduct(OpKind op, std::span<const Value> x, DataType dtype, const Arithmetic& arithmetic) {
  const DataType compute = fuser::computeType(dtype);
  if ((op == OpKind::Add || op == OpKind::Sub) && (x[0].products || x[1].products)) {
    const fuser::SumForms forms = arithmetic.forms.value_or(fuser::SumForms{true, true});
    return combined<Interval>(x, dtype, [&](const std::array<int64_t, 3>& at) {
      return finish(fusedSum(op, x[0], x[1], at, compute, forms), dtype);
    });
  }
  const double largest = format(dtype).largest;
  Value result = combined<Interval>(x, dtype, [&](const std::array<int64_t, 3>& at) {
    const Interval& a = x[0].realAt(at[0]);
    const Interval& b = x[1].realAt(at[1]);
    if (const std::optional<double> number = atPoints(op, a, b)) {
      const double rounded = roundOnce(roundOnce(*number, compute), dtype);
      if (rounded != 0 && std::fabs(rounded) <= largest) return Interval{rounded, rounded, 0};
    }
    return finish(binaryReal(op, a, b, compute), dtype);
  });
  // A product of 16 bits is rounded twice before anything can add it, which no FMA skips.
  if (op == OpKind::Mul && arithmetic.contraction && compute == dtype) {
    std::vector<Unrounded> products;
    const Places places = placesOf(x);
    forEachOffset<3>(places.stored, places.operands, [&](const std::array<int64_t, 3>& at) {
      products.push_back(unroundedProduct(x[0].realAt(at[0]), x[1].realAt(at[1])));
      products.back().ofFloat = compute == DataType::Float;
    });
    result.products = std::make_shared<const std::vector<Unrounded>>(std::move(products));
  }
  return result;
}

using At = const std::array<int64_t, 3>&;

Value compared(OpKind op, std::span<const Value> x) {
  if (x[0].real) {
    return combined<Whole>(x, DataType::Bool,
                           [&](At at) { return comparison(op, compare(x[0].realAt(at[0]), x[1].realAt(at[1]))); });
  }
  return combined<Whole>(x, DataType::Bool,
                         [&](At at) { return comparison(op, compare(x[0].wholeAt(at[0]), x[1].wholeAt(at[1]))); });
}

Value logicalOf(OpKind op, std::span<const Value> x) {
  if (x[0].real) {
    return combined<Whole>(x, DataType::Bool,
                           [&](At at) { return logical(op, truth(x[0].realAt(at[0])), truth(x[1].realAt(at[1]))); });
  }
  return combined<Whole>(x, DataType::Bool,
                         [&](At at) { return logical(op, truth(x[0].wholeAt(at[0])), truth(x[1].wholeAt(at[1]))); });
}

Value ofTwo(OpKind op, std::span<const Value> x, DataType common, const Arithmetic& arithmetic) {
  if (isReal(common)) return sumOrProduct(op, x, common, arithmetic);
  return combined<Whole>(x, common,
                         [&](At at) { return binaryWhole(op, x[0].wholeAt(at[0]), x[1].wholeAt(at[1]), common); });
}

template <class Set>
Set selected(const Whole& condition, const Set& ifTrue, const Set& ifFalse) {
  if (!condition.isSingle()) return hull(ifTrue, ifFalse);
  return condition.lo ? ifTrue : ifFalse;
}

Value where(std::span<const Value> x, DataType dtype) {
  if (isReal(dtype)) {
    return combined<Interval>(x, dtype, [&](At at) {
      return finish(selected(x[0].wholeAt(at[0]), x[1].realAt(at[1]), x[2].realAt(at[2])), dtype);
    });
  }
  return combined<Whole>(
      x, dtype, [&](At at) { return selected(x[0].wholeAt(at[0]), x[1].wholeAt(at[1]), x[2].wholeAt(at[2])); });
}

// A formula takes whole arrays at a time: the operands' sets, side by side.
Value formula(OpKind op, std::span<const Value> x, DataType dtype, MathLibrary library) {
  const DataType compute = fuser::computeType(dtype);
  std::vector<std::vector<Interval>> operands(x.size());
  const Places places = placesOf(x);
  forEachOffset<3>(places.stored, places.operands, [&](At at) {
    for (size_t i = 0; i < x.size(); ++i) operands[i].push_back(x[i].realAt(at[i]));
  });
  std::vector<Interval> sets = formulaRule(op, operands, compute, library);
  for (Interval& set : sets) set = finish(set, dtype);
  Value result;
  result.sizes = places.sizes;
  result.strides = places.strides;
  return withSets(result, dtype, std::move(sets));
}

// clamp and hardtanh: NaN in any operand gives NaN.
Value clamped(std::span<const Value> x, DataType dtype) {
  if (isReal(dtype)) {
    return combined<Interval>(x, dtype, [&](At at) {
      return finish(minimum(maximum(x[0].realAt(at[0]), x[1].realAt(at[1])), x[2].realAt(at[2])), dtype);
    });
  }
  return combined<Whole>(x, dtype, [&](At at) {
    const Whole raised = binaryWhole(OpKind::Maximum, x[0].wholeAt(at[0]), x[1].wholeAt(at[1]), dtype);
    return binaryWhole(OpKind::Minimum, raised, x[2].wholeAt(at[2]), dtype);
  });
}

Value fused(std::span<const Value> x, DataType dtype) {
  const DataType compute = fuser::computeType(dtype);
  return combined<Interval>(x, dtype, [&](At at) {
    return finish(multiplyAdd(x[0].realAt(at[0]), x[1].realAt(at[1]), x[2].realAt(at[2]), compute), dtype);
  });
}

// Of integers: c where a <= b, a elsewhere.
Whole thresholded(const Whole& a, const Whole& b, const Whole& c) {
  if (a.hi <= b.lo) return c;
  const Whole above{std::max(a.lo, b.lo < a.hi ? b.lo + 1 : b.lo), a.hi};
  return a.lo > b.hi ? a : hull(above, c);
}

// The formulas that take integers compute them exactly.
Value formulaOfIntegers(OpKind op, std::span<const Value> x, DataType dtype) {
  if (op == OpKind::Threshold) {
    return combined<Whole>(
        x, dtype, [&](At at) { return thresholded(x[0].wholeAt(at[0]), x[1].wholeAt(at[1]), x[2].wholeAt(at[2])); });
  }
  FUSER_CHECK(op == OpKind::Addcmul, "no rule for ", fuser::opName(op));
  return combined<Whole>(x, dtype, [&](At at) {
    const Whole product = binaryWhole(OpKind::Mul, x[1].wholeAt(at[1]), x[2].wholeAt(at[2]), dtype);
    return binaryWhole(OpKind::Add, x[0].wholeAt(at[0]), product, dtype);
  });
}

}  // namespace

Value castValue(const Value& value, DataType to) {
  if (value.dtype == to) return value;
  if (isReal(to)) {
    Value result = converted<Interval>(value, to, [to](const auto& set) { return toReal(set, to); });
    // What f32 holds is not rounded in f64, nor on the way back: an FMA may take the product.
    const bool isKept = value.products && fuser::computeType(to) == to &&
                        std::all_of(value.products->begin(), value.products->end(),
                                    [](const Unrounded& product) { return product.ofFloat; });
    if (isKept) result.products = value.products;
    return result;
  }
  return converted<Whole>(value, to, [to](const auto& set) { return toWhole(set, to); });
}

DataType commonType(const fuser::Expr& expr, std::span<const Value> operands) {
  if (expr.info().result == fuser::Result::Same) return expr.output()->dtype();
  for (size_t i = 0; i < operands.size(); ++i) {
    if (expr.input(i)->isTensor()) return operands[i].dtype;
  }
  DataType common = operands[0].dtype;
  for (const Value& operand : operands) common = fuser::promoteTypes(common, operand.dtype);
  return common;
}

Value pointwise(const fuser::Expr& expr, std::span<const Value> operands, const Arithmetic& arithmetic) {
  const DataType common = commonType(expr, operands);
  std::vector<Value> x;
  for (size_t i = 0; i < operands.size(); ++i) {
    x.push_back(fuser::takesCondition(expr.op(), i) ? castValue(operands[i], DataType::Bool)
                                                    : operandAs(expr, i, operands[i], common));
  }
  return applyRule(expr.op(), x, common, arithmetic);
}

Value besideSignaling(OpKind op, Value result, std::span<const Value> operands, std::array<bool, 2> maySignal) {
  const bool isMeant = op == OpKind::Pow || op == OpKind::Hypot || op == OpKind::Fmax || op == OpKind::Fmin;
  if (!isMeant || !result.real || (!maySignal[0] && !maySignal[1])) return result;
  const Value all[] = {result, operands[0], operands[1]};
  const auto signals = [&](size_t operand, int64_t offset) {
    return maySignal[operand] && operands[operand].real && operands[operand].realAt(offset).has(kNan);
  };
  return combined<Interval>(all, result.dtype, [&](At at) {
    Interval set = result.realAt(at[0]);
    if (signals(0, at[1]) || signals(1, at[2])) set.flags |= kNan;
    return set;
  });
}

Value applyRule(OpKind op, std::span<const Value> x, DataType common, const Arithmetic& arithmetic) {
  switch (ruleGroup(op)) {
    case RuleGroup::UnaryStep:
    case RuleGroup::Function: return unary(op, x[0], common, arithmetic.library);
    case RuleGroup::Arithmetic:
    case RuleGroup::Extreme:
    case RuleGroup::WholeQuotient:
    case RuleGroup::FunctionOfTwo:
    case RuleGroup::Bits: return ofTwo(op, x, common, arithmetic);
    case RuleGroup::Comparison: return compared(op, x);
    case RuleGroup::Connective: return logicalOf(op, x);
    case RuleGroup::Classification:
      return converted<Whole>(x[0], DataType::Bool, [op](const auto& set) { return classified(op, set); });
    case RuleGroup::Fused: return fused(x, common);
    case RuleGroup::Selection: return op == OpKind::Where ? where(x, common) : clamped(x, common);
    case RuleGroup::Formula:
      return isReal(common) ? formula(op, x, common, arithmetic.library) : formulaOfIntegers(op, x, common);
    case RuleGroup::Structural:
    case RuleGroup::Reduction:
    case RuleGroup::Pick:
    case RuleGroup::Variance: break;
  }
  FUSER_CHECK(false, fuser::opName(op), " is not pointwise");
}

}  // namespace oracle
