// SegmentGraph <-> JSON.

#include "reports/segment_graph.h"

#include <nlohmann/json.hpp>

#include "fuser/support/check.h"

namespace reports {
namespace {

using nlohmann::json;

constexpr const char* kKinds[] = {"input", "segment", "output"};

GraphNode::Kind kindFrom(const std::string& name) {
  for (size_t kind = 0; kind < std::size(kKinds); ++kind) {
    if (name == kKinds[kind]) return static_cast<GraphNode::Kind>(kind);
  }
  fuser::throwUserError("a picture's node is of no known kind: '" + name + "'");
}

}  // namespace

std::string toJson(const SegmentGraph& graph) {
  json out;
  out["problem"] = graph.problem;
  out["nodes"] = json::array();
  for (const GraphNode& node : graph.nodes) {
    json ops = json::array();
    for (const GraphOp& op : node.ops) ops.push_back({{"value", op.value}, {"text", op.text}, {"wrong", op.wrong}});
    out["nodes"].push_back({{"kind", kKinds[static_cast<size_t>(node.kind)]}, {"title", node.title}, {"ops", ops}});
  }
  out["edges"] = json::array();
  for (const GraphEdge& edge : graph.edges) {
    out["edges"].push_back({{"from", edge.from}, {"to", edge.to}, {"value", edge.value}, {"type", edge.type}});
  }
  return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

SegmentGraph segmentGraphFromJson(const std::string& text) {
  SegmentGraph graph;
  try {
    const json in = json::parse(text);
    graph.problem = in.at("problem");
    for (const json& node : in.at("nodes")) {
      GraphNode& made = graph.nodes.emplace_back();
      made.kind = kindFrom(node.at("kind"));
      made.title = node.at("title");
      for (const json& op : node.at("ops")) made.ops.push_back({op.at("value"), op.at("text"), op.at("wrong")});
    }
    for (const json& edge : in.at("edges")) {
      graph.edges.push_back({edge.at("from"), edge.at("to"), edge.at("value"), edge.at("type")});
    }
  } catch (const json::exception& error) {
    fuser::throwUserError(fuser::concat("a picture's JSON is broken: ", error.what()));
  }
  for (const GraphEdge& edge : graph.edges) {
    FUSER_USER_CHECK(edge.from < graph.nodes.size() && edge.to < graph.nodes.size(), "a picture's edge from node ",
                     edge.from, " to ", edge.to, ", and there are ", graph.nodes.size());
  }
  return graph;
}

}  // namespace reports
