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

RunDecisions decisionsOf(const Fusion& fusion, std::span<const ExpressionEvaluator::InputValue> inputs) {
  ExpressionEvaluator sizes(fusion);
  sizes.allowLongSums();  // nothing is computed here; a run refuses them
  sizes.bindInputs(inputs);
  return checkShapes(fusion, sizes);
}

Case concreteCase(const Case& testCase, std::span<const ExpressionEvaluator::InputValue> inputs) {
  return concreteCase(testCase, decisionsOf(*testCase.fusion, inputs));
}

Case concreteCase(const Case& testCase, const RunDecisions& decisions) {
  Case result = cloneCase(testCase);
  if (!decisions.empty() || needsConcretizing(*testCase.fusion)) {
    result.fusion = concretize(*testCase.fusion, decisions);
  }
  return result;
}

}  // namespace fuser
