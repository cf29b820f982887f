#pragma once
// SegmentGraph: a segmented fusion as plain data, for a picture: the fusion's inputs, its segments with their ops, its
// outputs, and the values that go from one to another.

#include <string>
#include <vector>

namespace reports {

struct GraphOp {
  std::string value;   // its result: "%t"
  std::string text;    // "%t = add(%x, 1.0) : f32[i0]"
  bool wrong = false;  // the first wrong op
};

struct GraphNode {
  enum class Kind { Input, Segment, Output };
  Kind kind = Kind::Segment;
  std::string title;         // "%x", "segment 0: PointWise"
  std::vector<GraphOp> ops;  // of a segment
};

struct GraphEdge {
  size_t from = 0, to = 0;  // of nodes
  std::string value;        // "%x"
  std::string type;         // "f32[i0, 1]"
};

// Acyclic.
struct SegmentGraph {
  std::vector<GraphNode> nodes;
  std::vector<GraphEdge> edges;
  std::string problem;  // why there is no picture; "" otherwise
};

std::string toJson(const SegmentGraph& graph);  // one line
// A UserError where the text is not what toJson wrote, or an edge's ends are no nodes.
SegmentGraph segmentGraphFromJson(const std::string& text);

}  // namespace reports
