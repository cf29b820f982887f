// Decisions that only make a kernel slower: no result shows them, so the table of costs has to. Each is planted in the
// schedule that a scheduler chose, and the same case costs more.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "fuser/analysis/stage_observers.h"
#include "fuser/runtime/case_cost.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/runtime/fusion_executor_cache.h"
#include "fuser/text/parser.h"

namespace fuser {
namespace {

// Costs before and after the edit of the first segment's schedule, which finds a place.
struct Costs {
  LaunchCost before, after;
};

Costs costsOf(const std::string& text, const std::function<bool(Schedule&)>& edit) {
  Case testCase = parseCase(text, "case");
  const CaseCost before = costOf(testCase, {.registers = false});
  Schedule chosen;
  AfterSchedule keep([&](int segment, Fusion&, Schedule& schedule) {
    if (segment == 0) chosen = schedule;
  });
  FusionExecutorCache::Settings settings = settingsOf(testCase);
  settings.context.options.device = 0;  // as costOf
  settings.context.observers = {&keep};
  FusionExecutorCache cache(std::shared_ptr<const Fusion>(std::shared_ptr<const Fusion>(), testCase.fusion.get()),
                            settings);
  cache.run(hostValues(materialize(testCase, testCase.runs.at(0))));
  testCase.segmentSchedules[0] = chosen;
  EXPECT_EQ(toTable(costOf(testCase, {.registers = false}), "case"), toTable(before, "case"));
  EXPECT_TRUE(edit(testCase.segmentSchedules[0]));
  return {before.total, costOf(testCase, {.registers = false}).total};
}

bool eraseAll(Schedule& schedule, TransformKind kind) {
  return std::erase_if(schedule, [&](const Transform& each) { return each.kind == kind; }) > 0;
}

constexpr const char* kProduct = R"(fusion f(%a: f32[i0, i1], %b: f32[i1, i2]) {
  %y = matmul(%a, %b)
  return %y
}
run {
  %a = integers(seed = 1, low = -3, high = 4) : f32[64, 64]
  %b = integers(seed = 2, low = -3, high = 4) : f32[64, 64]
}
)";

// The second side lies along the terms, so that neighbouring threads read elements that are a row apart.
TEST(SlowerSchedulesTest, TilesOfAProductWithoutPaddingHaveBankConflicts) {
  const Costs costs = costsOf(R"(fusion f(%a: f32[i0, i1], %b: f32[i2, i1]) {
  %y = linear(%a, %b)
  return %y
}
run {
  %a = integers(seed = 1, low = -3, high = 4) : f32[64, 64]
  %b = integers(seed = 2, low = -3, high = 4) : f32[64, 64]
}
)",
                              [](Schedule& schedule) { return eraseAll(schedule, TransformKind::Pad); });
  EXPECT_GT(costs.after.bankConflicts, costs.before.bankConflicts);
}

// A thread has one row of sums instead of two: twice as many blocks load the columns.
TEST(SlowerSchedulesTest, SmallerTilesOfAProductAreLoadedMoreOften) {
  const Costs costs = costsOf(kProduct, [](Schedule& schedule) {
    bool changed = false;
    for (Transform& each : schedule) {
      if (each.kind != TransformKind::Split || each.axis != 0 || each.factor != 2) continue;
      each.factor = 1;
      changed = true;
    }
    return changed;
  });
  EXPECT_GT(costs.after.perBlock, costs.before.perBlock);
  EXPECT_EQ(costs.after.compulsory, costs.before.compulsory);
}

TEST(SlowerSchedulesTest, ElementsOneByOneRequestSectorsAgain) {
  const Costs costs = costsOf(R"(fusion f(%x: f32[i0, i1]) {
  %y = neg(%x)
  return %y
}
run { %x = integers(seed = 1, low = -3, high = 4) : f32[64, 64] }
)",
                              [](Schedule& schedule) {
                                bool changed = false;
                                for (Transform& each : schedule) {
                                  const bool moves =
                                      each.kind == TransformKind::Parallelize && each.type == ParallelType::Vectorize;
                                  if (moves) each.type = ParallelType::Unroll;
                                  changed |= moves;
                                }
                                return changed;
                              });
  EXPECT_GT(costs.after.requested, costs.before.requested);
}

}  // namespace
}  // namespace fuser
