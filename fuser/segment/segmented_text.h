#pragma once
// The text form of a segmentation, without its fusion: one line per group and one per edge.
//   segmented {
//     group 0 ExprEval {%n, %m} inputs {%a} outputs {%m}
//     group 1 PointWise {%y, %z} inputs {%x, %m} outputs {%z}
//     edge 0 -> 1 %m
//   }
// The first result names an expression. A private copy appears among a group's expressions and once more after them:
// `{%c, %y} copies {%c}`.

#include <string>
#include <string_view>
#include <vector>

#include "fuser/segment/segmented_fusion.h"

namespace fuser {

// A unique label per value, indexed by value id: "%x", or "%x@7" (with the id) if the name is empty or not unique.
// Empty for values that the fusion no longer uses.
std::vector<std::string> valueLabels(const Fusion& fusion);

std::string toString(const SegmentGraph& graph);

// --- parse_segments.cpp ---
// Parses the output of toString for this fusion. A UserError with line and column for a syntax error, for a
// segmentation that violates an invariant, and for groups that are not in execution order.
std::unique_ptr<SegmentedFusion> parseSegmentedFusion(std::string_view text, const Fusion& fusion);

}  // namespace fuser
