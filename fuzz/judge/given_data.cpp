// What runs are given, and whether they left the memory around it alone.

#include "fuzz/judge/given_data.h"

#include <algorithm>

namespace fuser::fuzz {

ExpressionEvaluator bindSizes(const Case& testCase, const std::vector<HostValue>& inputs) {
  ExpressionEvaluator sizes(*testCase.fusion);
  sizes.bindInputs(inputs);
  return sizes;
}

GivenRun givenTo(const Case& testCase, const Run& run, const std::vector<HostValue>& inputs,
                 ExpressionEvaluator& sizes, GivenData& data, size_t maxBytes) {
  GivenRun given{inputs, sizes, {}};
  if (!testCase.aliases.empty()) {
    data.copies.push_back(materialize(testCase, run, maxBytes));
    given.inputs = hostValues(data.copies.back());
  }
  if (!testCase.preallocated.empty()) {
    data.outputs.push_back(outputMemory(testCase, sizes, maxBytes));
    given.outputs = data.outputs.back().refs;
  }
  return given;
}

RunRecord runGiven(FusionExecutorCache& cache, const GivenRun& given) {
  return cache.run(given.inputs, given.sizes, given.outputs);
}

std::string problemBesideGiven(const Case& testCase, const GivenData& data) {
  for (const OutputMemory& memory : data.outputs) {
    for (size_t i = 0; i < memory.blocks.size(); ++i) {
      if (keptPoison(memory.blocks[i])) continue;
      return concat("a run wrote beside the memory given for output %", testCase.preallocated[i].output);
    }
  }
  for (const RunData& copy : data.copies) {
    for (const TensorData& tensor : copy.tensors) {
      // What lies in another input's memory has no gaps of its own.
      const auto inSameMemory = [&](const TensorData& other) { return other.memory == tensor.memory; };
      if (std::count_if(copy.tensors.begin(), copy.tensors.end(), inSameMemory) > 1 || keptPoison(tensor)) continue;
      return "a run wrote between the elements of an input, of which outputs overwrite some";
    }
  }
  return "";
}

}  // namespace fuser::fuzz
