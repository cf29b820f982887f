#pragma once
// Regions: the parts into which the ops outside the language split a graph.

#include <vector>

#include "fuzz/import/graph.h"

namespace fuser::fuzz {

// The indices of nodes, ascending.
using Region = std::vector<size_t>;

// Connected sets of taken nodes. No path from a node of a region to another one of it leaves the region, so that each
// can run as one program; and no two regions could be joined. In the order of their first nodes.
std::vector<Region> regionsOf(const Graph& graph, const std::vector<bool>& isTaken);

}  // namespace fuser::fuzz
