#pragma once
// Layered layout of a SegmentGraph (Sugiyama, Tagawa, Toda, "Methods for visual understanding of hierarchical system
// structures", 1981): layers by the longest path from the inputs, top to bottom; nodes of a layer ordered by the
// barycenters of their neighbors, to reduce crossings; long edges bend around the nodes in between.
//
// Lengths are in user units of the SVG, which are CSS pixels at its natural size; x grows to the right, y down.
// The layout is deterministic; ties keep the graph's order.

#include <utility>
#include <vector>

#include "reports/segment_graph.h"

namespace reports {

struct Size {
  double width = 0, height = 0;
};

struct Box {
  double x = 0, y = 0;  // the upper left corner
  Size size;
};

struct Point {
  double x = 0, y = 0;
};

struct GraphLayout {
  Size size;
  std::vector<Box> boxes;                 // one per node; they do not overlap
  std::vector<std::vector<Point>> paths;  // one per edge: from the lower side of a box to the upper side of another
  std::vector<size_t> ports;              // one per edge: its position, from the left, among the edges into its target
};

// `sizes` has the size of each node; `above` has extra space above each node, for labels. A UserError if the graph has
// a cycle.
GraphLayout layOut(const SegmentGraph& graph, const std::vector<Size>& sizes, const std::vector<double>& above);

// The distance between the first and last of `edges` edges into a box, which end around the middle of its upper side.
double portsWidth(size_t edges);

}  // namespace reports
