#pragma once
// The text form of a segmentation: one line a group, one line an edge. The fusion itself is not part of it.
//   segmented {
//     group 0 ExprEval {%n, %m} inputs {%a} outputs {%m}
//     group 1 PointWise {%y, %z} inputs {%x, %m} outputs {%z}
//     edge 0 -> 1 %m
//   }
// An expression is named by its first result. What a group computes although it is another group's own stands in its
// expressions too, and once more behind them: `{%c, %y} copies {%c}`.

#include <string>
#include <string_view>
#include <vector>

#include "fuser/segment/segmented_fusion.h"

namespace fuser {

// A name for each value that is unique in its fusion: "%x", or "%x@7" (with its id) where names are empty or repeated.
// By value id; empty for values that the fusion no longer uses.
std::vector<std::string> valueLabels(const Fusion& fusion);

std::string toString(const SegmentGraph& graph);

// --- parse_segments.cpp ---
// What toString printed for this fusion. A UserError names line and column and says what is wrong: also where the text
// can be understood and the segmentation is not sound, or its groups stand in another order than they run.
std::unique_ptr<SegmentedFusion> parseSegmentedFusion(std::string_view text, const Fusion& fusion);

}  // namespace fuser
