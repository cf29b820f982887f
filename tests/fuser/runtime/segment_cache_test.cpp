// Segments of a custom merge predicate: what no scheduler was asked about runs through a cache of its own.

#include <gtest/gtest.h>

#include <algorithm>

#include "fuser/host_ir/host_ir_container.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/runtime/fusion_executor_cache.h"
#include "fuser/segment/segmented_text.h"
#include "fuser/text/parser.h"
#include "tests/fuser/analysis/stage_observers.h"

namespace fuser {
namespace {

constexpr const char* kSoftmax = R"(
fusion f(%x: f32[i0, i1], %n: i64) {
  %k = cast(%n) {dtype = f64}
  %a = mul(%x, %k)
  %m = amax(%a) {dims = [1], keepdim = true}
  %d = sub(%a, %m)
  %s = sum(%d) {dims = [1], keepdim = true}
  %y = div(%d, %s)
  return %y
}
)";

struct Program {
  RunRecord record;
  RunRecord again;
  CacheCounters counters;
  std::string segments;
  std::string host;
};

Program runWith(const std::string& options, bool record = true) {
  const Case testCase = parseCase(kSoftmax + options +
                                      "run { %x = integers(seed = 1, low = 1, high = 9) : f32[4, 6]  %n = 2 }\n"
                                      "run { %x = integers(seed = 1, low = 1, high = 9) : f32[4, 6]  %n = 3 }\n",
                                  "test");
  Program result;
  FusionExecutorCache::Settings settings = settingsOf(testCase);
  settings.context.checkInvariants = true;
  settings.record = record;
  AfterSegment printSegments([&](const auto& segmented) { result.segments += toString(*segmented); });
  AfterHost printHost([&](HostIrContainer& program) { result.host += toString(program); });
  settings.context.observers = {&printSegments, &printHost};
  FusionExecutorCache cache(std::shared_ptr<const Fusion>(std::shared_ptr<const Fusion>(), testCase.fusion.get()),
                            std::move(settings));
  const RunData data = materialize(testCase, testCase.runs[0]);
  result.record = cache.run(hostValues(data));
  const RunData other = materialize(testCase, testCase.runs[1]);
  result.again = cache.run(hostValues(other));
  result.counters = cache.counters();
  return result;
}

std::vector<float> elements(const HostValue& value) {
  const TensorRef& ref = std::get<TensorRef>(value);
  const float* data = static_cast<const float*>(ref.data);
  return {data, data + numel(ref.sizes)};
}

TEST(SegmentCacheTest, AGroupThatNoSchedulerAcceptsIsSegmentedAgain) {
  const Program plain = runWith("");
  const Program merged = runWith("option merge_predicate = \"always\"\n");
  // One group of all tensor ops, which no scheduler takes: two reductions in a row.
  EXPECT_NE(merged.segments.find("group 1 None {"), std::string::npos) << merged.segments;
  EXPECT_EQ(merged.segments.find("group 2"), std::string::npos) << merged.segments;
  EXPECT_NE(merged.host.find("run cache 0(%x, %k) -> (%y)"), std::string::npos) << merged.host;
  // The inner cache's segments stand in its place, with the outer program's origins.
  EXPECT_EQ(merged.record.segments.size(), plain.record.segments.size());
  EXPECT_EQ(merged.counters.kernelCompilations, plain.counters.kernelCompilations);
  for (const SegmentRecord& segment : merged.record.segments) EXPECT_NE(segment.scheduler, "None");
  EXPECT_EQ(elements(merged.record.outputs[0]), elements(plain.record.outputs[0]));
  // Another scalar compiles nothing anew, outside or inside.
  EXPECT_EQ(merged.counters.compilations, 1u);
  EXPECT_EQ(elements(merged.again.outputs[0]), elements(plain.again.outputs[0]));
}

TEST(SegmentCacheTest, EveryPredicateGivesTheSameNumbers) {
  const std::vector<float> wanted = elements(runWith("").record.outputs[0]);
  EXPECT_EQ(elements(runWith("option merge_predicate = \"never\"\n").record.outputs[0]), wanted);
  for (int seed = 0; seed < 8; ++seed) {
    const std::string options = concat("option merge_predicate = \"random\"\noption merge_seed = ", seed, "\n");
    EXPECT_EQ(elements(runWith(options, seed % 2 == 0).record.outputs[0]), wanted) << seed;
  }
}

TEST(SegmentCacheTest, SeedsDiffer) {
  std::vector<std::string> seen;
  for (int seed = 0; seed < 8; ++seed) {
    const std::string text =
        runWith(concat("option merge_predicate = \"random\"\noption merge_seed = ", seed, "\n")).segments;
    if (std::find(seen.begin(), seen.end(), text) == seen.end()) seen.push_back(text);
  }
  EXPECT_GT(seen.size(), 2u);
}

}  // namespace
}  // namespace fuser
