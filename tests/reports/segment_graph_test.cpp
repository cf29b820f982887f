// SegmentGraph and its JSON, whole and broken.

#include "reports/segment_graph.h"

#include <gtest/gtest.h>

#include "fuser/support/check.h"

namespace reports {
namespace {

SegmentGraph sample() {
  SegmentGraph graph;
  graph.nodes = {{GraphNode::Kind::Input, "%x", {}},
                 {GraphNode::Kind::Segment, "segment 0: PointWise", {{"%y", "%y = neg(%x) : f32[i0]", true}}},
                 {GraphNode::Kind::Output, "%y", {}}};
  graph.edges = {{0, 1, "%x", "f32[i0]"}, {1, 2, "%y", "f32[i0]"}};
  return graph;
}

TEST(SegmentGraphJsonTest, IsTheSameAfterReading) {
  const SegmentGraph again = segmentGraphFromJson(toJson(sample()));
  EXPECT_EQ(toJson(again), toJson(sample()));
  ASSERT_EQ(again.nodes.size(), 3u);
  EXPECT_TRUE(again.nodes[1].ops[0].wrong);
  EXPECT_EQ(again.edges[1].to, 2u);
}

TEST(SegmentGraphJsonTest, BrokenTextIsAUserError) {
  const std::string text = toJson(sample());
  for (const std::string& broken :
       {std::string(), text.substr(0, text.size() / 2), std::string("[]"), std::string(R"({"problem": 1})"),
        std::string(R"({"problem": "", "nodes": [{"kind": "x", "title": "", "ops": []}], "edges": []})"),
        std::string(R"({"problem": "", "nodes": [], "edges": [{"from": 0, "to": 0, "value": "", "type": ""}]})")}) {
    EXPECT_THROW(segmentGraphFromJson(broken), fuser::UserError) << broken;
  }
}

}  // namespace
}  // namespace reports
