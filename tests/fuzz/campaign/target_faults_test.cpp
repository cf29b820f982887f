#include "fuzz/campaign/target_faults.h"

#include <gtest/gtest.h>

#include "fuser/text/printer.h"
#include "fuzz/generate/generate.h"

namespace fuser::fuzz {
namespace {

TEST(TargetFaultsTest, EachOneMakesAnotherProgramWithTheSameOutputs) {
  constexpr uint64_t kCases = 40;
  for (const FaultInfo& fault : targetFaults()) {
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

TEST(TargetFaultsTest, AnUnknownNameIsAnError) {
  EXPECT_THROW(miscompiled(generateCase(1, 0), "no-such-fault", 0), UserError);
}

}  // namespace
}  // namespace fuser::fuzz
