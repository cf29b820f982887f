#pragma once
// An expression, with the sizes of one run: what formats read that have sizes as literals.

#include <vector>

#include "fuser/evaluate/expression_evaluator.h"
#include "fuser/ir/expr.h"

namespace fuser::fuzz {

class ExprInRun {
 public:
  ExprInRun(const Expr* expr, ExpressionEvaluator& sizes) : expr_(expr), sizes_(sizes) {}

  size_t which = 0;  // of the results is being written

  const Expr* expr() const { return expr_; }
  const Attributes& attributes() const { return expr_->attributes(); }
  DataType dtype() const { return expr_->output(which)->dtype(); }

  int64_t evaluated(IntExpr expr) const { return sizes_.evaluate(expr); }
  std::vector<int64_t> evaluatedAll(const std::vector<IntExpr>& exprs) const {
    std::vector<int64_t> numbers;
    for (IntExpr expr : exprs) numbers.push_back(evaluated(expr));
    return numbers;
  }

  // A scalar has none.
  std::vector<int64_t> sizesOf(const Val* val) const {
    if (val->isScalar()) return {};
    const Dims sizes = sizes_.sizes(val->as<TensorView>());
    return {sizes.begin(), sizes.end()};
  }
  std::vector<int64_t> sizesOfOperand(size_t i = 0) const { return sizesOf(expr_->input(i)); }
  std::vector<int64_t> sizesOfResult() const { return sizesOf(expr_->output(which)); }

  // Of a reduction, the number of terms of an element.
  int64_t terms() const {
    const std::vector<int64_t> sizes = sizesOfOperand();
    int64_t terms = 1;
    for (int64_t dim : attributes().dims()) terms *= sizes[static_cast<size_t>(dim)];
    return terms;
  }

  // The number that operand i is in the fusion's text; nullptr: it is no literal.
  const ScalarValue* literal(size_t i) const {
    const Val* val = expr_->input(i);
    const Scalar* scalar = val->isScalar() ? val->as<Scalar>() : nullptr;
    return scalar != nullptr && scalar->isConstant() ? &*scalar->constant() : nullptr;
  }

 private:
  const Expr* expr_;
  ExpressionEvaluator& sizes_;
};

}  // namespace fuser::fuzz
