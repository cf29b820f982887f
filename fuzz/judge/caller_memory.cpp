// The arguments of runs, and whether a run left the memory around them alone.

#include "fuzz/judge/caller_memory.h"

#include <algorithm>

namespace fuser::fuzz {

ExpressionEvaluator bindSizes(const Case& testCase, const std::vector<HostValue>& inputs) {
  ExpressionEvaluator sizes(*testCase.fusion);
  sizes.bindInputs(inputs);
  return sizes;
}

RunArguments argumentsOf(const Case& testCase, const Run& run, const std::vector<HostValue>& inputs,
                         ExpressionEvaluator& sizes, CallerMemory& data, size_t maxBytes) {
  RunArguments arguments{inputs, sizes, {}};
  if (!testCase.aliases.empty()) {
    data.copies.push_back(materialize(testCase, run, maxBytes));
    arguments.inputs = hostValues(data.copies.back());
  }
  if (!testCase.preallocated.empty()) {
    data.outputs.push_back(outputMemory(testCase, sizes, maxBytes));
    arguments.outputs = data.outputs.back().refs;
  }
  return arguments;
}

RunRecord runWith(FusionExecutorCache& cache, const RunArguments& arguments) {
  return cache.run(arguments.inputs, arguments.sizes, arguments.outputs);
}

std::string strayWrite(const Case& testCase, const CallerMemory& data) {
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
