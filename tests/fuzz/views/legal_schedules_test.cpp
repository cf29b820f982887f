// A segment whose drawn schedules are refused does not cost the others theirs.

#include "fuzz/views/legal_schedules.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "fuser/ir/clone.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/runtime/fusion_executor_cache.h"
#include "fuser/text/parser.h"

namespace fuser::fuzz {
namespace {

constexpr const char* kTwoSegments = R"(
fusion f(%x: f32[i0]) {
  %a = exp(%x)
  %c = segment_set(%a)
  %y = neg(%c)
  return %y
}
run { %x = normal(seed = 1) : f32[100] }
)";

// Runs until nothing is refused; returns how often something was.
int refusals(const Case& testCase, LegalSchedules& legal) {
  const RunData data = materialize(testCase, testCase.runs.front());
  FusionExecutorCache::Settings settings = settingsOf(testCase);
  settings.context.observers.push_back(&legal);
  const std::shared_ptr<const Fusion> fusion = cloneFusion(*testCase.fusion).fusion;
  for (int refused = 0; refused < 20; ++refused) {
    try {
      FusionExecutorCache(fusion, settings).run(hostValues(data));
      return refused;
    } catch (const UserError&) {
      if (!legal.refuse()) break;
    }
  }
  return -1;
}

bool makes(const Fusion& part, const std::string& name) {
  for (const Val* output : part.outputs()) {
    if (output->name() == name) return true;
  }
  return false;
}

Transform wideIndices() {
  Transform step;
  step.kind = TransformKind::IndexType;
  return step;
}

TEST(LegalSchedulesTest, ASegmentThatIsRefusedDrawsAgainAndTheOthersKeepTheirs) {
  const Case testCase = parseCase(kTwoSegments, "case");
  int draws = 0;
  LegalSchedules legal([&](const Fusion& part, Schedule& schedule) {
    ++draws;
    schedule.push_back(wideIndices());
    if (makes(part, "y") && draws < 4) schedule.back().kind = TransformKind::Merge;  // of no tensor
  });
  EXPECT_EQ(refusals(testCase, legal), 2);
  EXPECT_EQ(legal.drawn().size(), 2u);
  EXPECT_EQ(draws, 4) << "the first segment drew once";
}

TEST(LegalSchedulesTest, ASegmentThatIsAlwaysRefusedKeepsItsOwn) {
  const Case testCase = parseCase(kTwoSegments, "case");
  LegalSchedules legal([&](const Fusion& part, Schedule& schedule) {
    schedule.push_back(wideIndices());
    if (makes(part, "y")) schedule.back().kind = TransformKind::Merge;
  });
  EXPECT_EQ(refusals(testCase, legal), 4);
  EXPECT_EQ(legal.drawn().size(), 1u);
}

// What makes a launch too large is known when it is launched.
TEST(LegalSchedulesTest, ALaunchIsItsSegments) {
  const Case testCase = parseCase(kTwoSegments, "case");
  struct RefuseFirst final : CompileObserver {
    void beforeLaunch(const Kernel&, KernelArguments&) override { FUSER_USER_CHECK(refused++ > 0, "too large"); }
    int refused = 0;
  } refuse;
  LegalSchedules legal([&](const Fusion&, Schedule& schedule) { schedule.push_back(wideIndices()); });
  const RunData data = materialize(testCase, testCase.runs.front());
  FusionExecutorCache::Settings settings = settingsOf(testCase);
  settings.context.observers = {&legal, &refuse};
  const std::shared_ptr<const Fusion> fusion = cloneFusion(*testCase.fusion).fusion;
  EXPECT_THROW(FusionExecutorCache(fusion, settings).run(hostValues(data)), UserError);
  EXPECT_TRUE(legal.refuse());
  EXPECT_EQ(legal.drawn().size(), 1u);
  EXPECT_EQ(legal.drawn().count(1), 1u) << "the first kernel was refused";
}

TEST(LegalSchedulesTest, WhatIsRefusedWithoutADrawIsTheCases) {
  LegalSchedules legal([](const Fusion&, Schedule&) {});
  EXPECT_FALSE(legal.refuse());
}

}  // namespace
}  // namespace fuser::fuzz
