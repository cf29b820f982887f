#pragma once
// Where the nodes and edges of a SegmentGraph go: layers by the longest path from the inputs, top to bottom; within a
// layer ordered by the barycentres of the neighbours, so that few edges cross; long edges bend around what lies between
// (Sugiyama, Tagawa, Toda: Methods for visual understanding of hierarchical system structures, 1981).
//
// Lengths are in user units of the SVG, which are CSS pixels at its natural size; x grows to the right, y down. Nothing
// is random, and ties keep the graph's order: the same graph gives the same picture.

#include <utility>
#include <vector>

#include "reports/segment_graph.h"

namespace reports {

struct Size {
  double width = 0, height = 0;
};

struct Box {
  double x = 0, y = 0;  // of the upper left corner
  Size size;
};

struct Point {
  double x = 0, y = 0;
};

struct GraphLayout {
  Size size;
  std::vector<Box> boxes;                 // one a node; none overlaps another
  std::vector<std::vector<Point>> paths;  // one an edge: from the lower side of a box to the upper side of another
  std::vector<size_t> ports;              // one an edge: which of the edges into its target it is, from the left
};

// sizes: one a node. above: room between the layers beside the usual, one a node, for what is written over it. A
// UserError where the graph has a cycle.
GraphLayout layOut(const SegmentGraph& graph, const std::vector<Size>& sizes, const std::vector<double>& above);

// From the first to the last of so many edges into one box; they end around the middle of its upper side.
double portsWidth(size_t edges);

}  // namespace reports
