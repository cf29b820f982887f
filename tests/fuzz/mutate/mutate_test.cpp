// Mutations of generated cases: each has places, and what comes of it is a case that prints and parses.

#include "fuzz/mutate/mutate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "fuser/ir/equality.h"
#include "fuser/ir/verify.h"
#include "fuser/support/set_up_error.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuzz/generate/generate.h"

namespace fuser::fuzz {
namespace {

void expectCase(const Case& drawnCase) {
  verify(*drawnCase.fusion);
  const std::string text = printCase(drawnCase);
  const Case again = parseCase(text, "mutated");
  EXPECT_EQ(printCase(again), text);
  EXPECT_EQ(firstDifference(*again.fusion, *drawnCase.fusion), "");
}

TEST(MutantTest, AProgramWithoutOutputsIsNoMutant) {
  CaseEdit edit = editForMutation(parseCase("fusion f(%x: f32[i0]) { %y = exp(%x) return %y }", "text"));
  EXPECT_NO_THROW(finishMutant(edit));
  edit.outputs.clear();
  EXPECT_THROW(finishMutant(edit), UserError);
}

TEST(MutantTest, HasNoScheduleAndNoMetadataAndMayBeRejected) {
  const Case testCase = parseCase(
      "#: note = gone\nfusion f(%x: f32[i0]) { %y = exp(%x) return %y }\n"
      "schedule segment 0 { merge %y {axis = 0} }\nrun { %x = normal(seed = 1) : f32[6] }\n",
      "text");
  ASSERT_EQ(testCase.segmentSchedules.size(), 1u);
  const Case drawnCase = finishMutant(editForMutation(testCase));
  EXPECT_TRUE(drawnCase.segmentSchedules.empty() && drawnCase.metadata.empty());
  EXPECT_EQ(drawnCase.runs.at(0).expectation, Expectation::AgreesOrRejected);
}

// A program without results parses, and most of what is made of it is no case.
TEST(MutantTest, ASetUpErrorIsNoMutant) {
  CaseEdit edit = editForMutation(parseCase("fusion f(%x: f32[i0]) { %y = exp(%x) return %y }", "text"));
  Choices choices(1, 1);
  EXPECT_FALSE(changeCase(edit, choices, [](Case&, Choices&) -> bool { throw UserError("does not fit"); }));
  EXPECT_THROW(changeCase(edit, choices, [](Case&, Choices&) -> bool { throw SetUpError("no room"); }), SetUpError);
}

TEST(MutateTest, ACaseThatNoMutationFitsIsUnchanged) {
  const Case empty = parseCase("fusion f(%x: f32[i0]) { return }", "text");
  size_t kept = 0;
  for (uint64_t number = 0; number < 50; ++number) {
    Choices choices(1, number);
    const Mutated mutated = mutate(empty, choices);
    if (!mutated.mutation.empty()) continue;
    ++kept;
    EXPECT_EQ(printCase(mutated.testCase), printCase(empty));
  }
  EXPECT_GT(kept, 0u);
}

class MutationTest : public testing::TestWithParam<Mutation> {};

TEST_P(MutationTest, FindsPlacesAndChangesTheCase) {
  int places = 0, cases = 0, changed = 0;
  for (uint64_t number = 0; number < 150; ++number) {
    Choices choices(2, number);
    const Case drawnCase = generateCase(3, number);
    const CaseEdit donor = editForMutation(generateCase(4, number));
    CaseEdit edit = editForMutation(drawnCase);
    if (!GetParam().apply(edit, &donor, choices)) continue;
    ++places;
    try {
      const Case mutated = finishMutant(edit);
      ++cases;
      changed += printCase(mutated) != printCase(finishMutant(editForMutation(drawnCase)));
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
    Case drawnCase = generateCase(6, number);
    const Case donor = generateCase(7, number);
    for (int step = 0; step < 8; ++step) {
      Mutated mutated = mutate(drawnCase, choices, step == 4 ? &donor : nullptr);
      ++seen[mutated.mutation];
      drawnCase = std::move(mutated.testCase);
    }
    expectCase(drawnCase);
  }
  EXPECT_EQ(seen.count(""), 0u) << "twelve tries gave no case";
  EXPECT_GE(seen.size(), 12u);
}

TEST(MutateTest, TheSameChoicesGiveTheSameMutation) {
  for (uint64_t number = 0; number < 30; ++number) {
    const Case drawnCase = generateCase(8, number), donor = generateCase(9, number);
    Choices first(1, number), second(1, number);
    EXPECT_EQ(printCase(mutate(drawnCase, first, &donor).testCase),
              printCase(mutate(drawnCase, second, &donor).testCase));
  }
}

TEST(MutateTest, EveryFileHasALine) {
  for (const auto& entry : std::filesystem::directory_iterator("fuzz/mutate")) {
    const std::string file = entry.path().filename();
    const std::set<std::string> machinery = {"mutate.cpp", "mutant.cpp", "parents.cpp", "host_program.cpp"};
    if (!file.ends_with(".cpp") || machinery.count(file) != 0) continue;
    EXPECT_TRUE(std::any_of(allMutations().begin(), allMutations().end(), [&](const Mutation& mutation) {
      return mutation.file == file;
    })) << file;
  }
}

}  // namespace
}  // namespace fuser::fuzz
