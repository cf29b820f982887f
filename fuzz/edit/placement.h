#pragma once
// Placement: the properties of a case's tensors that do not affect values: layouts, stream axes, devices, memory. After
// a program changes, the placements that are still valid are applied again.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fuser/case/case.h"

namespace fuser::fuzz {

// The placement of one tensor. Axes are indices into axes().
struct TensorPlacement {
  std::vector<IterType> axes;        // of the original tensor
  std::vector<int> allocationOrder;  // of a result with a specified layout; otherwise empty
  bool view = false;                 // for results
  std::optional<size_t> streamAxis;
  std::optional<size_t> shardAxis;
  DeviceMesh mesh;  // the tensor's own; empty: the fusion's
};
TensorPlacement placementOf(const TensorView* tensor);
// Restricts the placement to the axes that remain.
TensorPlacement withAxes(const TensorPlacement& placement, const std::vector<bool>& keptAxes);

// Applies the valid parts of the placement: the mesh, if the fusion has those devices; stream and device axes, if the
// tensor has such an axis and it is not a broadcast axis (an input has no stream axis); the layout, if it is a result
// with such axes.
void applyPlacement(TensorView* tensor, const TensorPlacement& placement);

// Attaches aliases and output buffers to the case's outputs by name, where valid; none for a multi-device fusion.
using Aliases = std::vector<std::pair<std::string, std::string>>;
void attachMemory(Case& testCase, const Aliases& aliases, const std::vector<PreallocatedOutput>& buffers);

}  // namespace fuser::fuzz
