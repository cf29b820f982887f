// Mutations of generated cases: each has places, and what comes of it is a case that prints and parses.

#include "fuzz/mutate/mutate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "fuser/ir/equality.h"
#include "fuser/ir/verify.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuzz/generate/generate.h"

namespace fuser::fuzz {
namespace {

void expectCase(const Case& made) {
  verify(*made.fusion);
  const std::string text = printCase(made);
  const Case again = parseCase(text, "mutated");
  EXPECT_EQ(printCase(again), text);
  EXPECT_EQ(firstDifference(*again.fusion, *made.fusion), "");
}

TEST(DraftTest, WhatIsNoCaseIsAUserError) {
  Draft draft = draftOf(parseCase("fusion f(%x: f32[i0]) { %y = exp(%x) return %y }", "text"));
  draft.lines[0].operands[0] = "nowhere";
  EXPECT_THROW(finish(draft), UserError);
  draft.outputs.clear();
  draft.lines.clear();
  EXPECT_THROW(finish(draft), UserError);
}

TEST(DraftTest, AnInsertedLineIsReadByAllThatFollow) {
  Draft draft = draftOf(parseCase("fusion f(%x: f32[i0]) { %y = exp(%x) %z = add(%y, %x) return %y, %z }", "text"));
  draft.insertBehind(*draft.find("y"), {{"s"}, OpKind::SegmentSet, {"y"}});
  const std::string wanted =
      "fusion f(%x: f32[i0]) { %y = exp(%x) %s = segment_set(%y) %z = add(%s, %x) return %s, %z }";
  EXPECT_EQ(printFusion(*finish(draft).fusion), printFusion(*parseFusion(wanted)));
}

TEST(DraftTest, WhatTheTextCannotHoldIsAUserError) {
  const Case testCase = parseCase(
      "fusion f(%x: f32[i0, 4]) { %y = expand(%x) {shape = [i0, -1]} return %y }\n"
      "run { %x = normal(seed = 1) : f32[2, 4] {strides = [4, 1]} }\n",
      "text");
  const auto refuses = [&](void (*edit)(Draft& draft)) {
    Draft draft = draftOf(testCase);
    finish(draft);
    edit(draft);
    EXPECT_THROW(finish(draft), UserError);
  };
  refuses([](Draft& draft) { draft.inputs[0].name = std::string(200, 'x'); });
  refuses([](Draft& draft) { draft.lines[0].results = {"x"}; });
  refuses([](Draft& draft) { draft.lines[0].results = {"y", "z"}; });
  refuses([](Draft& draft) { draft.lines[0].operands = {"x", "x"}; });
  refuses([](Draft& draft) { draft.lines[0].operands = {ScalarValue(1.0)}; });
  refuses([](Draft& draft) { draft.lines[0].attributes = {}; });
  const auto refusesSize = [&](void (*edit)(DraftExtents& extents, std::vector<IntExpr>& shape)) {
    Draft draft = draftOf(testCase);
    std::vector<IntExpr> shape = draft.lines[0].attributes.shape();
    edit(draft.extents, shape);
    draft.lines[0].attributes.shape(shape);
    EXPECT_THROW(finish(draft), UserError);
  };
  refusesSize([](DraftExtents& extents, std::vector<IntExpr>& shape) { shape[0] = extents.named("i7"); });
  refusesSize([](DraftExtents& extents, std::vector<IntExpr>& shape) { shape[0] = extents.named("%x"); });
  refusesSize([](DraftExtents& extents, std::vector<IntExpr>& shape) { shape[0] = extents.constant(-2); });
  refuses([](Draft& draft) { draft.runs[0].inputs.clear(); });
  refuses([](Draft& draft) { draft.runs[0].inputs[0].name = "y"; });
  refuses([](Draft& draft) { draft.runs[0].inputs[0].value = ScalarValue(1.0); });
  refuses([](Draft& draft) { std::get<TensorInput>(draft.runs[0].inputs[0].value).strides = Dims{1}; });
  refuses([](Draft& draft) { std::get<TensorInput>(draft.runs[0].inputs[0].value).offset = -1; });
  refuses([](Draft& draft) {
    Recipe& recipe = std::get<TensorInput>(draft.runs[0].inputs[0].value).recipe;
    recipe.kind = RecipeKind::View;
    recipe.viewOf = "y";
  });
}

TEST(DraftTest, ASizePastTheTextsLimitsIsAUserError) {
  const Case testCase = parseCase("fusion f(%x: f32[i0, 4]) { %y = exp(%x) return %y }", "text");
  const auto withSize = [&](int64_t size) {
    Draft draft = draftOf(testCase);
    draft.inputs[0].axes[1].extent = draft.extents.constant(size);
    return printCase(finish(draft));
  };
  constexpr int64_t kMost = int64_t{1} << 40;
  const std::string text = withSize(kMost);
  EXPECT_EQ(printCase(parseCase(text, "most")), text);
  EXPECT_THROW(withSize(kMost + 1), UserError);
  EXPECT_THROW(withSize(-1), UserError);
}

// A program without results parses, and most of what is made of it is no case.
TEST(MutateTest, WhatNoMutationFitsStaysAsItIs) {
  const Case empty = parseCase("fusion f(%x: f32[i0]) { return }", "text");
  size_t kept = 0;
  for (uint64_t number = 0; number < 50; ++number) {
    Choices choices(1, number);
    const Mutated mutated = mutate(empty, choices);
    if (!mutated.mutation.empty()) continue;
    ++kept;
    EXPECT_EQ(printCase(mutated.made), printCase(empty));
  }
  EXPECT_GT(kept, 0u);
}

class MutationTest : public testing::TestWithParam<Mutation> {};

TEST_P(MutationTest, FindsPlacesAndGivesOtherCases) {
  int places = 0, cases = 0, changed = 0;
  for (uint64_t number = 0; number < 150; ++number) {
    Choices choices(2, number);
    const Case made = generateCase(3, number);
    const Draft donor = draftOf(generateCase(4, number));
    Draft draft = draftOf(made);
    if (!GetParam().apply(draft, &donor, choices)) continue;
    ++places;
    try {
      const Case mutated = finish(draft);
      ++cases;
      changed += printCase(mutated) != printCase(finish(draftOf(made)));
      expectCase(mutated);
    } catch (const UserError&) {
      // Not every edit gives a case.
    }
  }
  EXPECT_GE(places, 15);
  EXPECT_GE(cases, places / 8) << "hardly any place gives a case";
  EXPECT_GE(changed, cases / 2);
}

std::vector<Mutation> mutations() { return {allMutations().begin(), allMutations().end()}; }

INSTANTIATE_TEST_SUITE_P(Each, MutationTest, testing::ValuesIn(mutations()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(MutateTest, ChainsOfMutationsStayCases) {
  std::map<std::string_view, int> seen;
  for (uint64_t number = 0; number < 30; ++number) {
    Choices choices(5, number);
    Case made = generateCase(6, number);
    const Case donor = generateCase(7, number);
    for (int step = 0; step < 8; ++step) {
      Mutated mutated = mutate(made, choices, step == 4 ? &donor : nullptr);
      ++seen[mutated.mutation];
      made = std::move(mutated.made);
    }
    expectCase(made);
  }
  EXPECT_EQ(seen.count(""), 0u) << "twelve tries gave no case";
  EXPECT_GE(seen.size(), 12u);
}

TEST(MutateTest, TheSameChoicesGiveTheSameMutation) {
  for (uint64_t number = 0; number < 30; ++number) {
    const Case made = generateCase(8, number), donor = generateCase(9, number);
    Choices first(1, number), second(1, number);
    EXPECT_EQ(printCase(mutate(made, first, &donor).made), printCase(mutate(made, second, &donor).made));
  }
}

TEST(MutateTest, EveryFileHasALine) {
  for (const auto& entry : std::filesystem::directory_iterator("fuzz/mutate")) {
    const std::string file = entry.path().filename();
    const std::set<std::string> machinery = {"mutate.cpp",     "draft.cpp",  "draft_extents.cpp", "make_program.cpp",
                                             "check_made.cpp", "finish.cpp", "placement.cpp",     "host_program.cpp"};
    if (!file.ends_with(".cpp") || machinery.count(file) != 0) continue;
    EXPECT_TRUE(std::any_of(allMutations().begin(), allMutations().end(), [&](const Mutation& mutation) {
      return mutation.file == file;
    })) << file;
  }
}

}  // namespace
}  // namespace fuser::fuzz
