// RedundantSynchronizationsPass alone, on programs of 1,500 and 12,000 nodes: near-linear means that a line's time is
// at most about ten times that of the line above it.
#include <benchmark/benchmark.h>

#include <chrono>

#include "tests/fuser/host_passes/stream_program.h"

namespace fuser {
namespace {

void removeSynchronizations(benchmark::State& state, void (*make)(StreamProgram& program, int count)) {
  for (auto _ : state) {
    StreamProgram program;
    make(program, static_cast<int>(state.range(0)));
    program.lower();
    Trace trace;  // the pass without the verifier that follows it
    CompileContext context;
    context.trace = &trace;
    benchmark::DoNotOptimize(RedundantSynchronizationsPass::runPass(*program.program, context));
    state.SetIterationTime(std::chrono::duration<double>(trace.rows().at(0).total).count());
  }
}

// Each an output of its own.
void outputs(StreamProgram& program, int count, std::optional<size_t> streamAxis) {
  for (int i = 0; i < count; ++i) program.fusion.addOutput(program.neg(program.x, concat("y", i), streamAxis));
}
void withoutStreams(StreamProgram& program, int count) { outputs(program, count, std::nullopt); }
void onStreams(StreamProgram& program, int count) { outputs(program, count, 0); }

// Each of the one before; every third is no loop, and every sixth loop goes along another axis.
void chain(StreamProgram& program, int count) {
  TensorView* last = program.x;
  for (int i = 0; i < count; ++i) {
    const std::optional<size_t> axis = i % 3 == 2 ? std::nullopt : std::optional<size_t>(i % 18 == 0 ? 1 : 0);
    last = program.neg(last, concat("y", i), axis);
  }
  program.fusion.addOutput(last);
}

#define ROWS(NAME, MAKE)                                                      \
  BENCHMARK_CAPTURE(removeSynchronizations, NAME, MAKE)                       \
      ->Name("host_passes/redundant_synchronizations_of_" #NAME)              \
      ->Arg(1500)                                                             \
      ->Arg(12000)                                                            \
      ->Iterations(1)                                                         \
      ->UseManualTime()                                                       \
      ->Unit(benchmark::kMillisecond)
ROWS(outputs, withoutStreams);
ROWS(loops, onStreams);
ROWS(chain, chain);
#undef ROWS

}  // namespace
}  // namespace fuser
