// Random cases reach both sides of a device's index_bound.
#include <gtest/gtest.h>

#include "fuser/execute/engine.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/runtime/fusion_executor_cache.h"
#include "fuzz/generate/generate.h"
#include "fuzz/views/views.h"
#include "tests/fuser/analysis/stage_observers.h"

namespace fuser::fuzz {
namespace {

struct Launches {
  int narrow = 0, wide = 0, said = 0;  // said: of a width that the schedule says
};

// The launches of the first `count` cases of a seed that have the view, in it.
Launches launchesIn(const std::string& name, uint64_t count) {
  Launches launches;
  BeforeLaunch counting([&](const Kernel& kernel, KernelArguments& arguments) {
    ++(arguments.narrow ? launches.narrow : launches.wide);
    launches.said += kernel.fixedWidth;
  });
  const View* view = nullptr;
  for (const View& each : allViews()) view = each.name == name ? &each : view;
  GeneratorOptions small;
  small.medianElements = 128;
  for (uint64_t number = 0; number < count; ++number) {
    const Case testCase = generateCase(11, number, small);
    const std::optional<Case> other = viewOf(*view, testCase, number);
    if (!other || other->runs.empty() || other->runs.front().expectation == Expectation::Rejected) continue;
    FusionExecutorCache::Settings settings = settingsOf(*other);
    settings.context.observers.push_back(&counting);
    const RunData data = materialize(*other, other->runs.front());
    const std::shared_ptr<const Fusion> fusion(other->fusion.get(), [](const Fusion*) {});
    try {
      FusionExecutorCache(fusion, settings).run(hostValues(data));
    } catch (const UserError&) {  // a case that is rejected without the view, too
    }
  }
  return launches;
}

TEST(IndexWidthViewTest, OnAnotherDeviceBothWidthsAreCommon) {
  const Launches launches = launchesIn("on another device", 300);
  EXPECT_GT(launches.narrow, 30);
  EXPECT_GT(launches.wide, 30);
  EXPECT_EQ(launches.said, 0);
}

TEST(IndexWidthViewTest, RandomSchedulesSayTheWidthSometimes) {
  const Launches launches = launchesIn("random schedule", 150);
  EXPECT_GT(launches.said, 8);
  EXPECT_GT(launches.narrow, 4 * launches.wide);
  EXPECT_GT(launches.wide, 2);
}

}  // namespace
}  // namespace fuser::fuzz
