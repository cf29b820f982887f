#pragma once
// Placement: what a case says of a program's tensors beside their values: layouts, stream axes, devices, memory. A
// program that was changed is given as much of it as still makes sense.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fuser/case/case.h"

namespace fuser::fuzz {

// Of one tensor. Axes are counted in axes().
struct TensorPlacement {
  std::vector<IterType> axes;        // of the tensor that it was taken from
  std::vector<int> allocationOrder;  // of a result whose type gives its layout; else empty
  bool view = false;                 // of a result
  std::optional<size_t> streamAxis;
  std::optional<size_t> shardAxis;
  DeviceMesh mesh;  // its own; empty: the fusion's
};
TensorPlacement placementOf(const TensorView* tensor);
// What is left of it when some of the tensor's axes are.
TensorPlacement withAxes(const TensorPlacement& placement, const std::vector<bool>& kept);

// Gives the tensor what it can have of the placement: a mesh, where the fusion has those devices; axes on streams or
// devices, where it has that many axes and this is no broadcast axis (an input runs on no streams); a layout, where it
// is a result with such axes. A view stays one until keepPossibleViews() asks what the program makes of it.
void place(TensorView* tensor, const TensorPlacement& placement);
void keepPossibleViews(Fusion& fusion);

// Gives the case's outputs the aliases and the memory that they can have, by name; of a fusion on several devices none.
using Aliases = std::vector<std::pair<std::string, std::string>>;
void giveMemory(Case& made, const Aliases& aliases, const std::vector<PreallocatedOutput>& given);

}  // namespace fuser::fuzz
