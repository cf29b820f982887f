// Attributes of PyTorch's that an op here does not have: with them the op's name is read as several ops.

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "fuser/ir/builder.h"
#include "fuser/ir/infer.h"
#include "fuser/text/expansions.h"

namespace fuser::text {
namespace {

constexpr int64_t kMostDecimals = 300;  // 10^300 is an f64

double roundedToDtype(double number, DataType dtype) {
  return dispatch(dtype, [&]<class T>() { return convert<double>(convert<T>(number)); });
}

}  // namespace

// The elements are converted before they are reduced, as in PyTorch. Integers are reduced in i64, of which a narrower
// dtype keeps the low bits.
template <OpKind kOp>
TensorView* reducedIn(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                      const std::string& name) {
  const DataType dtype = attributes.dtype(AttributeName::dtype);
  FUSER_USER_CHECK(dtype != DataType::Bool, opInfo(kOp).mnemonic, " gives no bool: use any or all");
  FUSER_USER_CHECK(kOp != OpKind::Mean || isFloating(dtype), "mean gives a float, not ", dtype);
  Val* converted = operands[0];
  if (converted->dtype() != dtype) converted = build::cast(fusion, converted, dtype, name + ".from");
  std::vector<int64_t> dims;
  if (attributes.has(AttributeName::dims)) dims = attributes.axes(AttributeName::dims);
  const bool isNarrow = !isFloating(dtype) && dtype != DataType::Int64;
  const bool keepdim = attributes.flagOr(AttributeName::keepdim, false);
  TensorView* reduced = build::reduction(fusion, kOp, converted->as<TensorView>(), std::move(dims), keepdim,
                                         isNarrow ? name + ".wide" : name);
  return isNarrow ? build::cast(fusion, reduced, dtype, name)->as<TensorView>() : reduced;
}

// torch.any and torch.all of uint8 are 0 or 1 in uint8.
template <OpKind kOp>
TensorView* truthOfBytes(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                         const std::string& name) {
  std::vector<int64_t> dims;
  if (attributes.has(AttributeName::dims)) dims = attributes.axes(AttributeName::dims);
  auto* bools = build::cast(fusion, operands[0], DataType::Bool, name + ".bool")->as<TensorView>();
  Val* truth = build::reduction(fusion, kOp, bools, std::move(dims), attributes.flagOr(AttributeName::keepdim, false),
                                name + ".truth");
  return build::cast(fusion, truth, DataType::UInt8, name)->as<TensorView>();
}

template ExpansionFunction truthOfBytes<OpKind::Any>;
template ExpansionFunction truthOfBytes<OpKind::All>;

// a + value * b * c, or / c: from left to right, of 16 bits in f32 and rounded once, as in PyTorch.
template <OpKind kOp>
TensorView* addedBy(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                    const std::string& name) {
  Val* value = attributes.operand(AttributeName::value);
  const DataType common = commonType(kOp, operands);
  FUSER_USER_CHECK(isFloating(common) || !isFloating(value->dtype()), opInfo(kOp).mnemonic,
                   ": 'value' is a floating scalar beside integers");
  FUSER_USER_CHECK(std::any_of(operands.begin(), operands.end(), [](const Val* val) { return val->isTensor(); }),
                   opInfo(kOp).mnemonic, " with a value takes a tensor");
  const bool isNarrow = isNarrowFloat(common);
  std::vector<Val*> wide = operands;
  for (size_t i = 0; isNarrow && i < wide.size(); ++i) {
    if (wide[i]->isTensor()) wide[i] = build::cast(fusion, wide[i], DataType::Float, concat(name, ".wide", i));
  }
  wide[1] = build::binary(fusion, OpKind::Mul, wide[1], value, name + ".scaled");
  Val* sum = build::pointwise(fusion, kOp, wide, isNarrow ? name + ".sum" : name);
  return (isNarrow ? build::cast(fusion, sum, common, name) : sum)->as<TensorView>();
}

template ExpansionFunction reducedIn<OpKind::Sum>;
template ExpansionFunction reducedIn<OpKind::Prod>;
template ExpansionFunction reducedIn<OpKind::Mean>;
template ExpansionFunction addedBy<OpKind::Addcmul>;
template ExpansionFunction addedBy<OpKind::Addcdiv>;

// a + alpha * b, or a - alpha * b: in the dtype of both, of 16 bits in f32 and rounded once, as in PyTorch. Of bool it
// is a or b where alpha holds.
template <OpKind kOp>
TensorView* scaledBy(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                     const std::string& name) {
  Val* alpha = attributes.operand(AttributeName::alpha);
  const std::string_view op = opInfo(kOp).mnemonic;
  FUSER_USER_CHECK(operands[0]->isTensor() || operands[1]->isTensor(), op, " with an alpha takes a tensor");
  const DataType common = commonType(kOp, operands);
  FUSER_USER_CHECK(isFloating(common) || !isFloating(alpha->dtype()), op,
                   ": 'alpha' is a floating scalar beside integers");
  FUSER_USER_CHECK(alpha->dtype() != DataType::Bool || common == DataType::Bool, op,
                   ": 'alpha' is a bool scalar beside numbers");
  FUSER_USER_CHECK(kOp != OpKind::Sub || common != DataType::Bool, "sub with an alpha takes no bool");
  if (common == DataType::Bool && alpha->dtype() != DataType::Bool) {
    const std::optional<ScalarValue>& literal = alpha->as<Scalar>()->constant();
    alpha = literal ? fusion.newConstant(literal->castTo(DataType::Bool))
                    : build::cast(fusion, alpha, DataType::Bool, name + ".alpha")->as<Scalar>();
  }
  const bool isNarrow = isNarrowFloat(common);
  std::vector<Val*> wide = operands;
  for (size_t i = 0; i < wide.size(); ++i) {
    const DataType dtype = isNarrow ? DataType::Float : common;
    if (wide[i]->isTensor() && wide[i]->dtype() != dtype) {
      wide[i] = build::cast(fusion, wide[i], dtype, concat(name, ".wide", i));
    }
  }
  const bool isBool = common == DataType::Bool;
  wide[1] = build::binary(fusion, isBool ? OpKind::LogicalAnd : OpKind::Mul, wide[1], alpha, name + ".scaled");
  Val* sum = build::pointwise(fusion, isBool ? OpKind::LogicalOr : kOp, wide, isNarrow ? name + ".sum" : name);
  return (isNarrow ? build::cast(fusion, sum, common, name) : sum)->as<TensorView>();
}

template ExpansionFunction scaledBy<OpKind::Add>;
template ExpansionFunction scaledBy<OpKind::Sub>;

// To a power of ten: round(x * 10^d) / 10^d, or round(x / 10^-d) * 10^-d, each step rounded, as in PyTorch. The power
// is one of the dtype.
TensorView* roundedTo(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                      const std::string& name) {
  FUSER_USER_CHECK(operands[0]->isTensor(), "round to decimals takes a tensor, not ", typeText(operands[0]));
  const DataType dtype = operands[0]->dtype();
  FUSER_USER_CHECK(isFloating(dtype), "round to decimals takes floats, not ", typeText(operands[0]));
  const int64_t decimals = attributes.number(AttributeName::decimals);
  FUSER_USER_CHECK(decimals >= -kMostDecimals && decimals <= kMostDecimals, "round: ", decimals, " decimals: at most ",
                   kMostDecimals, " either way");
  if (decimals == 0) return build::unary(fusion, OpKind::Round, operands[0], name)->as<TensorView>();
  const double power = std::pow(10.0, static_cast<double>(std::abs(decimals)));
  Val* ten = fusion.newConstant(ScalarValue(roundedToDtype(power, dtype)));
  const OpKind before = decimals > 0 ? OpKind::Mul : OpKind::Div, after = decimals > 0 ? OpKind::Div : OpKind::Mul;
  Val* scaled = build::binary(fusion, before, operands[0], ten, name + ".scaled");
  Val* whole = build::unary(fusion, OpKind::Round, scaled, name + ".whole");
  return build::binary(fusion, after, whole, ten, name)->as<TensorView>();
}

// Of x where it is from eps to 1 - eps, else of the bound that it passes, eps before the other one; NaN stays. A
// negative eps bounds nothing. 16 bits in f32, rounded once.
TensorView* logitWithin(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                        const std::string& name) {
  FUSER_USER_CHECK(operands[0]->isTensor(), "logit with an eps takes a tensor, not ", typeText(operands[0]));
  Val* x = operands[0];
  const DataType dtype = isFloating(x->dtype()) ? x->dtype() : DataType::Float;
  const bool isNarrow = isNarrowFloat(dtype);
  const DataType computed = isNarrow ? DataType::Float : dtype;
  if (x->dtype() != computed) x = build::cast(fusion, x, computed, name + ".from");
  Val* eps = attributes.operand(AttributeName::eps);
  const std::optional<ScalarValue>& literal = eps->as<Scalar>()->constant();
  if (!literal || literal->as<double>() >= 0) {
    Val* rest = literal ? fusion.newConstant(ScalarValue(1 - literal->as<double>()))
                        : build::binary(fusion, OpKind::Sub, fusion.newConstant(ScalarValue(1.0)), eps, name + ".rest");
    Val* above = build::binary(fusion, OpKind::Gt, x, rest, name + ".above");
    Val* below = build::binary(fusion, OpKind::Lt, x, eps, name + ".below");
    Val* upper = build::where(fusion, above, rest, x, name + ".upper");
    x = build::where(fusion, below, eps, upper, name + ".within");
  }
  Val* result = build::unary(fusion, OpKind::Logit, x, isNarrow ? name + ".wide" : name);
  return (isNarrow ? build::cast(fusion, result, dtype, name) : result)->as<TensorView>();
}

// torch.clamp with bounds that are tensors, which are broadcast, or with one bound.
TensorView* bounded(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                    const std::string& name) {
  const auto boundOf = [&](AttributeName which) {
    return attributes.hasOperand(which) ? attributes.operand(which) : nullptr;
  };
  Val *low = boundOf(AttributeName::min), *high = boundOf(AttributeName::max), *x = operands[0];
  const auto apply = [&](OpKind ofTensors, OpKind ofScalars, Val* bound, const std::string& to) {
    return build::binary(fusion, bound->isTensor() ? ofTensors : ofScalars, x, bound, to);
  };
  if (low) x = apply(OpKind::Maximum, OpKind::ClampMin, low, high ? name + ".low" : name);
  if (high) x = apply(OpKind::Minimum, OpKind::ClampMax, high, name);
  FUSER_USER_CHECK(x->isTensor(), "clamp takes a tensor here, not ", typeText(x));
  return x->as<TensorView>();
}

// With a correction that is no integer: the mean of the squares, times n / max(0, n - correction); 16 bits in f32,
// rounded once.
TensorView* variance(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                     const std::string& name) {
  auto* tensor = operands[0]->as<TensorView>();
  const DataType dtype = tensor->dtype();
  const bool isNarrow = isNarrowFloat(dtype);
  if (isNarrow) tensor = build::cast(fusion, tensor, DataType::Float, name + ".wide")->as<TensorView>();
  std::vector<int64_t> dims;
  if (attributes.has(AttributeName::dims)) dims = attributes.axes(AttributeName::dims);
  std::vector<size_t> axes;
  for (int64_t dim : dims) axes.push_back(axisOf("var", tensor, dim));
  for (size_t axis = 0; dims.empty() && axis < tensor->rank(); ++axis) axes.push_back(axis);
  Val* count = fusion.newConstant(ScalarValue(1.0));
  for (size_t axis : axes) {
    Val* size = sizeAsScalar(fusion, tensor, axis, concat(name, ".size", axis));
    count = build::binary(fusion, OpKind::Mul, count, size, concat(name, ".count", axis));
  }
  Val* left = build::binary(fusion, OpKind::Sub, count, attributes.operand(AttributeName::correction), name + ".left");
  Val* least[] = {left, fusion.newConstant(ScalarValue(0.0))};
  Val* divisor = build::pointwise(fusion, OpKind::ClampMin, least, name + ".divisor");
  Val* factor = build::binary(fusion, OpKind::Div, count, divisor, name + ".factor");
  TensorView* squares = build::welford(fusion, OpKind::Var, tensor, dims, 0,
                                       attributes.flagOr(AttributeName::keepdim, false), {name + ".squares"})[0];
  Val* result = build::binary(fusion, OpKind::Mul, squares, factor, isNarrow ? name + ".scaled" : name);
  return (isNarrow ? build::cast(fusion, result, dtype, name) : result)->as<TensorView>();
}

// The second result of a var_mean.
TensorView* meanBeside(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                       const std::string& name) {
  std::vector<int64_t> dims;
  if (attributes.has(AttributeName::dims)) dims = attributes.axes(AttributeName::dims);
  return build::reduction(fusion, OpKind::Mean, operands[0]->as<TensorView>(), std::move(dims),
                          attributes.flagOr(AttributeName::keepdim, false), name);
}

// A slice along each of `dims`, one after another.
TensorView* slicedAlongAxes(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                            const std::string& name) {
  auto* tensor = operands[0]->as<TensorView>();
  const std::vector<int64_t>& dims = attributes.axes(AttributeName::dims);
  const std::vector<IntExpr>& starts = attributes.integers(AttributeName::starts);
  const std::vector<IntExpr>& ends = attributes.integers(AttributeName::ends);
  std::vector<IntExpr> steps(dims.size(), nullptr);
  if (attributes.has(AttributeName::steps)) steps = attributes.integers(AttributeName::steps);
  FUSER_USER_CHECK(starts.size() == dims.size() && ends.size() == dims.size() && steps.size() == dims.size(),
                   "slice: ", dims.size(), " dims, ", starts.size(), " starts, ", ends.size(), " ends and ",
                   steps.size(), " steps");
  std::vector<size_t> seen;
  for (size_t i = 0; i < dims.size(); ++i) {
    const size_t dim = axisOf("slice", tensor, dims[i]);
    FUSER_USER_CHECK(std::find(seen.begin(), seen.end(), dim) == seen.end(), "slice: axis ", dim, " is given twice");
    seen.push_back(dim);
    const bool isLast = i + 1 == dims.size();
    tensor = build::slice(fusion, tensor, static_cast<int64_t>(dim), starts[i], ends[i], steps[i],
                          isLast ? name : concat(name, ".along", dim));
  }
  return dims.empty() ? build::set(fusion, tensor, name) : tensor;
}

}  // namespace fuser::text
