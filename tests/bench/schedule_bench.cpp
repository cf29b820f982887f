// A schedule with a step for each output, applied to a fusion of so many: near-linear means that a line's time is at
// most about 3 times that of the line above it. The time leaves out parsing and choosing the schedule.
#include <benchmark/benchmark.h>

#include "fuser/schedule/schedule.h"
#include "fuser/text/parser.h"
#include "tests/bench/stage_bench.h"

namespace fuser::fuzz {
namespace {

// %y0 = mul(%x, 0.0), %y1 = mul(%x, 1.0), …: one pointwise kernel.
std::string manyOutputs(int64_t count) {
  std::string ops, outputs;
  for (int64_t i = 0; i < count; ++i) {
    ops += concat("  %y", i, " = mul(%x, ", i, ".0)\n");
    outputs += concat(i == 0 ? "%y" : ", %y", i);
  }
  return concat("fusion f(%x: f32[i0]) {\n", ops, "  return ", outputs, "\n}\n");
}

void applyToOutputs(benchmark::State& state) {
  const std::string text = manyOutputs(state.range(0));
  for (auto _ : state) {
    state.PauseTiming();
    std::unique_ptr<Fusion> fusion = parseFusion(text);
    const Schedule schedule = chooseSchedule(*fusion, SchedulerType::PointWise, nullptr, {});
    state.ResumeTiming();
    applySchedule(*fusion, schedule);
    checkSchedule(*fusion);
    state.PauseTiming();
    fusion.reset();
    state.ResumeTiming();
  }
}

}  // namespace

void registerScheduleBenchmarks() {
  benchmark::RegisterBenchmark("schedule/outputs", applyToOutputs)
      ->ArgName("outputs")
      ->RangeMultiplier(2)
      ->Range(500, 16000)
      ->Unit(benchmark::kMillisecond);
}

}  // namespace fuser::fuzz
