// The engines on real programs: corpus/seeds through the whole pipeline on the interpreter and on the cpu engine, every
// output and every buffer between segments equal to the bit; and each lowered kernel through NVRTC.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "fuser/codegen/print_cuda.h"
#include "fuser/execute/nvrtc.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/runtime/fusion_executor_cache.h"
#include "fuser/text/parser.h"
#include "tests/fuser/analysis/stage_observers.h"

namespace fuser {
namespace {

std::vector<std::string> seeds() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator("corpus/seeds")) {
    if (entry.path().extension() == ".fusion") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

Case readCase(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return parseCase(text.str(), path);
}

int64_t offsetOf(const TensorRef& ref, int64_t index) {
  int64_t offset = 0;
  for (size_t axis = ref.sizes.size(); axis-- > 0;) {
    offset += index % ref.sizes[axis] * ref.strides[axis];
    index /= ref.sizes[axis];
  }
  return offset;
}

// Equal bits, a NaN standing for every NaN.
template <class T>
bool same(T a, T b) {
  const auto x = widen(a);
  const auto y = widen(b);
  return std::memcmp(&a, &b, sizeof(T)) == 0 || (x != x && y != y);
}

// "" or the first difference.
std::string differenceOf(const HostValue& a, const HostValue& b) {
  if (const ScalarValue* scalar = std::get_if<ScalarValue>(&a)) {
    return *scalar == std::get<ScalarValue>(b) ? "" : concat(*scalar, " and ", std::get<ScalarValue>(b));
  }
  const TensorRef& x = std::get<TensorRef>(a);
  const TensorRef& y = std::get<TensorRef>(b);
  if (x.dtype != y.dtype || x.sizes != y.sizes) return "another type";
  return dispatch(x.dtype, [&]<class T>() -> std::string {
    for (int64_t i = 0; i < numel(x.sizes); ++i) {
      const T left = static_cast<const T*>(x.data)[offsetOf(x, i)];
      const T right = static_cast<const T*>(y.data)[offsetOf(y, i)];
      if (!same(left, right)) return concat("element ", i, ": ", widen(left), " and ", widen(right));
    }
    return "";
  });
}

std::vector<RunRecord> runAll(const Case& testCase, const std::vector<RunData>& data, EngineKind engine, bool probes) {
  FusionExecutorCache::Settings settings = settingsOf(testCase);
  settings.context.options.engine = engine;
  settings.context.options.probes = probes;
  settings.record = true;
  FusionExecutorCache cache({testCase.fusion.get(), [](const Fusion*) {}}, std::move(settings));
  std::vector<RunRecord> records;
  for (const RunData& run : data) records.push_back(cache.run(hostValues(run)));
  return records;
}

void expectEqualRecords(const RunRecord& a, const RunRecord& b) {
  ASSERT_EQ(a.outputs.size(), b.outputs.size());
  for (size_t i = 0; i < a.outputs.size(); ++i)
    EXPECT_EQ(differenceOf(a.outputs[i], b.outputs[i]), "") << "output " << i;
  ASSERT_EQ(a.segments.size(), b.segments.size());
  for (size_t s = 0; s < a.segments.size(); ++s) {
    ASSERT_EQ(a.segments[s].outputs.size(), b.segments[s].outputs.size());
    for (size_t i = 0; i < a.segments[s].outputs.size(); ++i) {
      const BoundaryValue& left = a.segments[s].outputs[i];
      EXPECT_EQ(differenceOf(left.value, b.segments[s].outputs[i].value), "") << "segment " << s << ", " << left.name;
    }
  }
}

class EnginesTest : public ::testing::TestWithParam<std::string> {};

TEST_P(EnginesTest, InterpAndCpuAgreeToTheBit) {
  const Case testCase = readCase(GetParam());
  ASSERT_FALSE(testCase.runs.empty());
  for (const bool probes : {false, true}) {  // on the first run and on the last: every compilation costs a clang call
    std::vector<RunData> data, again;  // each engine's own: outputs may overwrite inputs
    data.push_back(materialize(testCase, probes ? testCase.runs.back() : testCase.runs.front()));
    again.push_back(materialize(testCase, probes ? testCase.runs.back() : testCase.runs.front()));
    const std::vector<RunRecord> interp = runAll(testCase, data, EngineKind::Interp, probes);
    const std::vector<RunRecord> cpu = runAll(testCase, again, EngineKind::Cpu, probes);
    for (size_t i = 0; i < interp.size(); ++i) expectEqualRecords(interp[i], cpu[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, EnginesTest, ::testing::ValuesIn(seeds()), [](const auto& info) {
  return std::filesystem::path(info.param).stem().string();
});

TEST(EnginesOnSeedsTest, NvrtcTakesEveryLoweredKernel) {
  std::vector<std::string> modules;
  for (const std::string& path : seeds()) {
    const Case testCase = readCase(path);
    FusionExecutorCache::Settings settings = settingsOf(testCase);
    AfterLower printing([&](int, Kernel& kernel) {
      const Kernel* const kernels[] = {&kernel};
      modules.push_back(printModule(kernels));
    });
    settings.context.observers = {&printing};
    FusionExecutorCache cache({testCase.fusion.get(), [](const Fusion*) {}}, std::move(settings));
    const RunData data = materialize(testCase, testCase.runs.front());
    cache.run(hostValues(data));
  }
  ASSERT_GE(modules.size(), seeds().size());
  const Nvrtc nvrtc;
  for (size_t i = 0; i < modules.size(); ++i) {
    EXPECT_FALSE(nvrtc.compileToCubin(modules[i], i % 2 ? "80" : "90").empty());
  }
}

}  // namespace
}  // namespace fuser
