#pragma once
// RunSizes: the values of extents in the runs of a case.

#include <functional>
#include <vector>

#include "fuser/case/case.h"
#include "fuser/evaluate/expression_evaluator.h"

namespace fuser::fuzz {

class RunSizes {
 public:
  // The case must outlive this object.
  explicit RunSizes(const Case& testCase);

  // Whether an extent does not depend on scalars and `fits` accepts its value in every run.
  bool all(IntExpr extent, const std::function<bool(int64_t)>& fits);

 private:
  const Fusion& fusion_;
  std::vector<ExpressionEvaluator> runs_;
};

}  // namespace fuser::fuzz
