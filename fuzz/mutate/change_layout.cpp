// ChangeLayout: another order of an input's axes in memory, or axes that are not contiguous. Strides of the runs go:
// they follow from the declaration.

#include <numeric>

#include "fuzz/mutate/mutate.h"

namespace fuser::fuzz {

bool mutateChangeLayout(Draft& draft, const Draft*, Choices& choices) {
  if (draft.inputs.empty()) return false;
  const size_t at = choices.index(draft.inputs.size());
  const DraftValue* value = draft.find("%" + draft.inputs[at].first);
  std::string& type = draft.inputs[at].second;
  if (!value || !value->tensor || value->rank == 0) return false;
  const size_t close = type.rfind(']', type.find(" {"));
  std::string axes = type.substr(0, close + 1);
  std::vector<int> order(value->rank);
  std::iota(order.begin(), order.end(), 0);
  choices.shuffle(order);
  std::string layout, contiguity;
  for (int axis : order) layout += (layout.empty() ? "allocation_order = [" : ", ") + std::to_string(axis);
  for (size_t i = 0; i < value->rank; ++i) {
    contiguity += std::string(i ? ", " : "], contiguity = [") + (choices.chance(0.3) ? "false" : "true");
  }
  // Broadcast axes have no contiguity, and the declaration must say so; such types keep the usual one.
  if (axes.find("[1,") != std::string::npos || axes.find(" 1") != std::string::npos ||
      axes.find("[1]") != std::string::npos || axes.find("1*") != std::string::npos)
    contiguity = "";
  type = axes + " {" + layout + contiguity + "]}";
  for (Run& run : draft.runs) {
    if (TensorInput* tensor = std::get_if<TensorInput>(&run.inputs.at(at).value)) tensor->strides.reset();
  }
  return true;
}

}  // namespace fuser::fuzz
