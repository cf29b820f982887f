// Names of several ops that models have: softmax and its kin, norms, masks of triangles, counts. 16 bits are computed
// in f32 and rounded once, as PyTorch's kernels of these names do.

#include <cmath>

#include "fuser/ir/builder.h"
#include "fuser/ir/infer.h"
#include "fuser/ir/view_axes.h"
#include "fuser/support/check.h"
#include "fuser/text/expansions.h"

namespace fuser::text {
namespace {

// One name of a text: what it computes in, and what it is rounded to.
class Composite {
 public:
  Composite(Fusion& fusion, const std::string& name, DataType dtype)
      : fusion_(fusion), name_(name), dtype_(dtype), computed_(dtypeSize(dtype) == 2 ? DataType::Float : dtype) {}

  TensorView* wide(TensorView* tensor, std::string_view ending = ".wide") {
    if (tensor->dtype() == computed_) return tensor;
    return build::cast(fusion_, tensor, computed_, concat(name_, ending))->as<TensorView>();
  }
  TensorView* rounded(TensorView* result) {
    if (result->dtype() != dtype_) return build::cast(fusion_, result, dtype_, name_)->as<TensorView>();
    result->setName(name_);
    return result;
  }
  TensorView* op(OpKind kind, Val* a, Val* b, std::string_view ending) {
    return build::binary(fusion_, kind, a, b, concat(name_, ending))->as<TensorView>();
  }
  TensorView* op(OpKind kind, Val* a, std::string_view ending) {
    return build::unary(fusion_, kind, a, concat(name_, ending))->as<TensorView>();
  }
  // With a factor or a term of the last axes' sizes, of `like`.
  TensorView* with(std::string_view name, OpKind kind, TensorView* result, TensorView* factor, const TensorView* like,
                   size_t axes, const std::string& ending) {
    const std::vector<IntExpr> sizes = sizesOf(like);
    const std::vector<IntExpr> last(sizes.end() - static_cast<ptrdiff_t>(axes), sizes.end());
    factor = ofSizes(name, fusion_, factor->dtype(), factor, last, name_ + ending);
    return op(kind, result, wide(factor, ending + ".wide"), ending + ".done");
  }
  // Over these axes, which stay with one element each.
  TensorView* over(OpKind kind, TensorView* tensor, const std::vector<int64_t>& dims, std::string_view ending) {
    return build::reduction(fusion_, kind, tensor, dims, true, concat(name_, ending));
  }

 private:
  Fusion& fusion_;
  const std::string& name_;
  DataType dtype_, computed_;
};

// The operand in the dtype that it is converted to first, a float.
TensorView* converted(std::string_view op, Fusion& fusion, const std::vector<Val*>& operands,
                      const NamedAttributes& attributes, const std::string& name) {
  TensorView* tensor = tensorAt(operands, 0);
  const DataType dtype = attributes.dtypeOr(AttributeName::dtype, tensor->dtype());
  FUSER_USER_CHECK(isFloating(dtype), op, " of ", typeText(tensor), " takes floats: give a dtype");
  return tensor->dtype() == dtype ? tensor : build::cast(fusion, tensor, dtype, name + ".from")->as<TensorView>();
}

// An axis with no element has no greatest one, and softmax leaves it as it is.
bool hasNone(const TensorView* tensor, int64_t dim, std::string_view op) {
  return tensor->rank() > 0 && sizesOf(tensor)[axisOf(op, tensor, dim)]->isConstant(0);
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

// The elements of matrices that lie on one side of a diagonal; 0 elsewhere.
TensorView* triangle(std::string_view op, OpKind keeps, Fusion& fusion, const std::vector<Val*>& operands,
                     const NamedAttributes& attributes, const std::string& name) {
  TensorView* tensor = tensorAt(operands, 0);
  const size_t rank = tensor->rank();
  FUSER_USER_CHECK(rank >= 2, op, " of ", typeText(tensor), ": it has no two axes");
  const std::vector<IntExpr> sizes = sizesOf(tensor);
  const IntExpr zero = fusion.ints().constant(0);
  const IntExpr diagonal = attributes.has(AttributeName::diagonal) ? attributes.bound(AttributeName::diagonal) : zero;
  FUSER_USER_CHECK(diagonal->isConstant(), op, ": the diagonal is a number");
  TensorView* rows = countsAlong(fusion, diagonal->value, sizes[rank - 2], rank - 2, rank, name + ".rows");
  TensorView* columns = countsAlong(fusion, 0, sizes[rank - 1], rank - 1, rank, name + ".columns");
  Val* kept = build::binary(fusion, keeps, columns, rows, name + ".kept");
  Val* none = filling(op, fusion, fusion.newConstant(ScalarValue(int64_t{0})), tensor->dtype(), name + ".zero");
  return build::where(fusion, kept, tensor, none, name)->as<TensorView>();
}

std::vector<int64_t> dimsOf(const NamedAttributes& attributes) {
  return attributes.has(AttributeName::dims) ? attributes.axes(AttributeName::dims) : std::vector<int64_t>();
}

}  // namespace

// torch.softmax: exp(x - max) / sum(exp(x - max)).
TensorView* softmax(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                    const std::string& name) {
  TensorView* tensor = converted("softmax", fusion, operands, attributes, name);
  const int64_t dim = attributes.axis(AttributeName::dim);
  if (hasNone(tensor, dim, "softmax")) return build::set(fusion, tensor, name);
  Composite make(fusion, name, tensor->dtype());
  TensorView* x = make.wide(tensor);
  TensorView* shifted = make.op(OpKind::Sub, x, make.over(OpKind::Amax, x, {dim}, ".max"), ".shifted");
  TensorView* powers = make.op(OpKind::Exp, shifted, ".exp");
  return make.rounded(make.op(OpKind::Div, powers, make.over(OpKind::Sum, powers, {dim}, ".sum"), ".share"));
}

// torch.log_softmax: x - max - log(sum(exp(x - max))).
TensorView* logSoftmax(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                       const std::string& name) {
  TensorView* tensor = converted("log_softmax", fusion, operands, attributes, name);
  const int64_t dim = attributes.axis(AttributeName::dim);
  if (hasNone(tensor, dim, "log_softmax")) return build::set(fusion, tensor, name);
  Composite make(fusion, name, tensor->dtype());
  TensorView* x = make.wide(tensor);
  TensorView* shifted = make.op(OpKind::Sub, x, make.over(OpKind::Amax, x, {dim}, ".max"), ".shifted");
  TensorView* sum = make.over(OpKind::Sum, make.op(OpKind::Exp, shifted, ".exp"), {dim}, ".sum");
  return make.rounded(make.op(OpKind::Sub, shifted, make.op(OpKind::Log, sum, ".log"), ".result"));
}

// torch.logsumexp: log(sum(exp(x - max))) + max, without a max that is infinite.
TensorView* logSumExp(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                      const std::string& name) {
  TensorView* tensor = tensorAt(operands, 0);
  const DataType dtype = isFloating(tensor->dtype()) ? tensor->dtype() : DataType::Float;
  Composite make(fusion, name, dtype);
  TensorView* x = make.wide(tensor);
  const std::vector<int64_t>& dims = attributes.axes(AttributeName::dims);
  const bool keeps = attributes.flagOr(AttributeName::keepdim, false);
  TensorView* most = make.over(OpKind::Amax, x, dims, ".most");
  Val* infinite = fusion.newConstant(ScalarValue(HUGE_VAL));
  Val* isInfinite = make.op(OpKind::Eq, make.op(OpKind::Abs, most, ".abs"), infinite, ".infinite");
  Val* zero = fusion.newConstant(ScalarValue(0.0));
  auto* shift = build::where(fusion, isInfinite, zero, most, name + ".shift")->as<TensorView>();
  TensorView* powers = make.op(OpKind::Exp, make.op(OpKind::Sub, x, shift, ".shifted"), ".exp");
  TensorView* sum = make.over(OpKind::Sum, powers, dims, ".sum");
  TensorView* result = make.op(OpKind::Add, make.op(OpKind::Log, sum, ".log"), shift, ".kept");
  if (!keeps && tensor->rank() > 0) result = build::squeeze(fusion, result, dims, name + ".result");
  return make.rounded(result);
}

// torch.nn.functional.layer_norm: (x - mean) / sqrt(variance + eps), times a weight, plus a bias.
TensorView* layerNorm(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                      const std::string& name) {
  FUSER_USER_CHECK(operands.size() <= 3, "layer_norm takes a tensor, a weight and a bias, not ", operands.size(),
                   " operands");
  TensorView* tensor = tensorAt(operands, 0);
  FUSER_USER_CHECK(isFloating(tensor->dtype()), "layer_norm takes floats, not ", typeText(tensor));
  const std::vector<int64_t> dims = normalizedAxes("layer_norm", fusion, tensor, attributes, name);
  Composite make(fusion, name, tensor->dtype());
  TensorView* x = make.wide(tensor);
  const std::vector<Val*> moments = build::structural(
      fusion, OpKind::VarMean, {x}, Attributes().dims(dims).correction(0), {name + ".var", name + ".mean"}, true);
  TensorView* spread = make.op(OpKind::Add, moments[0], attributes.operand(AttributeName::eps), ".spread");
  TensorView* centred = make.op(OpKind::Sub, x, moments[1], ".centred");
  TensorView* result = make.op(OpKind::Mul, centred, make.op(OpKind::Rsqrt, spread, ".rsqrt"), ".normal");
  if (operands.size() > 1) {
    result = make.with("layer_norm", OpKind::Mul, result, tensorAt(operands, 1), tensor, dims.size(), ".weight");
  }
  if (operands.size() > 2) {
    result = make.with("layer_norm", OpKind::Add, result, tensorAt(operands, 2), tensor, dims.size(), ".bias");
  }
  return make.rounded(result);
}

// torch.nn.functional.rms_norm: x / sqrt(mean(x^2) + eps), times a weight. Without an eps it is that of the dtype.
TensorView* rmsNorm(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                    const std::string& name) {
  FUSER_USER_CHECK(operands.size() <= 2, "rms_norm takes a tensor and a weight, not ", operands.size(), " operands");
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
  if (operands.size() > 1) {
    result = make.with("rms_norm", OpKind::Mul, result, tensorAt(operands, 1), tensor, dims.size(), ".weight");
  }
  return make.rounded(result);
}

// torch.std: the root of a var.
TensorView* deviation(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                      const std::string& name) {
  TensorView* tensor = tensorAt(operands, 0);
  FUSER_USER_CHECK(isFloating(tensor->dtype()), "std takes floats, not ", typeText(tensor));
  Composite make(fusion, name, tensor->dtype());
  const Val* correction = attributes.operand(AttributeName::correction);
  FUSER_USER_CHECK(correction->isScalar(), "std: the correction is a number, not ", typeText(correction));
  const std::optional<ScalarValue>& literal = correction->as<Scalar>()->constant();
  const double number = literal ? literal->as<double>() : 0.5;
  const bool isWhole = number == std::floor(number) && std::abs(number) < 1e15;
  TensorView* x = make.wide(tensor);
  TensorView* squares = isWhole
                            ? build::welford(fusion, OpKind::Var, x, dimsOf(attributes), static_cast<int64_t>(number),
                                             attributes.flagOr(AttributeName::keepdim, false), {name + ".var"})[0]
                            : variance(fusion, {x}, attributes, name + ".var");
  return make.rounded(make.op(OpKind::Sqrt, squares, ".root"));
}

TensorView* triu(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                 const std::string& name) {
  return triangle("triu", OpKind::Ge, fusion, operands, attributes, name);
}

TensorView* tril(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                 const std::string& name) {
  return triangle("tril", OpKind::Le, fusion, operands, attributes, name);
}

// torch.nn.functional.one_hot: a 1 at each index along a new last axis.
TensorView* oneHot(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                   const std::string& name) {
  TensorView* indices = tensorAt(operands, 0);
  FUSER_USER_CHECK(indices->dtype() == DataType::Int64, "one_hot takes indices of i64, not ", typeText(indices));
  const auto last = static_cast<int64_t>(indices->rank());
  std::vector<IntExpr> shape = sizesOf(indices);
  shape.push_back(attributes.bound(AttributeName::num_classes));
  TensorView* places = build::unsqueeze(fusion, indices, {last}, name + ".places");
  Val *zero = fusion.newConstant(ScalarValue(int64_t{0})), *one = fusion.newConstant(ScalarValue(int64_t{1}));
  TensorView* zeros = build::full(fusion, shape, zero, DataType::Int64, name + ".zeros");
  TensorView* ones = build::full(fusion, sizesOf(places), one, DataType::Int64, name + ".ones");
  return build::structuralTensor(fusion, OpKind::Scatter, {zeros, places, ones}, Attributes().dim(last), name);
}

// torch.count_nonzero
TensorView* countNonzero(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                         const std::string& name) {
  Val* zero = fusion.newConstant(ScalarValue(int64_t{0}));
  Val* isSome = build::binary(fusion, OpKind::Ne, operands[0], zero, name + ".some");
  TensorView* ones = build::cast(fusion, isSome, DataType::Int64, name + ".ones")->as<TensorView>();
  return build::reduction(fusion, OpKind::Sum, ones, dimsOf(attributes), false, name);
}

// torch.nn.functional.glu: the first half along an axis, times the sigmoid of the second.
TensorView* glu(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                const std::string& name) {
  TensorView* tensor = tensorAt(operands, 0);
  FUSER_USER_CHECK(isFloating(tensor->dtype()), "glu takes floats, not ", typeText(tensor));
  const size_t dim = axisOf("glu", tensor, attributes.axisOr(AttributeName::dim, -1));
  std::vector<IntExpr> shape = sizesOf(tensor);
  IntExprArena& ints = fusion.ints();
  const IntExpr two = ints.constant(2);
  FUSER_USER_CHECK(!shape[dim]->isConstant() || shape[dim]->value % 2 == 0, "glu: axis ", dim, " of ", typeText(tensor),
                   " has an odd size");
  shape[dim] = ints.floorDiv(shape[dim], two);
  shape.insert(shape.begin() + static_cast<ptrdiff_t>(dim), two);
  TensorView* halves = build::reshape(fusion, tensor, shape, name + ".halves");
  Composite make(fusion, name, tensor->dtype());
  const auto half = [&](int64_t index, const char* ending) {
    const Attributes place = Attributes().dim(static_cast<int64_t>(dim)).index(ints.constant(index));
    return make.wide(build::structuralTensor(fusion, OpKind::Select, {halves}, place, name + ending),
                     concat(ending, ".wide"));
  };
  TensorView* first = half(0, ".first");
  TensorView* gate = make.op(OpKind::Sigmoid, half(1, ".second"), ".gate");
  return make.rounded(make.op(OpKind::Mul, first, gate, ".gated"));
}

}  // namespace fuser::text
