#pragma once
// The reference's values of a case's run, for tests.

#include "fuser/case/case.h"
#include "oracle/reference/reference.h"

namespace fuser::fuzz {

struct RunValues {
  RunData data;  // which the values refer to
  std::vector<std::optional<reference::Value>> values;
};

inline RunValues valuesOf(const Case& testCase, const Run& run) {
  reference::useOneThread();
  RunValues result{materialize(testCase, run), {}};
  std::vector<reference::Value> inputs;
  for (const auto& input : result.data.inputs) {
    const size_t* tensor = std::get_if<size_t>(&input);
    inputs.push_back(tensor ? reference::Value{result.data.tensors[*tensor].ref, nullptr}
                            : reference::Value{std::get<ScalarValue>(input), nullptr});
  }
  result.values = reference::evaluate(*testCase.fusion, inputs);
  return result;
}

}  // namespace fuser::fuzz
