// What a case of another compiler costs beside that compiler: the time of 200 cases. The campaign's report has these
// stages and the target's own (stage_seconds).
#include <benchmark/benchmark.h>

#include "fuzz/compilers/exact_mode.h"
#include "fuzz/export/export.h"
#include "fuzz/generate/generate.h"
#include "tests/fuzz/compilers/run_values.h"

namespace fuser::fuzz {
namespace {

constexpr uint64_t kCases = 200;

// Those that LibTorch runs, as campaigns draw them.
const std::vector<Case>& exactCases() {
  static const std::vector<Case> cases = [] {
    GeneratorOptions options;
    options.exactData = true;
    options.only = exactOps();
    std::vector<Case> drawn;
    for (uint64_t number = 0; drawn.size() < kCases; ++number) {
      Case testCase = generateCase(1, number, options);
      try {
        valuesOf(testCase, testCase.runs.front());
      } catch (const std::exception&) {
        continue;
      }
      drawn.push_back(std::move(testCase));
    }
    return drawn;
  }();
  return cases;
}

void countCases(benchmark::State& state) {
  state.counters["cases/s"] =
      benchmark::Counter(static_cast<double>(kCases), benchmark::Counter::kIsIterationInvariantRate);
}

void exported(benchmark::State& state, std::string_view format) {
  for (auto _ : state) {
    for (const Case& testCase : exactCases()) benchmark::DoNotOptimize(exportFormat(format).write(testCase));
  }
  countCases(state);
}
BENCHMARK_CAPTURE(exported, pytorch, "pytorch")->Name("target/export_pytorch")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(exported, onnx, "onnx")->Name("target/export_onnx")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(exported, stablehlo, "stablehlo")->Name("target/export_stablehlo")->Unit(benchmark::kMillisecond);

// With its data.
void reference(benchmark::State& state) {
  for (auto _ : state) {
    for (const Case& testCase : exactCases()) benchmark::DoNotOptimize(valuesOf(testCase, testCase.runs.front()));
  }
  countCases(state);
}
BENCHMARK(reference)->Name("target/reference")->Unit(benchmark::kMillisecond);

void exactMode(benchmark::State& state) {
  std::vector<RunValues> values;
  for (const Case& testCase : exactCases()) values.push_back(valuesOf(testCase, testCase.runs.front()));
  for (auto _ : state) {
    for (size_t i = 0; i < values.size(); ++i)
      benchmark::DoNotOptimize(exactnessOf(*exactCases()[i].fusion, values[i].values));
  }
  countCases(state);
}
BENCHMARK(exactMode)->Name("target/exact_mode")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fuser::fuzz
