#pragma once
// Classes of axes that can only be dropped or resized together.

#include <vector>

#include "fuzz/minimize/change.h"

namespace fuser::fuzz {

using AxisClass = std::vector<AxisOf>;  // by value, then axis

// Axes with the same coordinate, linked through the ops' axis maps. Dropping a whole class leaves a valid program.
std::vector<AxisClass> coordinateClasses(const Fusion& fusion);

// Axes of the same size: coordinate classes joined by common symbols. Resizing a whole class keeps runs valid.
std::vector<AxisClass> sizeClasses(const Fusion& fusion);

}  // namespace fuser::fuzz
