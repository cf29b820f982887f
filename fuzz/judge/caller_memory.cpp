// The arguments of runs, and whether a run left the memory around them alone.

#include "fuzz/judge/caller_memory.h"

#include <algorithm>

#include "fuzz/judge/same_bits.h"

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

std::vector<uint64_t> hashes(const RunData& data) {
  std::vector<uint64_t> all;
  for (const TensorData& tensor : data.tensors) all.push_back(memoryHash(tensor.ref));
  return all;
}

bool keptInputs(const Case& testCase, const std::vector<uint64_t>& before, const std::vector<uint64_t>& after,
                const RunData& data) {
  for (size_t i = 0; i < data.inputs.size(); ++i) {
    const size_t* tensor = std::get_if<size_t>(&data.inputs[i]);
    const std::string& name = testCase.fusion->inputs()[i]->name();
    const bool isAliased = std::any_of(testCase.aliases.begin(), testCase.aliases.end(),
                                       [&](const auto& alias) { return alias.second == name; });
    if (tensor && !isAliased && before[*tensor] != after[*tensor]) return false;
  }
  return true;
}

}  // namespace fuser::fuzz
