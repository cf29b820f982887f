// The picture's layout on random graphs: nothing overlaps, edges run downwards, the same graph gives the same layout.

#include "reports/graph_layout.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "fuser/support/check.h"

namespace reports {
namespace {

SegmentGraph randomGraph() {
  SegmentGraph graph;
  graph.nodes.resize(*rc::gen::inRange<size_t>(1, 14));
  const size_t edges = graph.nodes.size() < 2 ? 0 : *rc::gen::inRange<size_t>(0, 24);
  for (size_t e = 0; e < edges; ++e) {
    const size_t to = *rc::gen::inRange<size_t>(1, graph.nodes.size());
    graph.edges.push_back({*rc::gen::inRange<size_t>(0, to), to, "%x", "f32[]"});
  }
  return graph;
}

GraphLayout layOutSized(const SegmentGraph& graph) {
  std::vector<Size> sizes;
  std::vector<double> above;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    sizes.push_back({60.0 + 37.0 * static_cast<double>(i % 5), 20.0 + 13.0 * static_cast<double>(i % 3)});
    above.push_back(static_cast<double>(i % 4) * 10);
  }
  return layOut(graph, sizes, above);
}

bool overlap(const Box& a, const Box& b) {
  return a.x < b.x + b.size.width && b.x < a.x + a.size.width && a.y < b.y + b.size.height && b.y < a.y + a.size.height;
}

RC_GTEST_PROP(GraphLayoutTest, BoxesAreApartAndInside, ()) {
  const SegmentGraph graph = randomGraph();
  const GraphLayout layout = layOutSized(graph);
  RC_ASSERT(layout.boxes.size() == graph.nodes.size());
  for (size_t i = 0; i < layout.boxes.size(); ++i) {
    const Box& box = layout.boxes[i];
    RC_ASSERT(box.x >= 0 && box.y >= 0);
    RC_ASSERT(box.x + box.size.width <= layout.size.width + 1e-6);
    RC_ASSERT(box.y + box.size.height <= layout.size.height + 1e-6);
    for (size_t k = 0; k < i; ++k) RC_ASSERT(!overlap(box, layout.boxes[k]));
  }
}

RC_GTEST_PROP(GraphLayoutTest, EdgesRunDownwardsAndCrossNoBox, ()) {
  const SegmentGraph graph = randomGraph();
  const GraphLayout layout = layOutSized(graph);
  RC_ASSERT(layout.paths.size() == graph.edges.size());
  for (size_t e = 0; e < graph.edges.size(); ++e) {
    const std::vector<Point>& path = layout.paths[e];
    const Box &from = layout.boxes[graph.edges[e].from], &to = layout.boxes[graph.edges[e].to];
    RC_ASSERT(path.front().y == from.y + from.size.height);
    RC_ASSERT(path.back().y == to.y);
    for (size_t i = 1; i < path.size(); ++i) RC_ASSERT(path[i].y >= path[i - 1].y);
    // A vertical piece is where a long edge passes a layer.
    for (size_t i = 1; i + 2 < path.size(); i += 2) {
      RC_ASSERT(path[i].x == path[i + 1].x);
      for (const Box& box : layout.boxes) {
        const bool beside = path[i].x < box.x || path[i].x > box.x + box.size.width;
        const bool apart = path[i + 1].y <= box.y || path[i].y >= box.y + box.size.height;
        RC_ASSERT(beside || apart);
      }
    }
  }
}

RC_GTEST_PROP(GraphLayoutTest, EachEdgeIntoANodeHasItsPort, ()) {
  const SegmentGraph graph = randomGraph();
  const GraphLayout layout = layOutSized(graph);
  for (size_t node = 0; node < graph.nodes.size(); ++node) {
    std::vector<size_t> ports;
    for (size_t e = 0; e < graph.edges.size(); ++e) {
      if (graph.edges[e].to == node) ports.push_back(layout.ports[e]);
    }
    std::sort(ports.begin(), ports.end());
    for (size_t k = 0; k < ports.size(); ++k) RC_ASSERT(ports[k] == k);
  }
}

TEST(GraphLayoutTest, AChainIsAColumn) {
  SegmentGraph graph;
  graph.nodes.resize(3);
  graph.edges = {{0, 1, "%x", ""}, {1, 2, "%y", ""}};
  const GraphLayout layout = layOut(graph, {{50, 20}, {80, 20}, {50, 20}}, {0, 0, 0});
  const auto center = [&](size_t i) { return layout.boxes[i].x + layout.boxes[i].size.width / 2; };
  EXPECT_DOUBLE_EQ(center(0), center(1));
  EXPECT_DOUBLE_EQ(center(1), center(2));
}

TEST(GraphLayoutTest, OrdersALayerSoThatEdgesDoNotCross) {
  SegmentGraph graph;
  graph.nodes.resize(4);
  graph.edges = {{0, 3, "", ""}, {1, 2, "", ""}};
  const GraphLayout layout = layOutSized(graph);
  EXPECT_EQ(layout.boxes[0].x < layout.boxes[1].x, layout.boxes[3].x < layout.boxes[2].x);
}

TEST(GraphLayoutTest, ACycleIsAUserError) {
  SegmentGraph graph;
  graph.nodes.resize(2);
  graph.edges = {{0, 1, "", ""}, {1, 0, "", ""}};
  EXPECT_THROW(layOutSized(graph), fuser::UserError);
}

}  // namespace
}  // namespace reports
