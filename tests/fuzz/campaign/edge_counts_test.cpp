// Edges of schedules that a campaign's cases meet: they are counted with the case, and the case is the one that is
// printed.

#include <gtest/gtest.h>

#include "fuser/text/parser.h"
#include "fuzz/campaign/accounting.h"
#include "fuzz/campaign/perform_task.h"
#include "fuzz/edges/at_an_edge.h"

namespace fuser::fuzz {
namespace {

TaskSettings casesAtEdges() {
  TaskSettings settings;
  settings.generator.medianElements = 64;
  settings.generator.maxExpressions = 8;
  return settings;
}

TEST(EdgeCountsTest, ACaseIsCountedAsItIsPrinted) {
  int64_t moved = 0, none = 0;
  for (uint64_t number = 0; number < 120; ++number) {
    EdgeDraw draw;
    campaignCase(1, number, casesAtEdges().generator, &draw);
    if (draw.met.empty() && draw.whyNone.empty()) continue;
    const TaskResult result = performTask(CaseTask{number}, casesAtEdges());
    EXPECT_FALSE(isFinding(result.verdict.kind)) << number;
    EXPECT_EQ(result.noEdge, draw.whyNone);
    none += !draw.whyNone.empty();
    int64_t runs = 0;
    for (const auto& [kind, count] : result.edges) runs += count.below + count.at + count.above;
    EXPECT_EQ(runs, static_cast<int64_t>(draw.met.size())) << number;
    const std::string text = performTask(PrintTask{number, "", ""}, casesAtEdges()).text;
    EXPECT_EQ(text.find("#: edge") != std::string::npos, runs > 0);
    EXPECT_EQ(performTask(PlainTask{number}, casesAtEdges()).verdict.elements.judged, result.verdict.elements.judged);
    moved += runs > 0;
  }
  EXPECT_GT(moved, 4);
  EXPECT_GT(none, 0);
}

TEST(EdgeCountsTest, AnAccountingHasEveryKindAndReason) {
  Accounting accounting;
  TaskResult result;
  result.edges["block"] = {1, 1, 0, 1, 0};
  accounting.add("case 0", result, 0);
  accounting.add("case 1", result, 0);
  TaskResult other;
  other.noEdge = "no edge is in reach";
  accounting.add("case 2", other, 0);
  EXPECT_EQ(accounting.sums().edges.at("block"), (reports::EdgeCount{2, 2, 0, 2, 0}));
  EXPECT_EQ(accounting.sums().edges.at("grid limit"), reports::EdgeCount{});
  EXPECT_EQ(accounting.sums().edges.size(), allEdgeKinds().size());
  EXPECT_EQ(accounting.sums().noEdge.at("no edge is in reach"), 1);
  EXPECT_EQ(accounting.sums().noEdge.size(), allWhyNone().size());
  EXPECT_EQ(Accounting::fromJson(accounting.toJson()).sums(), accounting.sums());
}

}  // namespace
}  // namespace fuser::fuzz
