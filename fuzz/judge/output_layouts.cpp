#include "fuzz/judge/output_layouts.h"

#include <algorithm>

#include "fuser/host_run/tensor_memory.h"

namespace fuser::fuzz {

std::string wrongLayout(const Case& testCase, const RunRecord& record) {
  const std::vector<Val*>& outputs = testCase.fusion->outputs();
  for (size_t i = 0; i < outputs.size(); ++i) {
    const TensorRef* ref = std::get_if<TensorRef>(&record.outputs.at(i));
    const TensorView* tensor = ref ? outputs[i]->as<TensorView>() : nullptr;
    if (!tensor || !tensor->domain().hasFixedLayout || numel(ref->sizes) == 0) continue;
    const bool overwrites = std::any_of(testCase.aliases.begin(), testCase.aliases.end(),
                                        [&](const auto& alias) { return alias.first == tensor->name(); });
    const bool isPreallocated = std::any_of(testCase.preallocated.begin(), testCase.preallocated.end(),
                                            [&](const auto& memory) { return memory.output == tensor->name(); });
    if (overwrites || isPreallocated) continue;
    const Dims wanted = denseStrides(tensor, ref->sizes);
    for (size_t axis = 0; axis < wanted.size(); ++axis) {
      if (ref->sizes[axis] == 1 || ref->strides[axis] == wanted[axis]) continue;
      return concat("output %", tensor->name(), " has strides ", ref->strides, ", its type says ", wanted);
    }
  }
  return "";
}

}  // namespace fuser::fuzz
