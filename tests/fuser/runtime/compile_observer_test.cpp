// Observers of a compilation and of runs: who is called, when, in which order, and what each sees of the others' edits.

#include "fuser/analysis/compile_observer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "fuser/analysis/segment_decisions.h"
#include "fuser/ir/clone.h"
#include "fuser/lower/lower.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/runtime/plan_groups.h"
#include "fuser/runtime/run_request.h"
#include "fuser/segment/segment_candidate_finder.h"
#include "fuser/text/parser.h"
#include "tests/fuser/analysis/stage_observers.h"

namespace fuser {
namespace {

using Log = std::vector<std::string>;

// Writes down each stage. Of the passes, and of the steps of lowering, one.
class Recorder final : public CompileObserver {
 public:
  Recorder(Log& log, std::string name) : log_(log), name_(std::move(name)) {}

  void beforeCompile(std::span<const HostValue> inputs) override { note("beforeCompile ", inputs.size()); }
  void beforePasses(Fusion&) override { note("beforePasses"); }
  void afterApplication(std::string_view pass, Fusion&, bool& modified) override {
    if (pass == "ConsecutiveCastPass") note("afterApplication ", modified ? "changed" : "unchanged");
  }
  void afterPass(std::string_view pass, const Fusion&, bool modified) override {
    if (pass == "ConsecutiveCastPass") note("afterPass ", modified ? "changed" : "unchanged");
  }
  void afterPasses(Fusion&) override { note("afterPasses"); }
  void afterDecisions(const SegmentDecisions& decisions) override {
    note("afterDecisions ", decisions.counters().groups, decisions.explanation().empty() ? "" : " explained");
  }
  void afterSegment(std::unique_ptr<SegmentedFusion>&) override { note("afterSegment"); }
  void beforeSegmentCache(const Fusion&, CacheSettings&) override { note("beforeSegmentCache"); }
  void afterSchedule(int segment, Fusion&, Schedule&) override { note("afterSchedule ", segment); }
  void afterApplySchedule(int segment, Fusion&) override { note("afterApplySchedule ", segment); }
  void afterLowerStep(int segment, std::string_view step, const Kernel&) override {
    if (step == lowerSteps().back().name) note("afterLowerStep ", segment);
  }
  void afterLower(int segment, Kernel&) override { note("afterLower ", segment); }
  void afterHost(HostIrContainer&) override { note("afterHost"); }
  void afterCompile(CompiledProgram&) override { note("afterCompile"); }
  void beforeRun(RunRequest&) override { note("beforeRun"); }
  void beforeLaunch(const Kernel& kernel, KernelArguments&) override { note("beforeLaunch ", kernel.name); }

 private:
  template <class... Parts>
  void note(const Parts&... parts) {
    log_.push_back(concat(name_, parts...));
  }

  Log& log_;
  const std::string name_;
};

constexpr const char* kTwoSegments = R"(
fusion f(%x: f32[i0, i1]) {
  %w = cast(%x) {dtype = f64}
  %a = cast(%w) {dtype = f32}
  %s = sum(%a) {dims = [1]}
  %c = segment_set(%s)
  %y = neg(%c)
  return %y
}
run { %x = integers(seed = 1, low = 0, high = 3) : f32[4, 5] }
run { %x = integers(seed = 2, low = 0, high = 3) : f32[4, 5] }
)";

// Runs all of the case's runs through one cache.
CacheCounters runAll(const std::string& text, const std::vector<CompileObserver*>& observers) {
  const Case testCase = parseCase(text, "test");
  FusionExecutorCache::Settings settings = settingsOf(testCase);
  settings.context.observers = observers;
  FusionExecutorCache cache({testCase.fusion.get(), [](const Fusion*) {}}, std::move(settings));
  for (const Run& run : testCase.runs) {
    const RunData data = materialize(testCase, run);
    cache.run(hostValues(data));
  }
  return cache.counters();
}

TEST(CompileObserverTest, SeesEachStageOfACompilationOnceAndEachRun) {
  Log log;
  Recorder recorder(log, "");
  runAll(kTwoSegments, {&recorder});
  EXPECT_EQ(log, (Log{"beforeRun",
                      "beforeCompile 1",
                      "beforePasses",
                      "afterApplication changed",
                      "afterApplication unchanged",
                      "afterPass changed",
                      "afterPasses",
                      "afterDecisions 2 explained",
                      "afterSegment",
                      "afterSchedule 0",
                      "afterApplySchedule 0",
                      "afterLowerStep 0",
                      "afterLower 0",
                      "afterSchedule 1",
                      "afterApplySchedule 1",
                      "afterLowerStep 1",
                      "afterLower 1",
                      "afterHost",
                      "afterCompile",
                      "beforeLaunch k0_reduction",
                      "beforeLaunch k1_pointwise",
                      "beforeRun",
                      "beforeLaunch k0_reduction",
                      "beforeLaunch k1_pointwise"}));
}

TEST(CompileObserverTest, CallsAllObserversInListOrderAtEachStage) {
  Log alone, together;
  Recorder one(alone, "");
  runAll(kTwoSegments, {&one});
  Recorder first(together, "first "), second(together, "second ");
  runAll(kTwoSegments, {&first, &second});
  Log expected;
  for (const std::string& stage : alone) {
    expected.push_back("first " + stage);
    expected.push_back("second " + stage);
  }
  EXPECT_EQ(together, expected);
}

// Each edit lasts: the one that comes later edits what the earlier one left, and whoever looks sees both.
TEST(CompileObserverTest, ALaterObserverSeesEditsOfEarlierOnes) {
  AfterLower first([](int, Kernel& kernel) { kernel.name += "_first"; });
  AfterLower second([](int, Kernel& kernel) { kernel.name += "_second"; });
  Log names;
  BeforeLaunch looking([&](const Kernel& kernel, KernelArguments&) { names.push_back(kernel.name); });
  runAll(kTwoSegments, {&first, &second, &looking});
  EXPECT_EQ(names, (Log{"k0_reduction_first_second", "k1_pointwise_first_second", "k0_reduction_first_second",
                        "k1_pointwise_first_second"}));
}

TEST(CompileObserverTest, AReplacedSegmentationIsObservedAndCompiled) {
  size_t before = 0, after = 0;
  AfterSegment exchanging([&](std::unique_ptr<SegmentedFusion>& segmented) {
    before = segmented->groups().size();
    segmented = segmentAsOne(segmented->completeFusion());
  });
  AfterSegment looking([&](const auto& segmented) { after = segmented->groups().size(); });
  Log log;
  Recorder recorder(log, "");
  runAll(kTwoSegments, {&exchanging, &looking, &recorder});
  EXPECT_EQ(before, 2u);
  EXPECT_EQ(after, 1u);
  EXPECT_EQ(std::count(log.begin(), log.end(), "beforeSegmentCache"), 1) << "no scheduler takes it as one kernel";
}

constexpr const char* kMergedAnyway = R"(
fusion f(%x: f32[i0, i1]) {
  %m = amax(%x) {dims = [1], keepdim = true}
  %d = sub(%x, %m)
  %s = sum(%d) {dims = [1], keepdim = true}
  %y = div(%d, %s)
  return %y
}
option merge_predicate = "always"
run { %x = integers(seed = 1, low = 1, high = 9) : f32[4, 6] }
)";

class WatchesSegmentCaches final : public CompileObserver {
 public:
  explicit WatchesSegmentCaches(CompileObserver& inner) : inner_(inner) {}
  void beforeSegmentCache(const Fusion&, CacheSettings& settings) override {
    settings.context.observers.push_back(&inner_);
  }

 private:
  CompileObserver& inner_;
};

// What happens in the cache of a segment is seen by those that are added for it, and by no others.
TEST(CompileObserverTest, ASegmentCacheHasItsOwnObservers) {
  Log outer, inner;
  Recorder outside(outer, ""), inside(inner, "");
  runAll(kMergedAnyway, {&outside});
  EXPECT_EQ(outer, (Log{"beforeRun", "beforeCompile 1", "beforePasses", "afterApplication unchanged",
                        "afterPass unchanged", "afterPasses", "afterDecisions 1 explained", "afterSegment",
                        "beforeSegmentCache", "afterHost", "afterCompile"}));
  WatchesSegmentCaches watching(inside);
  runAll(kMergedAnyway, {&watching});
  EXPECT_EQ(std::count(inner.begin(), inner.end(), "beforeRun"), 1);
  EXPECT_EQ(std::count(inner.begin(), inner.end(), "afterHost"), 1);
  EXPECT_EQ(inner.back().rfind("beforeLaunch ", 0), 0u) << inner.back();
}

constexpr const char* kTwoLayouts = R"(
fusion f(%x: f32[i0]) {
  %y = neg(%x)
  return %y
}
run { %x = integers(seed = 1, low = 1, high = 9) : f32[64] }
run { %x = integers(seed = 2, low = 1, high = 9) : f32[96] }
run { %x = integers(seed = 3, low = 1, high = 9) : f32[64] {offset = 1} }
)";

class KeepsKeys final : public CompileObserver {
 public:
  void beforeRun(RunRequest& request) override {
    keys.push_back(request.key);
    if (oneForAll) request.key = "one for all";
  }
  Log keys;
  bool oneForAll = false;
};

// The key of a run says nothing of sizes, and of layouts all that matters; programs are kept under it.
TEST(CompileObserverTest, ARunUsesTheKeyThatObserversEdited) {
  KeepsKeys looking, editing;
  editing.oneForAll = true;
  EXPECT_EQ(runAll(kTwoLayouts, {&looking}).compilations, 2u);
  EXPECT_EQ(looking.keys.at(0), looking.keys.at(1));
  EXPECT_NE(looking.keys.at(0), looking.keys.at(2));
  KeepsKeys behind;
  EXPECT_THROW(runAll(kTwoLayouts, {&editing, &behind}), ViolationError) << "vectors for an address that takes none";
  EXPECT_EQ(editing.keys, looking.keys);
  EXPECT_EQ(behind.keys, (Log{"one for all", "one for all", "one for all"}));
}

// Devices run side by side, and launches are shown one at a time.
TEST(CompileObserverTest, LaunchesOfDevicesAreObservedOneAtATime) {
  std::atomic<int> inside = 0, most = 0, seen = 0;
  BeforeLaunch waiting([&](const Kernel&, KernelArguments&) {
    most = std::max(most.load(), ++inside);
    ++seen;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    --inside;
  });
  runAll(R"(
fusion f(%x: f32[i0]) {
  %y = neg(%x)
  return %y
}
mesh {devices = [0, 1, 2, 3]}
run { %x = integers(seed = 1, low = 1, high = 9) : f32[8] }
)",
         {&waiting});
  EXPECT_EQ(seen, 4);
  EXPECT_EQ(most, 1);
}

}  // namespace
}  // namespace fuser
