// The picture's data: every segment, op and crossing value, the wrong op marked, and a reason where there is none.

#include "fuzz/judge/segment_graph.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "fuser/text/parser.h"

namespace fuser::fuzz {
namespace {

using reports::GraphNode;
using reports::SegmentGraph;

// The sum over columns and the sum over rows do not share a kernel.
constexpr const char* kTwoReductions = R"(
fusion two(%x: f32[i0, i1]) {
  %e = exp(%x)
  %a = var(%e) {dims = [0]}
  %b = sum(%x) {dims = [1]}
  return %a, %b
}
run { %x = normal(seed = 1) : f32[3, 5] }
)";

size_t countOf(const SegmentGraph& graph, GraphNode::Kind kind) {
  return static_cast<size_t>(
      std::count_if(graph.nodes.begin(), graph.nodes.end(), [&](const GraphNode& node) { return node.kind == kind; }));
}

std::vector<std::string> wrongOps(const SegmentGraph& graph) {
  std::vector<std::string> wrong;
  for (const GraphNode& node : graph.nodes) {
    for (const reports::GraphOp& op : node.ops) {
      if (op.wrong) wrong.push_back(op.value);
    }
  }
  return wrong;
}

TEST(SegmentGraphTest, HasInputsSegmentsAndOutputs) {
  const SegmentGraph graph = segmentGraphOf(parseCase(kTwoReductions, "test"));
  ASSERT_EQ(graph.problem, "");
  EXPECT_EQ(countOf(graph, GraphNode::Kind::Input), 1u);
  EXPECT_EQ(countOf(graph, GraphNode::Kind::Output), 2u);
  EXPECT_GE(countOf(graph, GraphNode::Kind::Segment), 2u);
  std::vector<std::string> values;
  for (const GraphNode& node : graph.nodes) {
    for (const reports::GraphOp& op : node.ops) values.push_back(op.value);
  }
  std::sort(values.begin(), values.end());
  EXPECT_EQ(values, (std::vector<std::string>{"%a", "%b", "%e"}));
  const bool typed = std::any_of(graph.edges.begin(), graph.edges.end(), [](const reports::GraphEdge& edge) {
    return edge.value == "%x" && edge.type == "f32[i0, i1]" && edge.bytes == 4 * 3 * 5;
  });
  EXPECT_TRUE(typed) << toJson(graph);
  EXPECT_TRUE(wrongOps(graph).empty());
}

TEST(SegmentGraphTest, MarksTheWrongOp) {
  EXPECT_EQ(wrongOps(segmentGraphOf(parseCase(kTwoReductions, "test"), "b")), std::vector<std::string>{"%b"});
}

TEST(SegmentGraphTest, ShowsTheResultOfAPlantedFault) {
  const std::string casts =
      "fusion f(%x: f32[i0]) {\n  %b = cast(%x) {dtype = bf16}\n  %f = cast(%b) {dtype = f32}\n  %y = neg(%f)\n"
      "  return %y\n}\n";
  const std::string run = "run { %x = normal(seed = 1) : f32[4] }\n";
  const auto text = [](const SegmentGraph& graph) { return toJson(graph); };
  EXPECT_NE(text(segmentGraphOf(parseCase(casts + run, "test"))).find("cast("), std::string::npos);
  const SegmentGraph planted =
      segmentGraphOf(parseCase(casts + "option fault = \"rounding-cast-elided\"\n" + run, "test"));
  EXPECT_EQ(planted.problem, "");
  EXPECT_EQ(text(planted).find("cast("), std::string::npos) << text(planted);
}

TEST(SegmentGraphTest, AnInputThatIsReturnedGoesStraightToTheOutput) {
  const SegmentGraph graph = segmentGraphOf(
      parseCase("fusion f(%x: f32[i0]) {\n  return %x\n}\nrun { %x = normal(seed = 1) : f32[4] }\n", "test"));
  ASSERT_EQ(graph.problem, "");
  ASSERT_EQ(graph.edges.size(), 1u) << toJson(graph);
  EXPECT_EQ(graph.nodes[graph.edges[0].from].kind, GraphNode::Kind::Input);
  EXPECT_EQ(graph.nodes[graph.edges[0].to].kind, GraphNode::Kind::Output);
}

TEST(SegmentGraphTest, ARejectedCaseHasAReasonInsteadOfAGraph) {
  const SegmentGraph graph =
      segmentGraphOf(parseCase("fusion f(%x: f32[i0], %y: f32[i1]) {\n  %z = add(%x, %y)\n  return %z\n}\n"
                               "run { %x = normal(seed = 1) : f32[4]\n %y = normal(seed = 2) : f32[5] }\n",
                               "test"));
  EXPECT_TRUE(graph.nodes.empty());
  EXPECT_NE(graph.problem, "");
  EXPECT_NE(segmentGraphOf(parseCase("fusion f(%x: f32[i0]) {\n  return %x\n}\n", "test")).problem, "");
}

TEST(SegmentGraphTest, IsTheSameAfterJson) {
  const SegmentGraph graph = segmentGraphOf(parseCase(kTwoReductions, "test"), "a");
  EXPECT_EQ(toJson(reports::segmentGraphFromJson(toJson(graph))), toJson(graph));
}

}  // namespace
}  // namespace fuser::fuzz
