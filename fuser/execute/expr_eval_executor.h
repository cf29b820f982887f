#pragma once
// ExprEvalExecutor: runs a group of host scalars.

#include <vector>

#include "fuser/evaluate/expression_evaluator.h"

namespace fuser {

class ExprEvalExecutor {
 public:
  // Scalar expressions in topological order.
  explicit ExprEvalExecutor(std::vector<const Expr*> exprs) : exprs_(std::move(exprs)) {}

  // Every result is known to the evaluator afterwards; what it knew already is not computed again.
  void run(ExpressionEvaluator& evaluator) const {
    for (const Expr* expr : exprs_) {
      for (const Val* result : expr->outputs()) evaluator.evaluate(result);
    }
  }

 private:
  std::vector<const Expr*> exprs_;
};

}  // namespace fuser
