// SegmentGraph <-> JSON.

#include "reports/segment_graph.h"

#include "fuser/support/check.h"
#include "reports/fields_json.h"

namespace reports {
namespace {

constexpr GraphNode::Kind kKinds[] = {GraphNode::Kind::Input, GraphNode::Kind::Segment, GraphNode::Kind::Output};

}  // namespace

std::string_view Names<GraphNode::Kind>::name(GraphNode::Kind kind) {
  switch (kind) {
    case GraphNode::Kind::Input: return "input";
    case GraphNode::Kind::Segment: return "segment";
    case GraphNode::Kind::Output: return "output";
  }
  FUSER_CHECK(false, "bad GraphNode::Kind");
}

std::optional<GraphNode::Kind> Names<GraphNode::Kind>::find(std::string_view wanted) {
  for (GraphNode::Kind kind : kKinds) {
    if (name(kind) == wanted) return kind;
  }
  return std::nullopt;
}

std::string toJson(const SegmentGraph& graph) {
  return allFields<nlohmann::json>(graph).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

SegmentGraph segmentGraphFromJson(const std::string& text) {
  SegmentGraph graph;
  try {
    graph = fromJsonText<SegmentGraph>(text);
  } catch (const std::exception& error) {
    fuser::throwUserError(fuser::concat("a picture's JSON is broken: ", error.what()));
  }
  checkEdges(graph);
  return graph;
}

void checkEdges(const SegmentGraph& graph) {
  for (const GraphEdge& edge : graph.edges) {
    FUSER_USER_CHECK(edge.from < graph.nodes.size() && edge.to < graph.nodes.size(), "a picture's edge from node ",
                     edge.from, " to ", edge.to, ", and there are ", graph.nodes.size());
  }
}

}  // namespace reports
