#include "fuzz/export/run_data.h"

namespace fuser::fuzz {

std::vector<ExpressionEvaluator::InputValue> inputsOf(const RunData& data) {
  std::vector<ExpressionEvaluator::InputValue> inputs;
  for (const auto& input : data.inputs) {
    if (const size_t* tensor = std::get_if<size_t>(&input)) {
      inputs.emplace_back(data.tensors[*tensor].ref);
    } else {
      inputs.emplace_back(std::get<ScalarValue>(input));
    }
  }
  return inputs;
}

ExpressionEvaluator boundSizes(const Case& testCase, const RunData& data) {
  ExpressionEvaluator sizes(*testCase.fusion);
  sizes.bindInputs(inputsOf(data));
  return sizes;
}

}  // namespace fuser::fuzz
