// Cases at an edge: that campaigns have them, that they are valid, and that no kind and side is missing.

#include "fuzz/edges/at_an_edge.h"

#include <gtest/gtest.h>

#include <map>

#include "fuser/case/functional_updates.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"

namespace fuser::fuzz {
namespace {

// Small cases, whose edges are as many.
GeneratorOptions smallCases() {
  GeneratorOptions options;
  options.medianElements = 400;
  options.maxExpressions = 14;
  return options;
}

bool isPrefix(const std::vector<std::pair<std::string, std::string>>& metadata, const Case& testCase) {
  return std::equal(metadata.begin(), metadata.end(), testCase.metadata.begin());
}

TEST(AtAnEdgeTest, EditedCasesBindAndRunAndEveryKindAndSideIsMet) {
  constexpr uint64_t kCases = 500;
  std::map<std::pair<EdgeKind, EdgeSide>, int> runs;
  std::set<EdgeKind> invented;
  size_t met = 0;
  for (uint64_t number = 0; number < kCases; ++number) {
    Case testCase = functionalCase(generateCase(31, number, smallCases()));
    const std::string before = printCase(testCase);
    Choices choices(32, number);
    const EdgeDraw draw = moveToEdge(testCase, choices, smallCases());
    const std::string text = printCase(testCase);
    if (draw.met.empty()) {
      EXPECT_EQ(text, before) << "a case without an edge stays as it is";
      EXPECT_NE(draw.whyNone, "");
      continue;
    }
    ++met;
    EXPECT_EQ(testCase.metadata.back().first, "edge") << text;
    EXPECT_NE(text, before);
    for (const EdgeMeeting& meeting : draw.met) {
      ++runs[{meeting.kind, meeting.side}];
      if (testCase.options.device) invented.insert(meeting.kind);
    }
    // As text, as whoever replays it.
    const Case parsed = parseCase(text, "edge");
    EXPECT_EQ(printCase(parsed), text);
    const std::shared_ptr<const Fusion> fusion(std::shared_ptr<const Fusion>(), parsed.fusion.get());
    FusionExecutorCache cache(fusion, settingsOf(parsed));
    for (const fuser::Run& run : parsed.runs) {
      const RunData data = materialize(parsed, run);
      const std::vector<HostValue> inputs = hostValues(data);
      const OutputMemory outputs = outputMemory(parsed, inputs);
      if (run.expectation != Expectation::Agrees) continue;  // of an axis that is empty now, any index is bad
      EXPECT_NO_THROW(cache.run(inputs, outputs.refs)) << text;
    }
  }
  EXPECT_GT(met, kCases / 2);
  for (const EdgeKindInfo& info : allEdgeKinds()) {
    for (EdgeSide side : {EdgeSide::Below, EdgeSide::At, EdgeSide::Above})
      EXPECT_GT((runs[{info.kind, side}]), 1) << info.name << " " << edgeSideName(side);
    EXPECT_EQ(invented.count(info.kind), 1u) << info.name;
  }
}

// What a run is said to meet is what it has.
TEST(AtAnEdgeTest, ASizeIsOneBelowAtOrOneAboveTheNumber) {
  std::set<int64_t> sizes;
  for (uint64_t draw = 0; draw < 200; ++draw) {
    Case testCase = parseCase(R"(
fusion f(%x: f32[i0]) {
  %s = sum(%x) {dims = [0]}
  return %s
}
run { %x = normal(seed = 1) : f32[100] }
)",
                              "test");
    Choices choices(1, draw);
    const EdgeDraw edge = moveToEdge(testCase, choices, {});
    ASSERT_EQ(edge.met.size(), 1u);
    const int64_t size = std::get<TensorInput>(testCase.runs[0].inputs[0].value).sizes[0];
    const std::string& text = testCase.metadata.back().second;
    EXPECT_NE(text.find(concat("run 0: i0 = ", size, ", ", edgeSideName(edge.met[0].side), " ",
                               edgeKindName(edge.met[0].kind), " ", size + 1 - static_cast<int64_t>(edge.met[0].side))),
              std::string::npos)
        << text << " " << size;
    sizes.insert(size);
  }
  for (int64_t size : {31, 32, 33, 127, 128, 129}) EXPECT_EQ(sizes.count(size), 1u) << size;
}

TEST(AtAnEdgeTest, ACampaignHasThemInOneCaseInTwentyOrMore) {
  constexpr uint64_t kCases = 400;
  size_t moved = 0;
  for (uint64_t number = 0; number < kCases; ++number) {
    EdgeDraw draw;
    const Case drawn = generateCase(5, number, smallCases());
    const Case testCase = campaignCase(5, number, smallCases(), &draw);
    moved += !draw.met.empty();
    EXPECT_TRUE(isPrefix(drawn.metadata, testCase));
    EXPECT_EQ(printFusion(*testCase.fusion), printFusion(*drawn.fusion)) << "only sizes and the device change";
    if (draw.met.empty()) {
      EXPECT_EQ(printCase(testCase), printCase(drawn));
    } else {
      EXPECT_EQ(printCase(campaignCase(5, number, smallCases())), printCase(testCase)) << "the same each time";
    }
  }
  EXPECT_GE(moved, kCases / 20);
}

TEST(AtAnEdgeTest, ACaseWithoutFreeSizesSaysSo) {
  Case testCase = parseCase(R"(
fusion f(%x: f32[8]) {
  %y = neg(%x)
  return %y
}
run { %x = normal(seed = 1) : f32[8] }
)",
                            "test");
  Choices choices(1, 1);
  EXPECT_EQ(moveToEdge(testCase, choices, {}).whyNone, "its sizes are constants, or operands");
  EXPECT_TRUE(testCase.metadata.empty());
}

}  // namespace
}  // namespace fuser::fuzz
