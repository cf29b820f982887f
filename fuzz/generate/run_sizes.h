#pragma once
// RunSizes: the values of extents in the runs of a case.

#include <functional>
#include <optional>
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
  // Its value in one run; nullopt where it has none, such as an overflow.
  std::optional<int64_t> of(IntExpr extent, size_t run);

 private:
  bool isKnown(IntExpr extent) const;

  const Fusion& fusion_;
  std::vector<ExpressionEvaluator> runs_;
};

}  // namespace fuser::fuzz
