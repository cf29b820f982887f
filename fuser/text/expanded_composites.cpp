// Names of several ops that models have: softmax and its kin, deviations, masks of triangles, counts, gates.

#include <cmath>

#include "fuser/text/composite.h"

namespace fuser::text {
namespace {

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
  return make.rounded(make.root(squares));
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

namespace {

// The two halves along an axis, in what the name computes in.
std::pair<TensorView*, TensorView*> halvesOf(std::string_view op, Composite& make, TensorView* tensor,
                                             const NamedAttributes& attributes) {
  FUSER_USER_CHECK(isFloating(tensor->dtype()), op, " takes floats, not ", typeText(tensor));
  const size_t dim = axisOf(op, tensor, attributes.axisOr(AttributeName::dim, -1));
  std::vector<IntExpr> shape = sizesOf(tensor);
  IntExprArena& ints = make.fusion().ints();
  const IntExpr two = ints.constant(2);
  FUSER_USER_CHECK(!shape[dim]->isConstant() || shape[dim]->value % 2 == 0, op, ": axis ", dim, " of ",
                   typeText(tensor), " has an odd size");
  shape[dim] = ints.floorDiv(shape[dim], two);
  shape.insert(shape.begin() + static_cast<ptrdiff_t>(dim), two);
  TensorView* halves = build::reshape(make.fusion(), tensor, shape, make.named(".halves"));
  const auto half = [&](int64_t index, const char* ending) {
    const Attributes place = Attributes().dim(static_cast<int64_t>(dim)).index(ints.constant(index));
    TensorView* part = build::structuralTensor(make.fusion(), OpKind::Select, {halves}, place, make.named(ending));
    return make.wide(part, concat(ending, ".wide"));
  };
  TensorView* first = half(0, ".first");
  return {first, half(1, ".second")};
}

}  // namespace

// torch.nn.functional.glu: the first half along an axis, times the sigmoid of the second.
TensorView* glu(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                const std::string& name) {
  TensorView* tensor = tensorAt(operands, 0);
  Composite make(fusion, name, tensor->dtype());
  const auto [first, second] = halvesOf("glu", make, tensor, attributes);
  return make.rounded(make.op(OpKind::Mul, first, make.op(OpKind::Sigmoid, second, ".gate"), ".gated"));
}

// silu(a) * b, of the two halves along an axis: the gate of Shazeer, "GLU variants improve transformer" (2020).
TensorView* swiglu(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                   const std::string& name) {
  TensorView* tensor = tensorAt(operands, 0);
  Composite make(fusion, name, tensor->dtype());
  const auto [first, second] = halvesOf("swiglu", make, tensor, attributes);
  return make.rounded(make.op(OpKind::Mul, make.op(OpKind::Silu, first, ".gate"), second, ".gated"));
}

}  // namespace fuser::text
