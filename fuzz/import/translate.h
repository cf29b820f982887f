#pragma once
// One node of a graph as lines of a .fusion text. import.def says how.

#include <string>
#include <vector>

#include "fuzz/import/node_writer.h"

namespace fuser::fuzz {

// The lines that compute the node's used results. An OutsideTheLanguage says why there are none.
std::vector<std::string> translate(const Graph& graph, const GraphNode& node, const Spelling& spelling);

}  // namespace fuser::fuzz
