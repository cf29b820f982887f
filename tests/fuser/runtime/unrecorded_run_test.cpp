// FusionExecutorCache::setRecord: a run without a record reuses memory, as users' runs do.

#include <gtest/gtest.h>

#include <cstring>

#include "fuser/runtime/case_settings.h"
#include "fuser/runtime/fusion_executor_cache.h"
#include "fuser/text/parser.h"

namespace fuser {
namespace {

TEST(UnrecordedRunTest, GivesTheSameResultsInReusedMemory) {
  const Case testCase = parseCase(R"(
fusion f(%x: f32[i0]) {
  %a = exp(%x)
  %b = segment_set(%a)
  %c = neg(%b)
  %d = segment_set(%c)
  %e = sin(%d)
  %f = segment_set(%e)
  %g = cos(%f)
  return %g
}
run { %x = normal(seed = 1) : f32[100] })",
                                  "test");
  FusionExecutorCache::Settings settings = settingsOf(testCase);
  settings.record = true;
  const std::shared_ptr<const Fusion> fusion(std::shared_ptr<const Fusion>(), testCase.fusion.get());
  FusionExecutorCache cache(fusion, settings);
  const RunData data = materialize(testCase, testCase.runs.at(0));
  const RunRecord recorded = cache.run(hostValues(data));
  cache.setRecord(false);
  const RunRecord unrecorded = cache.run(hostValues(data));
  EXPECT_EQ(recorded.segments.size(), 4u);
  EXPECT_TRUE(unrecorded.segments.empty());
  const auto& first = std::get<TensorRef>(recorded.outputs[0]);
  const auto& second = std::get<TensorRef>(unrecorded.outputs[0]);
  EXPECT_EQ(std::memcmp(first.data, second.data, 100 * sizeof(float)), 0);
  EXPECT_LT(unrecorded.memory.size(), recorded.memory.size());
  EXPECT_EQ(cache.counters().compilations, 1u);
  cache.setRecord(true);
  EXPECT_EQ(cache.run(hostValues(data)).segments.size(), 4u);
}

}  // namespace
}  // namespace fuser
