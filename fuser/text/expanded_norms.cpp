// Norms: of the last axes, of groups of channels, of channels over a batch, of each channel; and the p-norm.

#include <cmath>

#include "fuser/text/composite.h"

namespace fuser::text {

TensorView* optionalTensor(std::string_view op, const std::vector<Val*>& operands, size_t place,
                           const NamedAttributes& attributes, AttributeName name) {
  const bool isNamed = attributes.hasOperand(name), isPlaced = operands.size() > place;
  FUSER_USER_CHECK(!isNamed || !isPlaced, op, ": '", attributeText(name), "' is given twice, as operand ", place + 1,
                   ", too");
  if (!isNamed && !isPlaced) return nullptr;
  Val* given = isNamed ? attributes.operand(name) : operands[place];
  FUSER_USER_CHECK(given->isTensor(), op, ": '", attributeText(name), "' is a tensor, not ", typeText(given));
  return given->as<TensorView>();
}

namespace {

void checkMost(std::string_view op, const std::vector<Val*>& operands, size_t most) {
  FUSER_USER_CHECK(operands.size() <= most, op, " takes at most ", most, " operands, not ", operands.size());
}

// The axes that a normalized_shape names, the last ones; `tensor` has these sizes there, or is checked to have them.
std::vector<int64_t> normalizedAxes(std::string_view op, Fusion& fusion, TensorView*& tensor,
                                    const NamedAttributes& attributes, const std::string& name) {
  const std::vector<IntExpr>& shape = attributes.integers(AttributeName::normalized_shape);
  FUSER_USER_CHECK(!shape.empty() && shape.size() <= tensor->rank(), op, " of ", typeText(tensor), ": a shape of ",
                   shape.size(), " axes");
  std::vector<IntExpr> wanted = sizesOf(tensor);
  std::copy(shape.begin(), shape.end(), wanted.end() - static_cast<ptrdiff_t>(shape.size()));
  tensor = ofSizes(op, fusion, tensor->dtype(), tensor, wanted, name);
  std::vector<int64_t> dims;
  for (size_t axis = tensor->rank() - shape.size(); axis < tensor->rank(); ++axis) {
    dims.push_back(static_cast<int64_t>(axis));
  }
  return dims;
}

// A factor or a term for each channel, the second axis of `like`.
TensorView* ofChannels(std::string_view op, Composite& make, TensorView* each, const TensorView* like,
                       const std::string& ending) {
  each = ofSizes(op, make.fusion(), each->dtype(), each, {sizesOf(like)[1]}, make.named(ending));
  return alongAxis(make.fusion(), make.wide(each, ending + ".wide"), 1, like->rank(), make.named(ending + ".channels"));
}

// Times the weight and plus the bias of each channel, where they are given.
TensorView* scaledByChannel(std::string_view op, Composite& make, TensorView* result, const TensorView* like,
                            TensorView* weight, TensorView* bias) {
  if (weight) result = make.op(OpKind::Mul, result, ofChannels(op, make, weight, like, ".weight"), ".weighted");
  if (bias) result = make.op(OpKind::Add, result, ofChannels(op, make, bias, like, ".bias"), ".biased");
  return result;
}

// (x - mean) / sqrt(variance + eps)
TensorView* centredAndScaled(Composite& make, TensorView* x, Val* mean, Val* variance, Val* eps) {
  TensorView* spread = make.op(OpKind::Add, variance, eps, ".spread");
  TensorView* centred = make.op(OpKind::Sub, x, mean, ".centred");
  return make.op(OpKind::Mul, centred, make.op(OpKind::Rsqrt, spread, ".rsqrt"), ".normal");
}

// The same with the mean and the variance of its own elements over these axes.
TensorView* normalizedOver(Composite& make, TensorView* x, const std::vector<int64_t>& dims, Val* eps) {
  const std::vector<Val*> moments =
      build::structural(make.fusion(), OpKind::VarMean, {x}, Attributes().dims(dims).correction(0),
                        {make.named(".var"), make.named(".mean")}, true);
  return centredAndScaled(make, x, moments[1], moments[0], eps);
}

std::vector<int64_t> axesFrom(size_t first, const TensorView* tensor) {
  std::vector<int64_t> axes;
  for (size_t axis = first; axis < tensor->rank(); ++axis) axes.push_back(static_cast<int64_t>(axis));
  return axes;
}

// What batch_norm and instance_norm share: with the running statistics, or over these axes with their own.
TensorView* channelNorm(std::string_view op, Fusion& fusion, const std::vector<Val*>& operands,
                        const NamedAttributes& attributes, const std::string& name, bool ownStatistics,
                        std::vector<int64_t> dims) {
  checkMost(op, operands, 5);
  TensorView* tensor = tensorAt(operands, 0);
  TensorView* mean = optionalTensor(op, operands, 1, attributes, AttributeName::running_mean);
  TensorView* variance = optionalTensor(op, operands, 2, attributes, AttributeName::running_var);
  FUSER_USER_CHECK(!ownStatistics || (!mean && !variance), op,
                   ": what is computed from the elements themselves takes "
                   "no running statistics, which PyTorch would update: leave them out, and name 'weight' and 'bias'");
  FUSER_USER_CHECK(ownStatistics || (mean && variance), op, ": it needs running_mean and running_var");
  Composite make(fusion, name, tensor->dtype());
  TensorView* x = make.wide(tensor);
  Val* eps = attributes.operand(AttributeName::eps);
  TensorView* normal = ownStatistics ? normalizedOver(make, x, dims, eps)
                                     : centredAndScaled(make, x, ofChannels(op, make, mean, tensor, ".mean"),
                                                        ofChannels(op, make, variance, tensor, ".var"), eps);
  return make.rounded(scaledByChannel(op, make, normal, tensor,
                                      optionalTensor(op, operands, 3, attributes, AttributeName::weight),
                                      optionalTensor(op, operands, 4, attributes, AttributeName::bias)));
}

void checkChannels(std::string_view op, const TensorView* tensor, size_t leastRank) {
  FUSER_USER_CHECK(isFloating(tensor->dtype()), op, " takes floats, not ", typeText(tensor));
  FUSER_USER_CHECK(tensor->rank() >= leastRank, op, " of ", typeText(tensor), ": it has at least ", leastRank, " axes");
}

}  // namespace

// torch.nn.functional.layer_norm: (x - mean) / sqrt(variance + eps), times a weight, plus a bias.
TensorView* layerNorm(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                      const std::string& name) {
  checkMost("layer_norm", operands, 3);
  TensorView* tensor = tensorAt(operands, 0);
  FUSER_USER_CHECK(isFloating(tensor->dtype()), "layer_norm takes floats, not ", typeText(tensor));
  const std::vector<int64_t> dims = normalizedAxes("layer_norm", fusion, tensor, attributes, name);
  Composite make(fusion, name, tensor->dtype());
  TensorView* result = normalizedOver(make, make.wide(tensor), dims, attributes.operand(AttributeName::eps));
  if (TensorView* weight = optionalTensor("layer_norm", operands, 1, attributes, AttributeName::weight)) {
    result = make.with("layer_norm", OpKind::Mul, result, weight, tensor, dims.size(), ".weight");
  }
  if (TensorView* bias = optionalTensor("layer_norm", operands, 2, attributes, AttributeName::bias)) {
    result = make.with("layer_norm", OpKind::Add, result, bias, tensor, dims.size(), ".bias");
  }
  return make.rounded(result);
}

// torch.nn.functional.rms_norm: x / sqrt(mean(x^2) + eps), times a weight. Without an eps it is that of the dtype.
TensorView* rmsNorm(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                    const std::string& name) {
  checkMost("rms_norm", operands, 2);
  TensorView* tensor = tensorAt(operands, 0);
  FUSER_USER_CHECK(isFloating(tensor->dtype()), "rms_norm takes floats, not ", typeText(tensor));
  const std::vector<int64_t> dims = normalizedAxes("rms_norm", fusion, tensor, attributes, name);
  Composite make(fusion, name, tensor->dtype());
  TensorView* x = make.wide(tensor);
  const double own = std::ldexp(1, 1 - precisionOf(tensor->dtype()));
  Val* eps = attributes.hasOperand(AttributeName::eps) ? attributes.operand(AttributeName::eps)
                                                       : fusion.newConstant(ScalarValue(own));
  TensorView* squares = make.over(OpKind::Mean, make.op(OpKind::Mul, x, x, ".squares"), dims, ".mean");
  TensorView* spread = make.op(OpKind::Add, squares, eps, ".spread");
  TensorView* result = make.op(OpKind::Mul, x, make.op(OpKind::Rsqrt, spread, ".rsqrt"), ".normal");
  if (TensorView* weight = optionalTensor("rms_norm", operands, 1, attributes, AttributeName::weight)) {
    result = make.with("rms_norm", OpKind::Mul, result, weight, tensor, dims.size(), ".weight");
  }
  return make.rounded(result);
}

// torch.nn.functional.group_norm: over the elements of so many groups of channels of each sample.
TensorView* groupNorm(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                      const std::string& name) {
  checkMost("group_norm", operands, 3);
  TensorView* tensor = tensorAt(operands, 0);
  checkChannels("group_norm", tensor, 2);
  const int64_t number = attributes.number(AttributeName::num_groups);
  FUSER_USER_CHECK(number >= 1, "group_norm: ", number, " groups");
  const std::vector<IntExpr> sizes = sizesOf(tensor);
  FUSER_USER_CHECK(!sizes[1]->isConstant() || sizes[1]->value % number == 0, "group_norm of ", typeText(tensor), ": ",
                   sizes[1]->value, " channels are not ", number, " groups of the same size");
  IntExprArena& ints = fusion.ints();
  const IntExpr groups = ints.constant(number);
  IntExpr elements = ints.floorDiv(sizes[1], groups);
  for (size_t axis = 2; axis < sizes.size(); ++axis) elements = ints.mul(elements, sizes[axis]);
  Composite make(fusion, name, tensor->dtype());
  TensorView* x = build::reshape(fusion, tensor, {sizes[0], groups, elements}, name + ".groups");
  TensorView* normal = normalizedOver(make, make.wide(x), {2}, attributes.operand(AttributeName::eps));
  normal = build::reshape(fusion, normal, sizes, name + ".channels");
  return make.rounded(scaledByChannel("group_norm", make, normal, tensor,
                                      optionalTensor("group_norm", operands, 1, attributes, AttributeName::weight),
                                      optionalTensor("group_norm", operands, 2, attributes, AttributeName::bias)));
}

// torch.nn.functional.batch_norm: with `training` over all elements of a channel, else with the running statistics.
TensorView* batchNorm(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                      const std::string& name) {
  TensorView* tensor = tensorAt(operands, 0);
  checkChannels("batch_norm", tensor, 2);
  std::vector<int64_t> dims = axesFrom(2, tensor);
  dims.insert(dims.begin(), 0);
  return channelNorm("batch_norm", fusion, operands, attributes, name,
                     attributes.flagOr(AttributeName::training, false), std::move(dims));
}

// torch.nn.functional.instance_norm: over the elements of each channel of each sample, or, without use_input_stats,
// with the running statistics.
TensorView* instanceNorm(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                         const std::string& name) {
  TensorView* tensor = tensorAt(operands, 0);
  checkChannels("instance_norm", tensor, 3);
  return channelNorm("instance_norm", fusion, operands, attributes, name,
                     attributes.flagOr(AttributeName::use_input_stats, true), axesFrom(2, tensor));
}

// torch.norm: (sum of |x|^p)^(1/p); 0 counts what is not 0, inf and -inf are the greatest and the least.
TensorView* vectorNorm(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                       const std::string& name) {
  TensorView* tensor = tensorAt(operands, 0);
  const DataType dtype = attributes.dtypeOr(AttributeName::dtype, tensor->dtype());
  FUSER_USER_CHECK(isFloating(dtype) && isFloating(tensor->dtype()), "norm takes floats, not ", typeText(tensor));
  Composite make(fusion, name, dtype);
  TensorView* x = make.wide(tensor);
  const std::vector<int64_t> dims =
      attributes.has(AttributeName::dims) ? attributes.axes(AttributeName::dims) : std::vector<int64_t>();
  const bool keeps = attributes.flagOr(AttributeName::keepdim, false);
  const auto reduced = [&](OpKind kind, TensorView* terms) {
    return build::reduction(fusion, kind, terms, dims, keeps, name + ".all");
  };
  Val* p = attributes.operand(AttributeName::p);
  FUSER_USER_CHECK(p->isScalar(), "norm: p is a number, not ", typeText(p));
  const std::optional<ScalarValue>& literal = p->as<Scalar>()->constant();
  const double number = literal ? literal->as<double>() : 3;
  if (number == 2)
    return make.rounded(make.root(reduced(OpKind::Sum, make.op(OpKind::Mul, x, x, ".squares"))));
  if (number == 0) {
    TensorView* isSome = make.op(OpKind::Ne, x, make.real(0), ".some");
    return make.rounded(reduced(OpKind::Sum, make.as(make.computed(), isSome, ".ones")));
  }
  TensorView* sizes = make.op(OpKind::Abs, x, ".abs");
  if (number == 1) return make.rounded(reduced(OpKind::Sum, sizes));
  if (std::isinf(number)) return make.rounded(reduced(number > 0 ? OpKind::Amax : OpKind::Amin, sizes));
  Val* inverse =
      literal ? make.real(1 / number) : build::binary(fusion, OpKind::Div, make.real(1), p, name + ".inverse");
  // Where the gradient of a power at 0 is infinite, that of the norm is 0, as PyTorch's: what is 0 goes around it.
  const auto power = [&](TensorView* base, Val* exponent, const std::string& ending) {
    TensorView* isZero = make.op(OpKind::Eq, base, make.real(0), ending + ".zero");
    Val* ofZero = build::binary(fusion, OpKind::Pow, make.real(0), exponent, name + ending + ".of_zero");
    TensorView* other = make.where(isZero, make.real(1), base, ending + ".other");
    return make.where(isZero, ofZero, make.op(OpKind::Pow, other, exponent, ending + ".power"), ending);
  };
  return make.rounded(power(reduced(OpKind::Sum, power(sizes, p, ".powers")), inverse, ".root"));
}

}  // namespace fuser::text
