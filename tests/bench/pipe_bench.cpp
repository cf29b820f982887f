// What a case costs on its way from the worker to the supervisor: its result as bytes, and back, and its figures in the
// accounting. Of the results of some cases in turn.
#include <benchmark/benchmark.h>

#include "fuzz/campaign/accounting.h"
#include "fuzz/campaign/perform_task.h"

namespace fuser::fuzz {
namespace {

std::vector<TaskResult> results() {
  TaskSettings settings;
  std::vector<TaskResult> taskResults;
  for (uint64_t number = 0; number < 50; ++number) taskResults.push_back(performTask(CaseTask{number}, settings));
  return taskResults;
}

void encoding(benchmark::State& state) {
  const std::vector<TaskResult> taskResults = results();
  size_t next = 0, bytes = 0;
  for (auto _ : state) bytes += encode(taskResults[next++ % taskResults.size()]).size();
  state.counters["bytes"] = static_cast<double>(bytes) / static_cast<double>(next);
}
BENCHMARK(encoding)->Name("pipe/encode")->Unit(benchmark::kMicrosecond);

void decoding(benchmark::State& state) {
  std::vector<std::string> frames;
  for (const TaskResult& result : results()) frames.push_back(encode(result));
  size_t next = 0;
  for (auto _ : state) benchmark::DoNotOptimize(decodeResult(frames[next++ % frames.size()]));
}
BENCHMARK(decoding)->Name("pipe/decode")->Unit(benchmark::kMicrosecond);

void accounting(benchmark::State& state) {
  const std::vector<TaskResult> taskResults = results();
  Accounting sums;
  size_t next = 0;
  for (auto _ : state) {
    sums.add(concat("case ", next), taskResults[next % taskResults.size()], 0.005);
    ++next;
  }
}
BENCHMARK(accounting)->Name("pipe/account")->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace fuser::fuzz
