#include "oracle/slice.h"

#include <algorithm>

#include "fuser/ir/tensor_view.h"
#include "oracle/bits.h"
#include "oracle/liberties.h"
#include "oracle/rounding.h"
#include "oracle/rule_group.h"

namespace oracle {

using fuser::DataType;
using fuser::Dims;
using fuser::Expr;
using fuser::HostValue;
using fuser::ScalarValue;
using fuser::TensorRef;
using fuser::TensorView;
using fuser::Val;

namespace {

// One accumulator for all terms, or one a thread of the largest block, whatever errs more.
fuser::ReductionDepth unknownDepth(int64_t terms) { return {terms, std::clamp<int64_t>(terms - 1, 0, 10)}; }

// Narrow floats by the oracle's own reading of them.
template <class T>
auto numberOf(T stored) {
  if constexpr (std::is_arithmetic_v<T>) {
    return stored;
  } else {
    return numberOfNarrow(stored.bits, fuser::DataTypeOf<T>::value);
  }
}

template <class Storage>
Value exactTensor(const TensorRef& ref) {
  Value value;
  value.dtype = ref.dtype;
  value.sizes = ref.sizes;
  Dims stored = ref.sizes;
  for (size_t axis = 0; axis < stored.size(); ++axis) {
    if (ref.strides[axis] == 0 && stored[axis] > 1) stored[axis] = 1;
  }
  value.strides = fuser::contiguousStrides(stored);
  for (size_t axis = 0; axis < stored.size(); ++axis) {
    if (stored[axis] == 1) value.strides[axis] = 0;
  }
  // A bool is the number in its byte: 0, 1, or whatever memory that no kernel wrote holds.
  using Stored = std::conditional_t<std::is_same_v<Storage, bool>, uint8_t, Storage>;
  const Stored* data = static_cast<const Stored*>(ref.data);
  const size_t count = static_cast<size_t>(fuser::numel(stored));
  const auto forEach = [&](const auto& visit) {
    forEachOffset<1>(stored, {ref.strides}, [&](const std::array<int64_t, 1>& at) { visit(numberOf(data[at[0]])); });
  };
  if (fuser::isFloating(ref.dtype)) {
    std::vector<Interval> sets(count);
    size_t next = 0;
    forEach([&](auto number) { sets[next++] = Interval::of(static_cast<double>(number)); });
    value.real = std::make_shared<const std::vector<Interval>>(std::move(sets));
  } else {
    std::vector<Whole> sets;
    sets.reserve(count);
    forEach([&](auto number) {
      const int64_t whole = static_cast<int64_t>(number);
      sets.push_back({whole, whole});
    });
    value.whole = std::make_shared<const std::vector<Whole>>(std::move(sets));
  }
  return value;
}

Value exactScalar(const ScalarValue& scalar) {
  Value value;
  value.dtype = scalar.dtype();
  if (value.dtype == DataType::Double) {
    value.real = std::make_shared<const std::vector<Interval>>(1, Interval::of(scalar.as<double>()));
  } else {
    const int64_t whole = scalar.as<fuser::int64>();
    value.whole = std::make_shared<const std::vector<Whole>>(1, Whole{whole, whole});
  }
  return value;
}

const fuser::Scalar* literal(const Val* val) {
  if (val->isTensor()) return nullptr;
  const auto* scalar = val->as<fuser::Scalar>();
  return scalar->isConstant() ? scalar : nullptr;
}

Value unsqueezed(Value value, const std::vector<int64_t>& dims) {
  for (int64_t dim : dims) {
    value.sizes.insert(static_cast<size_t>(dim), 1);
    value.strides.insert(static_cast<size_t>(dim), 0);
  }
  return value;
}

Value squeezed(Value value, const std::vector<int64_t>& dims) {
  for (size_t i = dims.size(); i-- > 0;) {
    value.sizes.erase(static_cast<size_t>(dims[i]));
    value.strides.erase(static_cast<size_t>(dims[i]));
  }
  return value;
}

Value expanded(Value value, const Dims& shape) {
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == -1 || shape[axis] == value.sizes[axis]) continue;
    FUSER_CHECK(value.sizes[axis] == 1, "expand of an axis of ", value.sizes[axis], " to ", shape[axis]);
    value.sizes[axis] = shape[axis];
    value.strides[axis] = 0;
  }
  return value;
}

Value permuted(const Value& value, const std::vector<int64_t>& dims) {
  Value result = value;
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    result.sizes[axis] = value.sizes[static_cast<size_t>(dims[axis])];
    result.strides[axis] = value.strides[static_cast<size_t>(dims[axis])];
  }
  return result;
}

Value filled(Value result, const Dims& shape) {
  result.sizes = shape;
  result.strides = Dims(shape.size(), 0);
  return result;
}

// arange: bounds are start, end, step.
Value range(const Dims& bounds, DataType dtype) {
  Value value;
  value.dtype = DataType::Int64;
  std::vector<Whole> numbers;
  for (int64_t at = bounds[0]; bounds[2] > 0 ? at < bounds[1] : at > bounds[1]; at += bounds[2]) {
    numbers.push_back({at, at});
  }
  value.sizes = {static_cast<int64_t>(numbers.size())};
  value.strides = {numbers.size() == 1 ? 0 : 1};
  value.whole = std::make_shared<const std::vector<Whole>>(std::move(numbers));
  return castValue(value, dtype);
}

// eye: sizes are n, m.
Value diagonal(const Dims& sizes, DataType dtype) {
  Value value = dense(DataType::Int64, sizes);
  std::vector<Whole> numbers;
  for (int64_t row = 0; row < sizes[0]; ++row) {
    for (int64_t column = 0; column < sizes[1]; ++column) {
      const int64_t number = row == column ? 1 : 0;
      numbers.push_back({number, number});
    }
  }
  value.whole = std::make_shared<const std::vector<Whole>>(std::move(numbers));
  return castValue(value, dtype);
}

Value flipped(const Value& x, const std::vector<int64_t>& dims) {
  return collected({&x, 1}, x.sizes, [&](Dims index) {
    for (int64_t dim : dims) {
      const auto axis = static_cast<size_t>(dim);
      index[axis] = x.sizes[axis] - 1 - index[axis];
    }
    return Source{0, offsetOf(x, index)};
  });
}

}  // namespace

Value exact(const HostValue& value) {
  if (const auto* scalar = std::get_if<ScalarValue>(&value)) return exactScalar(*scalar);
  const TensorRef& ref = std::get<TensorRef>(value);
  FUSER_CHECK(ref.device.kind == fuser::DeviceKind::Cpu, "the oracle reads host memory");
  return fuser::dispatch(ref.dtype, [&]<class Storage>() { return exactTensor<Storage>(ref); });
}

namespace {

// Arithmetic and functions make quiet NaNs; everything else hands on what it is given.
std::vector<bool> whatMaySignal(const fuser::Fusion& fusion) {
  std::vector<bool> may(fusion.valCount());
  for (const Expr* expr : fusion.exprs()) {
    const RuleGroup group = ruleGroup(expr->op());
    const bool quiets = group == RuleGroup::Arithmetic || group == RuleGroup::Function ||
                        group == RuleGroup::FunctionOfTwo || group == RuleGroup::Formula;
    const bool isGiven =
        std::any_of(expr->inputs().begin(), expr->inputs().end(), [&](const Val* input) { return may[input->id()]; });
    for (const Val* output : expr->outputs()) {
      may[output->id()] =
          fuser::isFloating(output->dtype()) && (expr->family() == fuser::Family::Bitcast || (isGiven && !quiets));
    }
  }
  return may;
}

}  // namespace

RunFacts collectFacts(const fuser::Fusion& fusion, std::span<const HostValue> inputs) {
  FUSER_CHECK(inputs.size() == fusion.inputs().size(), "'", fusion.name(), "' has ", fusion.inputs().size(),
              " inputs, got ", inputs.size());
  RunFacts facts;
  facts.fusion = &fusion;
  facts.inputs.resize(fusion.valCount());
  facts.depths.resize(fusion.valCount());
  facts.sums.resize(fusion.valCount());
  facts.numbers.resize(fusion.valCount());
  facts.maySignal = whatMaySignal(fusion);
  facts.extents.resize(fusion.ints().symbols().size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Val* input = fusion.inputs()[i];
    Value value = exact(inputs[i]);
    FUSER_CHECK(value.dtype == input->dtype(), "input %", input->name(), " is ", value.dtype);
    if (input->isTensor()) {
      const std::vector<fuser::IterDomain*> axes = input->as<TensorView>()->axes();
      FUSER_CHECK(axes.size() == value.sizes.size(), "input %", input->name(), " has rank ", value.sizes.size());
      for (size_t axis = 0; axis < axes.size(); ++axis) {
        const fuser::IntExpr size = axes[axis]->size();
        if (size->isSymbol()) facts.extents[static_cast<size_t>(size->value)] = value.sizes[axis];
      }
    }
    facts.inputs[input->id()] = std::move(value);
  }
  return facts;
}

// Operands first, without recursion: fusions may be deep.
void Slice::computeOperands(const Expr* root) {
  std::vector<const Expr*> stack{root};
  while (!stack.empty()) {
    const Expr* expr = stack.back();
    const size_t before = stack.size();
    std::vector<Val*> needed = expr->inputs();
    const std::vector<Val*> scalars = fuser::Fusion::extentScalars(expr);
    needed.insert(needed.end(), scalars.begin(), scalars.end());
    for (const Val* val : needed) {
      if (values_[val->id()] || facts_.inputs[val->id()] || literal(val)) continue;
      FUSER_CHECK(val->definition(), "%", val->name(), " has no definition");
      stack.push_back(val->definition());
    }
    if (stack.size() > before) continue;
    stack.pop_back();
    for (size_t i = 0; i < expr->outputs().size() && expr != root; ++i) {
      std::optional<Value>& value = values_[expr->output(i)->id()];
      if (!value) value = compute(expr, i);
    }
  }
}

const Value& Slice::operand(const Val* val) {
  std::optional<Value>& value = values_[val->id()];
  if (value) return *value;
  if (const std::optional<Value>& input = facts_.inputs[val->id()]) return *input;
  const fuser::Scalar* constant = literal(val);
  FUSER_CHECK(constant, "%", val->name(), " is not known");
  value = exactScalar(*constant->constant());
  return *value;
}

const Value& Slice::evaluate(const Val* val) {
  if (!values_[val->id()] && !facts_.inputs[val->id()] && !literal(val)) values_[val->id()] = evaluateAlone(val);
  return operand(val);
}

std::optional<Value> Slice::evaluateAlone(const Val* val) {
  if (!val->definition()) return std::nullopt;
  const Expr* expr = val->definition();
  computeOperands(expr);
  const std::vector<Val*>& results = expr->outputs();
  return compute(expr, static_cast<size_t>(std::find(results.begin(), results.end(), val) - results.begin()));
}

Dims Slice::shapeOf(const Expr* expr) {
  const std::vector<int64_t> numbers = numbersOf(expr);
  return Dims(numbers.begin(), numbers.end());
}

std::vector<int64_t> Slice::numbersOf(const Expr* expr) {
  const fuser::Fusion& fusion = *facts_.fusion;
  std::vector<int64_t> numbers;
  for (fuser::IntExpr extent : expr->attributes().allIntegers()) {
    numbers.push_back(fuser::evaluate(extent, [&](fuser::IntExpr symbol) {
      if (const Val* scalar = fusion.scalarOf(symbol)) return extentOf(scalar);
      const std::optional<int64_t>& bound = facts_.extents[static_cast<size_t>(symbol->value)];
      FUSER_CHECK(bound, "no input binds ", fusion.ints().symbolOf(symbol).name);
      return *bound;
    }));
  }
  return numbers;
}

// An extent is one number. Of several that are right, the run says which it has.
int64_t Slice::extentOf(const Val* scalar) {
  const Whole& set = operand(scalar).wholeAt(0);
  if (set.isSingle()) return set.lo;
  const std::optional<int64_t>& number = facts_.numbers[scalar->id()];
  if (!number) throw Unsupported(fuser::concat("the extent %", scalar->name(), " is not certain"));
  if (*number < set.lo || *number > set.hi) wrongExtents_.emplace_back(scalar, set);
  return *number;
}

Value Slice::cast(const Value& value, DataType to) const {
  const Profile* profile = facts_.arithmetic.profile;
  return profile ? castUnder(*profile, value, to) : castValue(value, to);
}

Value Slice::compute(const Expr* expr, size_t result) {
  const Profile* profile = facts_.arithmetic.profile;
  std::vector<Value> x;
  for (const Val* input : expr->inputs()) x.push_back(operand(input));
  switch (expr->family()) {
    case fuser::Family::Binary: {
      const std::array<bool, 2> maySignal{facts_.maySignal[expr->input(0)->id()],
                                          facts_.maySignal[expr->input(1)->id()]};
      Arithmetic arithmetic = facts_.arithmetic;
      arithmetic.forms = facts_.sums[expr->output()->id()];
      return besideSignaling(expr->op(), profile ? pointwiseUnder(*profile, *expr, x) : pointwise(*expr, x, arithmetic),
                             x, maySignal);
    }
    case fuser::Family::Unary:
    case fuser::Family::Ternary:
      return profile ? pointwiseUnder(*profile, *expr, x) : pointwise(*expr, x, facts_.arithmetic);
    case fuser::Family::Cast:
    case fuser::Family::Item: return cast(x[0], expr->output()->dtype());
    case fuser::Family::Bitcast: return bitcastValue(x[0], expr->output()->dtype());
    case fuser::Family::LoadStore: return x[0];
    case fuser::Family::Broadcast: return unsqueezed(x[0], expr->attributes().dims());
    case fuser::Family::Squeeze: return squeezed(x[0], expr->attributes().dims());
    case fuser::Family::Expand: return expanded(x[0], shapeOf(expr));
    case fuser::Family::Permute: return permuted(x[0], expr->attributes().dims());
    case fuser::Family::Factory: return filled(cast(x[0], expr->output()->dtype()), shapeOf(expr));
    case fuser::Family::Range: return range(shapeOf(expr), expr->output()->dtype());
    case fuser::Family::Eye: return diagonal(shapeOf(expr), expr->output()->dtype());
    case fuser::Family::Size: return exactScalar(x[0].sizes[static_cast<size_t>(expr->attributes().dim())]);
    case fuser::Family::Slice: return sliced(x[0], static_cast<size_t>(expr->attributes().dim()), shapeOf(expr));
    case fuser::Family::Pad: return padded(x[0], cast(x[1], x[0].dtype), numbersOf(expr));
    case fuser::Family::Cat: return joined(x, static_cast<size_t>(expr->attributes().dim()));
    case fuser::Family::Reshape: return reshaped(x[0], shapeOf(expr));
    case fuser::Family::Repeat: return repeatedBy(x[0], shapeOf(expr));
    case fuser::Family::Flip: return flipped(x[0], expr->attributes().dims());
    case fuser::Family::Select:
      return selected(x[0], static_cast<size_t>(expr->attributes().dim()), numbersOf(expr).at(0));
    case fuser::Family::Unfold: {
      const std::vector<int64_t> numbers = numbersOf(expr);
      return unfolded(x[0], static_cast<size_t>(expr->attributes().dim()), numbers.at(0), numbers.at(1));
    }
    case fuser::Family::SliceScatter:
      return written(x[0], x[1], static_cast<size_t>(expr->attributes().dim()), shapeOf(expr));
    case fuser::Family::Gather: return gathered(x[0], x[1], static_cast<size_t>(expr->attributes().dim()));
    case fuser::Family::Scatter:
      return scattered(x, static_cast<size_t>(expr->attributes().dim()), expr->op() == fuser::OpKind::ScatterAdd,
                       facts_.arithmetic);
    case fuser::Family::Branch: FUSER_CHECK(false, "a concrete fusion has no branches");
    case fuser::Family::Update: FUSER_CHECK(false, "the functional form of a fusion has no updates");
    case fuser::Family::Scan: return scanned(*expr, x[0], facts_.depths[expr->output()->id()], facts_.arithmetic);
    case fuser::Family::ExtremeIndex: return extremeIndex(*expr, x[0], facts_.arithmetic);
    case fuser::Family::Reduction:
    case fuser::Family::Welford: break;
  }
  int64_t terms = 1;
  for (int64_t dim : expr->attributes().dims()) terms *= x[0].sizes[static_cast<size_t>(dim)];
  const std::optional<fuser::ReductionDepth>& depth = facts_.depths[expr->output(result)->id()];
  if (fuser::isWelford(expr->op()) && profile) return anyReduced(*expr, result, x[0]);
  if (fuser::isWelford(expr->op())) return welford(*expr, result, x[0], depth.value_or(unknownDepth(terms)));
  if (!depth && terms > 1 && fuser::numel(x[0].sizes) > 0 && *expr->info().combine == fuser::OpKind::Add && x[0].real) {
    withoutDepth_.push_back(expr);
  }
  const fuser::ReductionDepth chain{std::max<int64_t>(terms - 1, 0)};
  return reduce(*expr, x[0], depth.value_or(chain), facts_.arithmetic);
}

}  // namespace oracle
