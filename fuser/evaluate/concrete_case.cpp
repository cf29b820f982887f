#include "fuser/evaluate/concrete_case.h"

#include "fuser/evaluate/check_shapes.h"
#include "fuser/evaluate/concretize.h"

namespace fuser {

std::vector<IntExpr> onesOf(const Fusion& fusion, std::span<const ExpressionEvaluator::InputValue> inputs) {
  ExpressionEvaluator sizes(fusion);
  sizes.bindInputs(inputs);
  return checkShapes(fusion, sizes);
}

Case concreteCase(const Case& testCase, std::span<const ExpressionEvaluator::InputValue> inputs) {
  const std::vector<IntExpr> ones = onesOf(*testCase.fusion, inputs);
  Case result = cloneCase(testCase);
  if (!ones.empty() || needsConcretizing(*testCase.fusion)) result.fusion = concretize(*testCase.fusion, ones);
  return result;
}

}  // namespace fuser
