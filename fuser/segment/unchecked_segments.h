#pragma once
// Builds a segmentation from a plain description without validation: for the parser, which validates it afterwards, and
// for tests and planted faults that need an invalid one, which the invariants must detect. No other code builds those.

#include <string_view>

#include "fuser/segment/segmented_fusion.h"

namespace fuser {

// The description. Groups are numbered by their index in `groups`.
struct SegmentsDescription {
  struct Group {
    std::vector<Expr*> exprs;   // the expressions that the group owns
    std::vector<Expr*> copies;  // private copies of expressions that other groups own
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

// Builds the segmentation as described, even if edges are duplicated, carry values that do not cross, or inputs and
// outputs are wrong. A CheckError only if an expression has no owner or two. checkEdits: see SegmentedFusion.
std::unique_ptr<SegmentedFusion> buildUnchecked(const Fusion& fusion, const SegmentsDescription& description,
                                                bool checkEdits = false);

// The same for the text form, as toString(SegmentGraph) prints it. Groups keep the order of the text. A UserError with
// line and column if the text cannot be parsed: unknown names, an expression with no owner or two, scalars and tensors
// in one group.
std::unique_ptr<SegmentedFusion> parseUnchecked(std::string_view text, const Fusion& fusion);

}  // namespace fuser
