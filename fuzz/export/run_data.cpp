#include "fuzz/export/run_data.h"

namespace fuser::fuzz {

ExpressionEvaluator boundSizes(const Case& testCase, const RunData& data) {
  std::vector<ExpressionEvaluator::InputValue> inputs;
  for (const auto& input : data.inputs) {
    if (const size_t* tensor = std::get_if<size_t>(&input)) {
      inputs.emplace_back(data.tensors[*tensor].ref);
    } else {
      inputs.emplace_back(std::get<ScalarValue>(input));
    }
  }
  ExpressionEvaluator sizes(*testCase.fusion);
  sizes.bindInputs(inputs);
  return sizes;
}

}  // namespace fuser::fuzz
