#pragma once
// The invariants of a segmentation; they compare its edge lists with what the groups' expressions read.

#include "fuser/segment/segment_graph.h"

namespace fuser {

// Which parts of a segmentation exist; some are missing while it is built.
enum class Completeness : uint8_t { SomeExprsAndEdges, SomeExprs, Complete };

// Returns one line per violation, or nothing: the groups partition the live expressions (if complete); private copies
// are in exactly the groups that read their results; no group mixes scalars and tensors; each value has exactly one
// edge to each group that reads it from outside (at most one while edges are missing); an edge is in the lists of its
// two ends only; the graph is acyclic.
std::vector<std::string> findBrokenInvariants(const SegmentGraph& graph,
                                              Completeness completeness = Completeness::Complete);

}  // namespace fuser
