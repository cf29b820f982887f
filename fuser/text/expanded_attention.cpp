// torch.nn.functional.scaled_dot_product_attention, as its math backend computes it.

#include <cmath>

#include "fuser/text/composite.h"

namespace fuser::text {
namespace {

// The root of the scale of the scores, by which queries and keys are multiplied each: as a literal where it is known.
Val* rootOfScale(Composite& make, TensorView* query, const NamedAttributes& attributes) {
  Fusion& fusion = make.fusion();
  if (attributes.hasOperand(AttributeName::scale)) {
    Val* scale = attributes.operand(AttributeName::scale);
    FUSER_USER_CHECK(scale->isScalar(), "scaled_dot_product_attention: scale is a number, not ", typeText(scale));
    const std::optional<ScalarValue>& literal = scale->as<Scalar>()->constant();
    if (literal) return make.real(std::sqrt(std::abs(literal->as<double>())));
    Val* size = build::unary(fusion, OpKind::Abs, scale, make.named(".scale"));
    return build::unary(fusion, OpKind::Sqrt, size, make.named(".root"));
  }
  const IntExpr size = sizesOf(query).back();
  if (size->isConstant()) return make.real(std::sqrt(1 / std::sqrt(static_cast<double>(size->value))));
  Val* number = sizeAsScalar(fusion, query, query->rank() - 1, make.named(".size"));
  Val* real = build::cast(fusion, number, DataType::Double, make.named(".number"));
  Val* root = build::unary(fusion, OpKind::Sqrt, real, make.named(".size_root"));
  Val* scale = build::binary(fusion, OpKind::Div, make.real(1), root, make.named(".scale"));
  return build::unary(fusion, OpKind::Sqrt, scale, make.named(".root"));
}

// 0 where a place is kept, minus infinity elsewhere.
TensorView* asTerm(Composite& make, Val* isKept) {
  Val* zero = make.real(0);
  auto* term = build::where(make.fusion(), isKept, zero, make.real(-HUGE_VAL), make.named(".mask"))->as<TensorView>();
  return make.wide(term, ".mask_term");
}

// Heads that several heads of the queries share, repeated for each of them.
TensorView* repeatedHeads(Composite& make, TensorView* tensor, TensorView* query, const std::string& ending) {
  FUSER_USER_CHECK(tensor->rank() >= 3 && query->rank() >= 3,
                   "scaled_dot_product_attention with enable_gqa takes at least 3 axes, not ", typeText(tensor));
  IntExprArena& ints = make.fusion().ints();
  std::vector<IntExpr> sizes = sizesOf(tensor);
  const size_t heads = sizes.size() - 3;
  const IntExpr asked = sizesOf(query)[query->rank() - 3];
  if (sizes[heads] == asked) return tensor;
  TensorView* each = build::unsqueeze(make.fusion(), tensor, {static_cast<int64_t>(heads) + 1}, make.named(ending));
  std::vector<IntExpr> shape = sizesOf(each);
  shape[heads + 1] = ints.floorDiv(asked, sizes[heads]);
  each = build::expand(make.fusion(), each, shape, make.named(ending + ".each"));
  sizes[heads] = asked;
  return build::reshape(make.fusion(), each, sizes, make.named(ending + ".heads"));
}

TensorView* softmaxOfAll(Fusion& fusion, TensorView* scores, const std::string& name) {
  NamedAttributes last;
  last.set(AttributeName::dim, Attributes().setAxis(AttributeName::dim, -1));
  return softmax(fusion, {scores}, last, name + ".weights");
}

// A softmax whose weights are 0 in rows of minus infinity alone. Those have 0 in place of their maximum and 1 in place
// of their sum, so that no NaN arises, which would reach the gradient.
TensorView* weightsOfKept(Composite& make, TensorView* scores) {
  if (sizesOf(scores).back()->isConstant(0)) return scores;  // no place has a weight, and no maximum
  Fusion& fusion = make.fusion();
  const auto ofRows = [&](OpKind op, TensorView* tensor, const char* ending) {
    return build::reduction(fusion, op, tensor, {-1}, false, make.named(ending));
  };
  const auto besideEach = [&](TensorView* rows, const char* ending) {
    return build::unsqueeze(fusion, rows, {static_cast<int64_t>(rows->rank())}, make.named(ending));
  };
  TensorView* most = ofRows(OpKind::Amax, scores, ".most");
  TensorView* none = make.op(OpKind::Eq, most, make.real(-HUGE_VAL), ".none");
  TensorView* shift = besideEach(make.where(none, make.real(0), most, ".finite"), ".shift");
  TensorView* powers = make.op(OpKind::Exp, make.op(OpKind::Sub, scores, shift, ".shifted"), ".exp");
  TensorView* sum = make.where(none, make.real(1), ofRows(OpKind::Sum, powers, ".sum"), ".positive");
  return make.op(OpKind::Div, powers, besideEach(sum, ".divisor"), ".weights");
}

}  // namespace

// softmax(q k^T * scale + mask) v. Rows of which the mask keeps nothing have weights of 0, as PyTorch's have.
TensorView* attention(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                      const std::string& name) {
  constexpr std::string_view kName = "scaled_dot_product_attention";
  FUSER_USER_CHECK(operands.size() == 3 || operands.size() == 4, kName, " takes queries, keys, values and a mask, not ",
                   operands.size(), " operands");
  TensorView* query = tensorAt(operands, 0);
  FUSER_USER_CHECK(isFloating(query->dtype()), kName, " takes floats, not ", typeText(query));
  for (size_t i = 0; i < 3; ++i) {
    FUSER_USER_CHECK(operands[i]->dtype() == query->dtype(), kName, " of ", typeText(query), " and ",
                     typeText(operands[i]), ": insert a cast");
    FUSER_USER_CHECK(tensorAt(operands, i)->rank() >= 2, kName, ": ", typeText(operands[i]), " has no two axes");
  }
  Composite make(fusion, name, query->dtype());
  TensorView *keys = tensorAt(operands, 1), *values = tensorAt(operands, 2);
  if (attributes.flagOr(AttributeName::enable_gqa, false)) {
    keys = repeatedHeads(make, keys, query, ".keys");
    values = repeatedHeads(make, values, query, ".values");
  }
  Val* root = rootOfScale(make, query, attributes);
  TensorView* q = make.op(OpKind::Mul, make.wide(query, ".q"), root, ".queries");
  if (attributes.hasOperand(AttributeName::scale)) {
    const std::optional<ScalarValue>& literal = attributes.operand(AttributeName::scale)->as<Scalar>()->constant();
    if (literal && literal->as<double>() < 0) q = make.op(OpKind::Neg, q, ".opposite");
    if (!literal)
      q = make.op(OpKind::Mul, q,
                  build::unary(fusion, OpKind::Sign, attributes.operand(AttributeName::scale), name + ".sign"),
                  ".signed");
  }
  TensorView* k = make.op(OpKind::Mul, make.wide(keys, ".k"), root, ".scaled_keys");
  std::vector<int64_t> order;
  for (size_t axis = 0; axis < k->rank(); ++axis) order.push_back(static_cast<int64_t>(axis));
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  k = build::permute(fusion, k, order, name + ".columns");
  TensorView* scores = matmul(fusion, {q, k}, {}, name + ".scores");
  TensorView* mask = optionalTensor(kName, operands, 3, attributes, AttributeName::attn_mask);
  const bool isCausal = attributes.flagOr(AttributeName::is_causal, false);
  FUSER_USER_CHECK(!mask || !isCausal, kName, ": a mask beside is_causal");
  if (isCausal) {
    const size_t rank = scores->rank();
    TensorView* rows = countsAlong(fusion, 0, sizesOf(scores)[rank - 2], rank - 2, rank, name + ".rows");
    TensorView* columns = countsAlong(fusion, 0, sizesOf(scores)[rank - 1], rank - 1, rank, name + ".places");
    scores = make.op(OpKind::Add, scores, asTerm(make, make.op(OpKind::Ge, rows, columns, ".seen")), ".masked");
  } else if (mask) {
    TensorView* term = mask->dtype() == DataType::Bool ? asTerm(make, mask) : make.wide(mask, ".mask");
    scores = make.op(OpKind::Add, scores, term, ".masked");
  }
  TensorView* weights = mask || isCausal ? weightsOfKept(make, scores) : softmaxOfAll(fusion, scores, name);
  if (attributes.hasOperand(AttributeName::dropout_p)) {
    NamedAttributes drawn;
    drawn.setOperand(AttributeName::p, attributes.operand(AttributeName::dropout_p));
    drawn.setOperand(AttributeName::seed, attributes.operand(AttributeName::seed));
    drawn.setOperand(AttributeName::offset, attributes.operand(AttributeName::offset));
    weights = dropout(fusion, {weights}, drawn, name + ".dropped");
  }
  return make.rounded(matmul(fusion, {weights, make.wide(values, ".v")}, {}, name + ".result"));
}

}  // namespace fuser::text
