// A campaign's case, from the seed to the verdict: time in all, and by stage as counters (milliseconds a case).
#include <benchmark/benchmark.h>

#include <map>
#include <string>

#include "fuzz/generate/generate.h"
#include "fuzz/judge/judge_case.h"
#include "oracle/reference/reference.h"

namespace fuser::fuzz {
namespace {

void generate(benchmark::State& state) {
  uint64_t number = 0;
  for (auto _ : state) benchmark::DoNotOptimize(generateCase(1, number++));
}
BENCHMARK(generate)->Name("case/generate")->Unit(benchmark::kMicrosecond);

// The stages as people name them: generate, compile (passes to engine), interpret, judge.
std::string stageGroup(const std::string& stage) {
  if (stage == "run" || stage == "repeat" || stage == "probes") return "interpret";
  if (stage.rfind("judge", 0) == 0) return "judge";
  if (stage == "data" || stage == "text") return stage;
  return "compile";
}

void judge(benchmark::State& state) {
  reference::useOneThread();
  std::map<std::string, double> seconds;
  uint64_t number = 0;
  int64_t elements = 0;
  for (auto _ : state) {
    const Case testCase = generateCase(1, number++);
    const CaseVerdict verdict = judgeCase(testCase);
    elements += verdict.elements.judged;
    for (const auto& [stage, time] : verdict.seconds) seconds[stageGroup(stage)] += time;
  }
  const auto cases = static_cast<double>(number);
  for (const auto& [stage, time] : seconds) state.counters["ms_" + stage] = 1e3 * time / cases;
  state.counters["elements"] = static_cast<double>(elements) / cases;
  state.counters["cases/s"] = benchmark::Counter(cases, benchmark::Counter::kIsRate);
}
// A fixed number of cases: the mean of a heavy-tailed time is that of its cases.
BENCHMARK(judge)->Name("case/judge")->Iterations(400)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fuser::fuzz
