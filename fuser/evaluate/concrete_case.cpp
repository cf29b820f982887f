#include "fuser/evaluate/concrete_case.h"

#include "fuser/evaluate/check_shapes.h"
#include "fuser/evaluate/concretize.h"

namespace fuser {

std::vector<ExpressionEvaluator::InputValue> inputsOf(const RunData& data) {
  std::vector<ExpressionEvaluator::InputValue> inputs;
  for (const std::variant<size_t, ScalarValue>& input : data.inputs) {
    if (const size_t* tensor = std::get_if<size_t>(&input)) {
      inputs.emplace_back(data.tensors.at(*tensor).ref);
    } else {
      inputs.emplace_back(std::get<ScalarValue>(input));
    }
  }
  return inputs;
}

std::vector<IntExpr> onesOf(const Fusion& fusion, std::span<const ExpressionEvaluator::InputValue> inputs) {
  ExpressionEvaluator sizes(fusion);
  sizes.bindInputs(inputs);
  return checkShapes(fusion, sizes);
}

Case concreteCase(const Case& testCase, std::span<const ExpressionEvaluator::InputValue> inputs) {
  return concreteCase(testCase, onesOf(*testCase.fusion, inputs));
}

Case concreteCase(const Case& testCase, const std::vector<IntExpr>& ones) {
  Case result = cloneCase(testCase);
  if (!ones.empty() || needsConcretizing(*testCase.fusion)) result.fusion = concretize(*testCase.fusion, ones);
  return result;
}

}  // namespace fuser
