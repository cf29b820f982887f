#include "fuzz/campaign/target_faults.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "fuser/text/printer.h"
#include "fuzz/generate/generate.h"

namespace fuser::fuzz {
namespace {

TEST(TargetFaultsTest, EachOneMakesAnotherProgramWithTheSameOutputs) {
  constexpr uint64_t kCases = 40;
  for (const FaultInfo& fault : targetFaults()) {
    if (fault.stage != FaultStage::Fusion) continue;  // of answers
    uint64_t applied = 0;
    for (uint64_t number = 0; number < kCases; ++number) {
      const Case testCase = generateCase(1, number);
      const std::optional<Case> other = miscompiled(testCase, fault.name, number);
      if (!other) continue;
      ++applied;
      ASSERT_EQ(other->fusion->outputs().size(), testCase.fusion->outputs().size()) << fault.name;
      for (size_t i = 0; i < testCase.fusion->outputs().size(); ++i)
        EXPECT_EQ(other->fusion->outputs()[i]->dtype(), testCase.fusion->outputs()[i]->dtype()) << fault.name;
      EXPECT_EQ(printCase(*miscompiled(testCase, fault.name, number)), printCase(*other)) << "the same draw twice";
    }
    EXPECT_GT(applied, kCases / 4) << fault.name;
  }
}

// A run with one output of f32.
AnswerRun runOf(uint32_t index, const std::vector<float>& numbers) {
  AnswerTensor output{DataType::Float, {static_cast<int64_t>(numbers.size())}, {1}, std::string(4 * numbers.size(), 0)};
  std::memcpy(output.elements.data(), numbers.data(), output.elements.size());
  return {index, {output}};
}

std::vector<float> numbersOf(const AnswerRun& run) {
  std::vector<float> numbers(run.outputs[0].elements.size() / 4);
  std::memcpy(numbers.data(), run.outputs[0].elements.data(), run.outputs[0].elements.size());
  return numbers;
}

TEST(TargetFaultsTest, EachOneOfAnswersChangesWhatItSays) {
  const auto changed = [](std::string_view fault, const std::vector<std::vector<float>>& given) {
    std::vector<AnswerRun> runs;
    for (const std::vector<float>& numbers : given) runs.push_back(runOf(static_cast<uint32_t>(runs.size()), numbers));
    const bool isChanged = misanswer(runs, fault, 1);
    std::vector<std::vector<float>> after;
    for (const AnswerRun& run : runs) after.push_back(numbersOf(run));
    EXPECT_EQ(isChanged, after != given) << fault;
    return after;
  };
  using Runs = std::vector<std::vector<float>>;
  EXPECT_EQ(changed("last-bit", {{0, 1, 0}}), (Runs{{0, std::nextafter(1.0F, 2.0F), 0}}));
  EXPECT_EQ(changed("last-bit", {{0, INFINITY}}), (Runs{{0, INFINITY}}));
  EXPECT_EQ(changed("last-element", {{1, 2, 3}}), (Runs{{1, 2, 2}}));
  EXPECT_EQ(changed("last-element", {{1, 3, 3}, {4}}), (Runs{{1, 3, 3}, {4}}));
  EXPECT_EQ(changed("lost-nan", {{1, 2}, {3, 4}}), (Runs{{1, 2}, {3, 4}}));
  EXPECT_EQ(changed("stale-run", {{1, 2}, {3, 4}, {5}}), (Runs{{1, 2}, {1, 2}, {5}}));
  std::vector<AnswerRun> runs = {runOf(0, {1, NAN})};
  EXPECT_TRUE(misanswer(runs, "lost-nan", 1));
  EXPECT_EQ(numbersOf(runs[0]), (std::vector<float>{1, 0}));
  EXPECT_FALSE(misanswer(runs, "another-op", 1));
  EXPECT_FALSE(miscompiled(generateCase(1, 0), "last-bit", 0).has_value());
}

TEST(TargetFaultsTest, AnUnknownNameIsAnError) {
  EXPECT_THROW(miscompiled(generateCase(1, 0), "no-such-fault", 0), UserError);
  std::vector<AnswerRun> runs;
  EXPECT_THROW(misanswer(runs, "no-such-fault", 0), UserError);
}

}  // namespace
}  // namespace fuser::fuzz
