#pragma once
// A segmentation as somebody tells it, right or wrong: what a text says before it is judged, and the way to a damaged
// one, for tests, planted faults and invariants that must see the damage. Nothing else makes one that is not sound.

#include <string_view>

#include "fuser/segment/segmented_fusion.h"

namespace fuser {

// Groups are numbered in their order.
struct ToldSegments {
  struct Group {
    std::vector<Expr*> exprs;   // its own
    std::vector<Expr*> copies;  // of expressions that are other groups' own
    SchedulerType type = SchedulerType::None;
    std::vector<Val*> inputs;
    std::vector<Val*> outputs;
  };
  struct Edge {
    size_t from;
    size_t to;
    Val* val;
  };
  std::vector<Group> groups;
  std::vector<Edge> edges;
};

// As told, damage and all: edges twice, values that do not cross, other boundaries. CheckError only where an expression
// is in no group or in two without being a copy. checkEdits: see SegmentedFusion.
std::unique_ptr<SegmentedFusion> segmentAsTold(const Fusion& fusion, const ToldSegments& told, bool checkEdits = false);

// The same for what toString(SegmentGraph) prints, edited by anybody. Groups stand in the order of the text. A
// UserError names line and column where the text cannot be understood (unknown names, an expression that is in no group
// or in two without being a copy, scalars and tensors in one group).
std::unique_ptr<SegmentedFusion> parseAsTold(std::string_view text, const Fusion& fusion);

}  // namespace fuser
