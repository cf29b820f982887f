// Generated cases through one cache: the same inputs give the same bits, and nothing is compiled for them a second
// time.

#include <gtest/gtest.h>

#include <cstring>

#include "fuser/runtime/case_settings.h"
#include "fuser/text/printer.h"
#include "fuzz/generate/generate.h"

namespace fuser {
namespace {

constexpr uint64_t kCases = 300;

void appendBytes(const TensorRef& ref, std::string& bytes) {
  for (int64_t i = 0; i < numel(ref.sizes); ++i) {
    int64_t rest = i;
    int64_t offset = 0;
    for (size_t axis = ref.sizes.size(); axis-- > 0;) {
      offset += rest % ref.sizes[axis] * ref.strides[axis];
      rest /= ref.sizes[axis];
    }
    const size_t size = dtypeSize(ref.dtype);
    bytes.append(static_cast<const char*>(ref.data) + static_cast<size_t>(offset) * size, size);
  }
}

// All outputs, bit for bit, in logical order.
std::string bytesOf(const RunRecord& record) {
  std::string bytes;
  for (const HostValue& output : record.outputs) {
    if (const ScalarValue* scalar = std::get_if<ScalarValue>(&output)) {
      bytes += scalar->toString();
    } else {
      appendBytes(std::get<TensorRef>(output), bytes);
    }
  }
  return bytes;
}

struct CachedCase {
  explicit CachedCase(uint64_t number) : testCase(fuzz::generateCase(7, number)) {
    testCase.options.engine = EngineKind::Interp;
    FusionExecutorCache::Settings settings = settingsOf(testCase);
    settings.context.checkInvariants = true;
    std::shared_ptr<const Fusion> fusion(testCase.fusion.get(), [](const Fusion*) {});  // the case's
    cache = std::make_unique<FusionExecutorCache>(fusion, std::move(settings));
  }
  std::string run(const Run& run) {
    const RunData data = materialize(testCase, run);
    return bytesOf(cache->run(hostValues(data)));
  }

  Case testCase;
  std::unique_ptr<FusionExecutorCache> cache;
};

TEST(GeneratedCasesTest, TheSameInputsGiveTheSameBitsAndCompileOnce) {
  for (uint64_t number = 0; number < kCases; ++number) {
    CachedCase cached(number);
    std::vector<std::string> first;
    for (const fuser::Run& run : cached.testCase.runs) first.push_back(cached.run(run));
    const CacheCounters counters = cached.cache->counters();
    for (size_t i = 0; i < first.size(); ++i) {
      ASSERT_EQ(cached.run(cached.testCase.runs[i]) == first[i], true) << printCase(cached.testCase);
    }
    ASSERT_EQ(cached.cache->counters().compilations, counters.compilations) << printCase(cached.testCase);
    ASSERT_EQ(cached.cache->counters().hostScalarEvaluations, 2 * counters.hostScalarEvaluations);
  }
}

TEST(GeneratedCasesTest, AProgramThatServesSeveralSizesGivesWhatAFreshOneGives) {
  size_t shared = 0;
  for (uint64_t number = 0; number < kCases; ++number) {
    CachedCase cached(number);
    for (const fuser::Run& run : cached.testCase.runs) {
      const size_t before = cached.cache->counters().compilations;
      const std::string bytes = cached.run(run);
      if (cached.cache->counters().compilations != before) continue;
      ++shared;
      CachedCase fresh(number);
      ASSERT_EQ(bytes == fresh.run(run), true) << printCase(cached.testCase);
    }
  }
  EXPECT_GT(shared, 10u) << "too few runs found a program";
}

}  // namespace
}  // namespace fuser
