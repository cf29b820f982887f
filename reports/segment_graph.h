#pragma once
// SegmentGraph: a segmented fusion as plain data, for drawing: the fusion's inputs, its segments with their ops, its
// outputs, and the values between them with their bytes.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/fields.h"

namespace reports {

struct GraphOp {
  std::string value;   // its result: "%t"
  std::string text;    // "%t = add(%x, 1.0) : f32[i0]"
  bool wrong = false;  // the first wrong op
  bool operator==(const GraphOp&) const = default;
};
REPORTS_FIELDS(GraphOp, value, text, wrong)

struct GraphNode {
  enum class Kind { Input, Segment, Output };
  Kind kind = Kind::Segment;
  std::string title;         // "%x", "segment 0: PointWise"
  std::vector<GraphOp> ops;  // the ops of a segment
  bool operator==(const GraphNode&) const = default;
};
REPORTS_FIELDS(GraphNode, kind, title, ops)

template <>
struct Names<GraphNode::Kind> {
  static std::string_view name(GraphNode::Kind kind);  // "input", "segment", "output"
  static std::optional<GraphNode::Kind> find(std::string_view name);
};

struct GraphEdge {
  size_t from = 0, to = 0;  // indices of nodes
  std::string value;        // "%x"
  std::string type;         // "f32[i0, 1]"
  int64_t bytes = -1;       // of the value in the first run; -1: unknown
  bool operator==(const GraphEdge&) const = default;
};
REPORTS_FIELDS(GraphEdge, from, to, value, type, bytes)

// The graph is acyclic.
struct SegmentGraph {
  std::vector<GraphNode> nodes;
  std::vector<GraphEdge> edges;
  std::string problem;  // why there is no picture; "" otherwise
  bool operator==(const SegmentGraph&) const = default;
};
REPORTS_FIELDS(SegmentGraph, nodes, edges, problem)

std::string toJson(const SegmentGraph& graph);  // every field, on one line
// Parses the output of toJson. A UserError for any other text, or for an edge with an invalid node index.
SegmentGraph segmentGraphFromJson(const std::string& text);
// A UserError for an edge with an invalid node index.
void checkEdges(const SegmentGraph& graph);

}  // namespace reports
