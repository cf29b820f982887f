#pragma once
// ExprEvalExecutor: evaluates a group of host scalars, the counterpart of a kernel for ExprEval segments.

#include <vector>

#include "fuser/evaluate/expression_evaluator.h"

namespace fuser {

class ExprEvalExecutor {
 public:
  // `exprs` are scalar expressions in topological order.
  explicit ExprEvalExecutor(std::vector<const Expr*> exprs) : exprs_(std::move(exprs)) {}

  // Evaluates all results; values that the evaluator knows already are not computed again.
  void run(ExpressionEvaluator& evaluator) const {
    for (const Expr* expr : exprs_) {
      for (const Val* result : expr->outputs()) evaluator.evaluate(result);
    }
  }

 private:
  std::vector<const Expr*> exprs_;
};

}  // namespace fuser
