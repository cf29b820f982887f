#pragma once
// Classes of axes that stand or fall together.

#include <vector>

#include "fuzz/minimize/change.h"

namespace fuser::fuzz {

using AxisClass = std::vector<AxisOf>;  // in order of value and place

// Axes with one coordinate: linked through the ops' maps. Dropped together, they leave a program.
std::vector<AxisClass> coordinateClasses(const Fusion& fusion);

// Axes of one size: coordinate classes joined where they name the same symbol. Resized together, runs still fit.
std::vector<AxisClass> sizeClasses(const Fusion& fusion);

}  // namespace fuser::fuzz
