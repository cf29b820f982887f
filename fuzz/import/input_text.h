#pragma once
// The inputs of a subgraph as text: type, layout and data.

#include <functional>
#include <string>

#include "fuzz/import/graph.h"

namespace fuser::fuzz {

// "f32[i0, 1, 1*i1] {allocation_order = [1, 0, 2]}". sizeText writes a size other than 1.
std::string typeText(const GraphTensor& tensor, const std::function<std::string(int64_t)>& sizeText);

// "uniform(seed = 1, low = -1.0, high = 2.0) : f32[2, 3] {strides = [1, 2]}": data in the range that was seen.
std::string dataText(const GraphTensor& tensor, uint64_t seed);

}  // namespace fuser::fuzz
