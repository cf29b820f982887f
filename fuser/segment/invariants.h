#pragma once
// The invariants of a segmentation: its edge lists against the value-based view.

#include "fuser/segment/segment_graph.h"

namespace fuser {

// How much of a segmentation is there: parts of it while it is made.
enum class Completeness : uint8_t { SomeExprsAndEdges, SomeExprs, Complete };

// Empty when all hold, else one line each: the groups partition the live expressions (where those are complete),
// private copies beside that: they are in every group that reads their results and in no other; scalars and tensors are
// apart, every value that crosses has exactly one edge (at most one, while edges are missing), edges are in the lists
// of both ends and nowhere else, the graph is acyclic.
std::vector<std::string> findBrokenInvariants(const SegmentGraph& graph,
                                              Completeness completeness = Completeness::Complete);

}  // namespace fuser
