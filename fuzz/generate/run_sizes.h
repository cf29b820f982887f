#pragma once
// The sizes that the runs of a case give to extents.

#include <functional>
#include <vector>

#include "fuser/case/case.h"
#include "fuser/evaluate/expression_evaluator.h"

namespace fuser::fuzz {

class RunSizes {
 public:
  // The case must outlive this.
  explicit RunSizes(const Case& testCase);

  // Whether an extent is known without the values of scalars, and fits in every run.
  bool all(IntExpr extent, const std::function<bool(int64_t)>& fits);

 private:
  const Fusion& fusion_;
  std::vector<ExpressionEvaluator> runs_;
};

}  // namespace fuser::fuzz
