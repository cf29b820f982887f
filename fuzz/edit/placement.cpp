// What tensors keep of where they were.

#include "fuzz/edit/placement.h"

#include <algorithm>

namespace fuser::fuzz {
namespace {

std::vector<IterType> typesOf(const TensorView* tensor) {
  std::vector<IterType> types;
  for (const IterDomain* axis : tensor->axes()) types.push_back(axis->type());
  return types;
}

// `axis` counted among those keptAxes; nullopt where it is not.
std::optional<size_t> placeAmong(const std::vector<bool>& keptAxes, std::optional<size_t> axis) {
  if (!axis || !keptAxes.at(*axis)) return std::nullopt;
  return static_cast<size_t>(std::count(keptAxes.begin(), keptAxes.begin() + static_cast<std::ptrdiff_t>(*axis), true));
}

void placeAxis(TensorView* tensor, std::optional<size_t> axis, ParallelType type) {
  if (axis && tensor->axes().at(*axis)->isIteration()) tensor->axes()[*axis]->parallelize(type);
}

// A result is contiguous in its order.
void placeLayout(TensorView* tensor, const TensorPlacement& placement) {
  TensorDomain& domain = tensor->domain();
  domain.view = placement.view;
  if (placement.allocationOrder.empty()) return;
  const std::vector<IterDomain*> axes = tensor->axes();
  domain.allocationOrder = placement.allocationOrder;
  domain.contiguity.clear();
  for (int axis : domain.allocationOrder) {
    domain.contiguity.push_back(axes.at(static_cast<size_t>(axis))->isBroadcast() ? std::nullopt
                                                                                  : std::optional<bool>(true));
  }
  domain.hasFixedLayout = true;
}

const Val* named(const std::vector<Val*>& vals, const std::string& name) {
  const auto found = std::find_if(vals.begin(), vals.end(), [&](const Val* val) { return val->name() == name; });
  return found == vals.end() ? nullptr : *found;
}

}  // namespace

TensorPlacement placementOf(const TensorView* tensor) {
  TensorPlacement placement;
  placement.axes = typesOf(tensor);
  if (tensor->domain().hasFixedLayout && tensor->definition()) {
    placement.allocationOrder = tensor->domain().allocationOrder;
  }
  placement.view = tensor->domain().view;
  placement.streamAxis = tensor->streamAxis();
  const std::vector<IterDomain*> axes = tensor->axes();
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    if (axes[axis]->parallelType() == ParallelType::DIDx) placement.shardAxis = axis;
  }
  placement.mesh = tensor->domain().mesh;
  return placement;
}

TensorPlacement withAxes(const TensorPlacement& placement, const std::vector<bool>& keptAxes) {
  TensorPlacement left = placement;
  left.axes.clear();
  left.allocationOrder.clear();
  for (size_t axis = 0; axis < keptAxes.size(); ++axis) {
    if (keptAxes[axis]) left.axes.push_back(placement.axes.at(axis));
  }
  for (int axis : placement.allocationOrder) {
    if (const auto place = placeAmong(keptAxes, static_cast<size_t>(axis))) {
      left.allocationOrder.push_back(static_cast<int>(*place));
    }
  }
  left.streamAxis = placeAmong(keptAxes, placement.streamAxis);
  left.shardAxis = placeAmong(keptAxes, placement.shardAxis);
  return left;
}

void applyPlacement(TensorView* tensor, const TensorPlacement& placement) {
  if (tensor->fusion().mesh().containsAll(placement.mesh)) tensor->domain().mesh = placement.mesh;
  if (tensor->rank() != placement.axes.size()) return;
  if (tensor->fusion().hasDevices()) placeAxis(tensor, placement.shardAxis, ParallelType::DIDx);
  if (!tensor->definition()) return;
  placeAxis(tensor, placement.streamAxis, ParallelType::Stream);
  if (typesOf(tensor) == placement.axes) placeLayout(tensor, placement);
}

void attachMemory(Case& testCase, const Aliases& aliases, const std::vector<PreallocatedOutput>& buffers) {
  const Fusion& fusion = *testCase.fusion;
  if (fusion.hasDevices()) return;
  for (const auto& alias : aliases) {
    const Val* output = named(fusion.outputs(), alias.first);
    const Val* input = named(fusion.inputs(), alias.second);
    const bool isAliased = std::any_of(testCase.aliases.begin(), testCase.aliases.end(), [&](const auto& other) {
      return other.first == alias.first || other.second == alias.second;
    });
    if (output && input && !isAliased && whyNoAlias(fusion, output, input).empty()) testCase.aliases.push_back(alias);
  }
  for (PreallocatedOutput memory : buffers) {
    const Val* output = named(fusion.outputs(), memory.output);
    const bool reuses = std::any_of(testCase.aliases.begin(), testCase.aliases.end(),
                                    [&](const auto& alias) { return alias.first == memory.output; });
    const bool hasBuffer = std::any_of(testCase.preallocated.begin(), testCase.preallocated.end(),
                                       [&](const PreallocatedOutput& other) { return other.output == memory.output; });
    if (!output || reuses || hasBuffer || !whyNoPreallocation(fusion, output).empty()) continue;
    // The axes of order and gaps may be gone.
    const size_t rank = output->as<TensorView>()->rank();
    if (memory.order.size() != rank) memory.order.clear();
    if (memory.gaps.size() != rank) memory.gaps.clear();
    testCase.preallocated.push_back(std::move(memory));
  }
}

}  // namespace fuser::fuzz
