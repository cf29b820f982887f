// Products of vectors and matrices: sums of a `mul` whose operands are broadcast to each other. 16 bits are computed in
// f32 and rounded once, as an epilogue of the same kernel is; integers in i64, which wraps as theirs do.

#include "fuser/ir/builder.h"
#include "fuser/ir/infer.h"
#include "fuser/ir/view_axes.h"
#include "fuser/support/check.h"
#include "fuser/text/composite.h"
#include "fuser/text/expansions.h"

namespace fuser::text {
namespace {

// One node of the text, which computes in a dtype that may be wider than that of its operands.
class Product {
 public:
  Product(std::string_view op, Fusion& fusion, const std::vector<Val*>& operands, const std::string& name)
      : op_(op), fusion_(fusion), name_(name), dtype_(operands.at(0)->dtype()) {
    FUSER_USER_CHECK(dtype_ != DataType::Bool, op, " does not take bool");
    for (const Val* operand : operands) {
      FUSER_USER_CHECK(operand->dtype() == dtype_, op, " of ", typeText(operands[0]), " and ", typeText(operand),
                       ": insert a cast");
    }
    if (!isFloating(dtype_)) computed_ = DataType::Int64;
    if (dtype_ == DataType::Double) computed_ = DataType::Double;
  }

  // The product of the last two axes, or the only one, along `a`'s last and `b`'s last but one.
  TensorView* of(TensorView* a, TensorView* b) {
    FUSER_USER_CHECK(a->rank() > 0 && b->rank() > 0, op_, " of ", typeText(a), " and ", typeText(b),
                     ": each has an axis at least");
    const bool ofMatrices = a->rank() > 1 && b->rank() > 1;
    const size_t rows = b->rank() > 1 ? b->rank() - 2 : 0;
    b = withSize(b, rows, sizesOf(a).back());
    a = wide(a, ".a");
    b = wide(b, ".b");
    if (b->rank() > 1) {
      std::vector<int64_t> order;
      for (size_t axis = 0; axis < b->rank(); ++axis) order.push_back(static_cast<int64_t>(axis));
      std::swap(order[rows], order[rows + 1]);
      b = build::permute(fusion_, b, order, name_ + ".columns");
    }
    if (ofMatrices) {
      a = build::unsqueeze(fusion_, a, {static_cast<int64_t>(a->rank()) - 1}, name_ + ".left");
      b = build::unsqueeze(fusion_, b, {static_cast<int64_t>(b->rank()) - 2}, name_ + ".right");
    }
    auto* terms = build::binary(fusion_, OpKind::Mul, a, b, name_ + ".terms")->as<TensorView>();
    return build::reduction(fusion_, OpKind::Sum, terms, {-1}, false, name_ + ".product");
  }

  // beta * added + alpha * product. Where beta is 0, nothing of `added` counts but that its sizes fit.
  TensorView* with(TensorView* added, TensorView* product, Val* beta, Val* alpha) {
    for (const Val* factor : {beta, alpha}) {
      FUSER_USER_CHECK(isFloating(dtype_) || !isFloating(factor->dtype()), op_, ": a floating factor beside integers");
    }
    const std::vector<IntExpr> sizes = sizesOf(product);
    if (!isLiteral(alpha, 1)) {
      product = build::binary(fusion_, OpKind::Mul, product, alpha, name_ + ".scaled")->as<TensorView>();
    }
    if (added->rank() < sizes.size()) {
      std::vector<int64_t> front;
      for (size_t axis = added->rank(); axis < sizes.size(); ++axis)
        front.push_back(static_cast<int64_t>(front.size()));
      added = build::unsqueeze(fusion_, added, front, name_ + ".row");
    }
    if (sizesOf(added) != sizes) added = build::expand(fusion_, added, sizes, name_ + ".rows");
    if (isLiteral(beta, 0)) return product;
    added = wide(added, ".c");
    if (!isLiteral(beta, 1)) {
      Val* scaled = build::binary(fusion_, OpKind::Mul, added, beta, name_ + ".added");
      if (!beta->as<Scalar>()->constant()) {
        Val* zero = fusion_.newConstant(ScalarValue(int64_t{0}));
        Val* isZero = build::binary(fusion_, OpKind::Eq, beta, zero, name_ + ".none");
        scaled = build::where(fusion_, isZero, zero, scaled, name_ + ".counted");
      }
      added = scaled->as<TensorView>();
    }
    return build::binary(fusion_, OpKind::Add, product, added, name_ + ".sum")->as<TensorView>();
  }

  // In the operands' dtype, under the text's name.
  TensorView* rounded(TensorView* result) {
    if (result->dtype() != dtype_) return build::cast(fusion_, result, dtype_, name_)->as<TensorView>();
    result->setName(name_);
    return result;
  }

  // Refuses other sizes than this one, 1 among them.
  TensorView* withSize(TensorView* tensor, size_t axis, IntExpr size) {
    std::vector<IntExpr> sizes = sizesOf(tensor);
    if (sizes[axis] == size) return tensor;
    sizes[axis] = size;
    return ofSizes(op_, fusion_, dtype_, tensor, sizes, concat(name_, ".axis", axis));
  }

 private:
  static bool isLiteral(const Val* val, double number) {
    const std::optional<ScalarValue>& literal = val->as<Scalar>()->constant();
    return literal && literal->as<double>() == number;
  }

  TensorView* wide(TensorView* tensor, const char* ending) {
    if (tensor->dtype() == computed_) return tensor;
    return build::cast(fusion_, tensor, computed_, name_ + ending)->as<TensorView>();
  }

  std::string_view op_;
  Fusion& fusion_;
  const std::string& name_;
  DataType dtype_, computed_ = DataType::Float;
};

void checkRanks(std::string_view op, const std::vector<Val*>& operands, std::initializer_list<size_t> ranks) {
  FUSER_USER_CHECK(operands.size() == ranks.size(), op, " takes ", ranks.size(), " operands, not ", operands.size());
  size_t i = 0;
  for (size_t rank : ranks) {
    const Val* operand = operands[i++];
    FUSER_USER_CHECK(operand->as<TensorView>()->rank() == rank, op, ": operand ", i, " is ", typeText(operand),
                     ", and not of ", rank, rank == 1 ? " axis" : " axes");
  }
}

TensorView* plain(std::string_view op, Fusion& fusion, const std::vector<Val*>& operands, const std::string& name) {
  Product product(op, fusion, operands, name);
  return product.rounded(product.of(tensorAt(operands, 0), tensorAt(operands, 1)));
}

// beta * c + alpha * product, of a product of operands of these ranks.
TensorView* added(std::string_view op, std::initializer_list<size_t> ranks, Fusion& fusion,
                  const std::vector<Val*>& operands, const NamedAttributes& attributes, const std::string& name) {
  FUSER_USER_CHECK(operands.size() == 3, op, " takes 3 operands, not ", operands.size());
  checkRanks(op, {operands[1], operands[2]}, ranks);
  Product product(op, fusion, operands, name);
  TensorView* b = tensorAt(operands, 2);
  if (b->rank() == 3) b = product.withSize(b, 0, sizesOf(tensorAt(operands, 1))[0]);
  TensorView* sum = product.of(tensorAt(operands, 1), b);
  return product.rounded(product.with(tensorAt(operands, 0), sum, attributes.operand(AttributeName::beta),
                                      attributes.operand(AttributeName::alpha)));
}

}  // namespace

// torch.matmul: batches are broadcast to each other; a vector is a row on the left, and a column on the right.
TensorView* matmul(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes&, const std::string& name) {
  return plain("matmul", fusion, operands, name);
}

TensorView* mm(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes&, const std::string& name) {
  checkRanks("mm", operands, {2, 2});
  return plain("mm", fusion, operands, name);
}

TensorView* mv(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes&, const std::string& name) {
  checkRanks("mv", operands, {2, 1});
  return plain("mv", fusion, operands, name);
}

TensorView* dot(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes&, const std::string& name) {
  checkRanks("dot", operands, {1, 1});
  return plain("dot", fusion, operands, name);
}

// As many matrices on either side: none is repeated.
TensorView* bmm(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes&, const std::string& name) {
  checkRanks("bmm", operands, {3, 3});
  Product product("bmm", fusion, operands, name);
  TensorView* a = tensorAt(operands, 0);
  return product.rounded(product.of(a, product.withSize(tensorAt(operands, 1), 0, sizesOf(a)[0])));
}

TensorView* outer(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes&, const std::string& name) {
  checkRanks("outer", operands, {1, 1});
  TensorView* column = build::unsqueeze(fusion, tensorAt(operands, 0), {1}, name + ".column");
  TensorView* row = build::unsqueeze(fusion, tensorAt(operands, 1), {0}, name + ".row");
  return build::binary(fusion, OpKind::Mul, column, row, name)->as<TensorView>();
}

// torch.nn.functional.linear: the weights have a row for each result.
TensorView* linear(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                   const std::string& name) {
  FUSER_USER_CHECK(operands.size() == 2 || operands.size() == 3, "linear takes a tensor, weights and a bias, not ",
                   operands.size(), " operands");
  TensorView* bias = optionalTensor("linear", operands, 2, attributes, AttributeName::bias);
  std::vector<Val*> all{operands[0], operands[1]};
  if (bias) all.push_back(bias);
  Product product("linear", fusion, all, name);
  TensorView* weights = tensorAt(operands, 1);
  FUSER_USER_CHECK(weights->rank() == 1 || weights->rank() == 2, "linear: the weights are ", typeText(weights),
                   ", and have 1 or 2 axes");
  FUSER_USER_CHECK(!bias || weights->rank() == 2, "linear: weights of one axis take no bias");
  if (weights->rank() == 2) weights = build::permute(fusion, weights, {1, 0}, name + ".weights");
  TensorView* sum = product.of(tensorAt(operands, 0), weights);
  if (!bias) return product.rounded(sum);
  Val* one = fusion.newConstant(ScalarValue(int64_t{1}));
  return product.rounded(product.with(bias, sum, one, one));
}

TensorView* addmm(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                  const std::string& name) {
  return added("addmm", {2, 2}, fusion, operands, attributes, name);
}

TensorView* addmv(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                  const std::string& name) {
  return added("addmv", {2, 1}, fusion, operands, attributes, name);
}

TensorView* baddbmm(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                    const std::string& name) {
  return added("baddbmm", {3, 3}, fusion, operands, attributes, name);
}

}  // namespace fuser::text
