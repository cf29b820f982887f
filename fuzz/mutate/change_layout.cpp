// ChangeLayout: another order of an input's axes in memory, or axes that are not contiguous. Strides of the runs go:
// they follow from the declaration.

#include <algorithm>
#include <numeric>

#include "fuzz/mutate/mutate.h"

namespace fuser::fuzz {

bool mutateChangeLayout(CaseEdit& edit, const CaseEdit*, Choices& choices) {
  if (edit.inputs.empty()) return false;
  const size_t at = choices.index(edit.inputs.size());
  EditInput& input = edit.inputs[at];
  if (input.axes.empty()) return false;
  input.allocationOrder.resize(input.axes.size());
  std::iota(input.allocationOrder.begin(), input.allocationOrder.end(), 0);
  choices.shuffle(input.allocationOrder);
  input.contiguity.clear();
  for (size_t i = 0; i < input.axes.size(); ++i) input.contiguity.emplace_back(!choices.chance(0.3));
  // Broadcast axes have no contiguity, and the declaration must say so; such types keep the usual one.
  const auto isBroadcast = [](const AxisType& axis) { return axis.type == IterType::Broadcast; };
  if (std::any_of(input.axes.begin(), input.axes.end(), isBroadcast)) {
    for (size_t i = 0; i < input.axes.size(); ++i) {
      const bool none = isBroadcast(input.axes[static_cast<size_t>(input.allocationOrder[i])]);
      input.contiguity[i] = none ? std::nullopt : std::optional<bool>(true);
    }
  }
  for (Run& run : edit.runs) {
    if (TensorInput* tensor = std::get_if<TensorInput>(&run.inputs.at(at).value)) tensor->strides.reset();
  }
  return true;
}

}  // namespace fuser::fuzz
