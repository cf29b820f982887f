// Generated cases on the interpreter, through one cache: the same inputs give the same bits, nothing is compiled for
// them a second time, and inputs stay as they are.

#include <cstring>

#include "tests/properties/check_property.h"
#include "tests/properties/compile_case.h"
#include "tests/properties/output_bytes.h"

namespace fuser {
namespace {

constexpr int kRunCases = 200;

struct CachedCase {
  explicit CachedCase(const Case& testCase)
      : testCase(testCase), cache(makeCache(testCase, interpSettings(testCase))) {}
  std::string run(const Run& run) {
    const RunData data = materialize(testCase, run);
    const std::string before = memoryOf(data);
    const std::string bytes = bytesOf(cache->run(hostValues(data)));
    RC_ASSERT((memoryOf(data) == before));
    return bytes;
  }
  // Of all inputs but those that an output overwrites.
  std::string memoryOf(const RunData& data) const {
    std::string bytes;
    for (size_t i = 0; i < data.inputs.size(); ++i) {
      const size_t* place = std::get_if<size_t>(&data.inputs[i]);
      const auto overwrites = [&](const auto& alias) { return alias.second == testCase.fusion->inputs()[i]->name(); };
      if (!place || std::any_of(testCase.aliases.begin(), testCase.aliases.end(), overwrites)) continue;
      const TensorData& tensor = data.tensors[*place];
      bytes.append(reinterpret_cast<const char*>(tensor.memory.get()), tensor.bytes);
    }
    return bytes;
  }
  size_t compilations() const { return cache->counters().compilations; }

  const Case& testCase;
  std::unique_ptr<FusionExecutorCache> cache;
};

TEST(RunProperties, TheSameInputsGiveTheSameBitsAndCompileOnce) {
  checkProperty(kRunCases, [](const fuzz::ArbitraryCase& arbitrary) {
    CachedCase cached(*arbitrary);
    std::vector<fuser::Run> runs;
    for (const fuser::Run& run : arbitrary->runs) {
      if (run.expectation == fuser::Expectation::Agrees) runs.push_back(run);
    }
    std::vector<std::string> first;
    for (const fuser::Run& run : runs) first.push_back(cached.run(run));
    const CacheCounters counters = cached.cache->counters();
    for (size_t i = 0; i < first.size(); ++i) RC_ASSERT((cached.run(runs[i]) == first[i]));
    RC_ASSERT(cached.compilations() == counters.compilations);
    RC_ASSERT(cached.cache->counters().hostScalarEvaluations == 2 * counters.hostScalarEvaluations);
  });
}

TEST(RunProperties, AProgramThatServesSeveralSizesGivesWhatAFreshOneGives) {
  int shared = 0;
  checkProperty(kRunCases, [&](const fuzz::ArbitraryCase& arbitrary) {
    CachedCase cached(*arbitrary);
    for (const fuser::Run& run : arbitrary->runs) {
      if (run.expectation != fuser::Expectation::Agrees) continue;
      const size_t before = cached.compilations();
      const std::string bytes = cached.run(run);
      if (cached.compilations() != before) continue;
      ++shared;
      RC_ASSERT((bytes == CachedCase(*arbitrary).run(run)));
    }
  });
  EXPECT_GT(shared, 5) << "too few runs found a program";
}

}  // namespace
}  // namespace fuser
