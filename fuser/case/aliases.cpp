// The rules for in-place outputs (`alias`) and for output buffers that the caller provides (`preallocate`).

#include <algorithm>

#include "fuser/case/aliases.h"
#include "fuser/case/case.h"
#include "fuser/ir/updates.h"

namespace fuser {

std::string whyNoAlias(const Fusion& fusion, const Val* output, const Val* input) {
  if (!output->isTensor() || !output->isFusionOutput()) return concat("%", output->name(), " is not an output tensor");
  if (!input->isTensor() || !input->isFusionInput()) return concat("%", input->name(), " is not an input tensor");
  if (!output->definition()) return concat("%", output->name(), " is an input itself: return a set of it");
  if (input->isFusionOutput())
    return concat("%", input->name(), " is also returned, and would be overwritten by %", output->name());
  if (input->dtype() != output->dtype()) {
    return concat("%", output->name(), " is ", output->dtype(), ", %", input->name(), " is ", input->dtype());
  }
  const auto* to = input->as<TensorView>();
  const auto* from = output->as<TensorView>();
  if (to->rank() != from->rank()) {
    return concat("%", output->name(), " has ", from->rank(), " axes, %", input->name(), " has ", to->rank());
  }
  const std::vector<IterDomain*> axes = to->axes();
  if (std::any_of(axes.begin(), axes.end(), [](const IterDomain* axis) { return axis->isExpanded(); })) {
    return concat("%", input->name(), " has an expanded axis: its elements share memory");
  }
  if (from->domain().hasFixedLayout && from->domain().allocationOrder != to->domain().allocationOrder) {
    return concat("the type of %", output->name(), " gives another layout than that of %", input->name());
  }
  if (from->domain().view) return concat("%", output->name(), " is a view of another value");
  for (const Val* other : fusion.outputs()) {
    if (!other->isTensor()) continue;
    const auto* seen = other->as<TensorView>();
    while (seen->domain().view) seen = seen->definition()->input(0)->as<TensorView>();
    if (seen == input && other != input) {
      return concat("%", other->name(), " is a view of %", input->name(), " and would hold %", output->name());
    }
  }
  const auto alike = [&](const Val* other) { return other == output; };
  if (std::count_if(fusion.outputs().begin(), fusion.outputs().end(), alike) == 0) {
    return concat("%", output->name(), " is returned nowhere");
  }
  return "";
}

size_t indexOfNamed(const std::vector<Val*>& vals, const std::string& name) {
  for (size_t i = 0; i < vals.size(); ++i) {
    if (vals[i]->name() == name) return i;
  }
  throwUserError(concat("there is no %", name, " to alias or preallocate"));
}

std::map<size_t, Val*> aliasesIn(const Fusion& fusion, const std::vector<std::pair<std::string, std::string>>& named) {
  std::map<size_t, Val*> aliases;
  for (const auto& [output, input] : named) {
    const size_t from = indexOfNamed(fusion.outputs(), output), to = indexOfNamed(fusion.inputs(), input);
    const std::string problem = whyNoAlias(fusion, fusion.outputs()[from], fusion.inputs()[to]);
    FUSER_USER_CHECK(problem.empty(), "alias %", output, " -> %", input, ": ", problem);
    aliases[from] = fusion.inputs()[to];
  }
  return aliases;
}

std::string whyNoPreallocation(const Fusion& fusion, const Val* output) {
  const std::vector<Val*>& outputs = fusion.outputs();
  if (!output->isTensor() || std::find(outputs.begin(), outputs.end(), output) == outputs.end()) {
    return concat("%", output->name(), " is not an output tensor");
  }
  if (output->as<TensorView>()->isCpuScalar()) return concat("%", output->name(), " lies on the host");
  if (output->isFusionInput() && isUpdated(fusion, output->as<TensorView>())) {
    return concat("%", output->name(), " is an input that an update writes to");
  }
  return "";
}

}  // namespace fuser
