// %x: bf16[i0, i1]   becomes   %x: f32[i1];   %b = exp(%a) : f32[i0 * 2]   becomes the input   %b: f32[z0]

#include <algorithm>

#include "fuzz/minimize/rebuilding.h"

namespace fuser::fuzz {
namespace {

// The order and contiguity of the axes that stay.
void keepLayout(const TensorDomain& domain, const std::vector<bool>& kept, EditInput& input) {
  for (size_t i = 0; i < domain.allocationOrder.size(); ++i) {
    const int axis = domain.allocationOrder[i];
    if (!kept.at(static_cast<size_t>(axis))) continue;
    input.allocationOrder.push_back(static_cast<int>(std::count(kept.begin(), kept.begin() + axis, true)));
    input.contiguity.push_back(domain.contiguity.at(i));
  }
}

void keepInput(Rebuilding& rebuilding, const TensorView* tensor, EditInput& input) {
  const std::vector<bool> kept = rebuilding.kept.axes(tensor);
  for (size_t i = 0; i < kept.size(); ++i) {
    if (!kept[i]) continue;
    const IterDomain* axis = tensor->axes()[i];
    const AxisOf place{tensor->id(), i};
    const IntExpr expanded = rebuilding.resized(axis->expandedExtent(), place);
    const IntExpr extent =
        axis->isBroadcast() ? rebuilding.sizeOf(axis->extent()) : rebuilding.resized(axis->extent(), place);
    // A constant that becomes 1 makes a broadcast axis, as the parser does.
    const bool becomesBroadcast = extent->isConstant(1);
    input.axes.push_back({becomesBroadcast ? IterType::Broadcast : axis->type(), extent, expanded});
  }
  input.onHost = tensor->isCpuScalar();
  if (!rebuilding.change.plainLayouts.count(tensor->id())) keepLayout(tensor->domain(), kept, input);
  for (size_t i = 0; i < input.contiguity.size(); ++i) {
    if (input.axes.at(static_cast<size_t>(input.allocationOrder[i])).type == IterType::Broadcast) {
      input.contiguity[i] = std::nullopt;
    }
  }
  rebuilding.keepPlacement(tensor);
}

// Row-major and contiguous, in no place of its own.
void makeInput(Rebuilding& rebuilding, const TensorView* tensor, EditInput& input) {
  const std::vector<bool> kept = rebuilding.kept.axes(tensor);
  for (size_t i = 0; i < kept.size(); ++i) {
    if (!kept[i]) continue;
    const IterDomain* axis = tensor->axes()[i];
    input.axes.push_back(
        {axis->type(), rebuilding.inputSizeOf(axis->extent()), rebuilding.inputSizeOf(axis->expandedExtent())});
  }
  input.onHost = tensor->isCpuScalar();
}

}  // namespace

void editInputs(Rebuilding& rebuilding) {
  std::vector<EditInput> inputs;
  for (const Val* val : rebuilding.kept.inputs()) {
    EditInput input{rebuilding.names.of(val), val->isTensor(), rebuilding.dtypeOfInput(val)};
    if (val->isTensor()) {
      const auto* tensor = val->as<TensorView>();
      val->isFusionInput() ? keepInput(rebuilding, tensor, input) : makeInput(rebuilding, tensor, input);
    }
    inputs.push_back(std::move(input));
  }
  rebuilding.edit.inputs = std::move(inputs);
}

}  // namespace fuser::fuzz
