// What the host does to run a program, with kernels that do nothing: per program of 12 segments, and per node.

#include <benchmark/benchmark.h>

#include "fuser/host_run/host_ir_evaluator.h"
#include "fuser/runtime/build_program.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/text/parser.h"

namespace fuser {
namespace {

class NoKernel : public CompiledKernel {
 public:
  void launch(const KernelArguments& arguments) override { benchmark::DoNotOptimize(arguments.tensors.data()); }
};

constexpr const char* kStreamPasses[] = {"FuseStreamLoopsPass", "StreamSlicesPass", "RedundantSynchronizationsPass"};

// A chain of adds on streams, each of an exp that the loops before do not need: they become one.
std::string fusableText(int length) {
  std::string text = "fusion fusable(%v0: f32[i0, i1]) {\n", settings;
  for (int i = 0; i < length; ++i) {
    text += concat("  %e", i, " = exp(%v0)\n  %v", i + 1, " = add(%v", i, ", %e", i, ")\n");
    settings += concat("stream %v", i + 1, " {dim = 0}\n");
  }
  return concat(text, "  return %v", length, "\n}\n", settings, "run { %v0 = normal(seed = 1) : f32[4, 8] }\n");
}

// A chain of exps; streams: each on streams over its 4 rows, else each a segment of its own.
std::string chainText(int length, bool streams) {
  std::string text = "fusion chain(%v0: f32[i0, i1]) {\n", settings;
  for (int i = 0; i < length; ++i) {
    text +=
        concat("  %e", i, " = exp(%v", i, ")\n  %v", i + 1, " = ", streams ? "neg" : "segment_set", "(%e", i, ")\n");
    if (streams) settings += concat("stream %e", i, " {dim = 0}\n");
  }
  return concat(text, "  return %v", length, "\n}\n", settings, "run { %v0 = normal(seed = 1) : f32[4, 8] }\n");
}

// check: that accesses have an order, which costs more than all else.
void dispatch(benchmark::State& state, const std::string& text, bool passes, bool check = true) {
  Case testCase = parseCase(text, "chain");
  for (const char* pass : kStreamPasses) {
    if (!passes) testCase.options.disabledPasses.insert(pass);
  }
  const RunData data = materialize(testCase, testCase.runs.front());
  const std::vector<HostValue> inputs = hostValues(data);
  const FusionExecutorCache::Settings settings = settingsOf(testCase);
  const auto program = buildProgram(*testCase.fusion, settings, {{16}}, inputs);
  for (size_t i = 0; i < program->host->kernels.size(); ++i) program->compiled.push_back(std::make_unique<NoKernel>());
  HostRunSettings runSettings;
  runSettings.streams.check = check;
  runSettings.pool = std::make_shared<MemoryPool>();
  size_t nodes = 0, launches = 0, waits = 0;
  forEachHostExpr(*program->host, [&](const hir::HostExpr* expr) {
    ++nodes;
    waits += std::holds_alternative<hir::Synchronize>(expr->node);
    launches +=
        std::holds_alternative<hir::LaunchKernel>(expr->node) || std::holds_alternative<hir::StandaloneOp>(expr->node);
  });
  for (auto _ : state) {
    ExpressionEvaluator evaluator(*program->fusion);
    evaluator.bindInputs(inputs);
    const RunRecord record = HostIrEvaluator(*program->host, program->compiled).run(inputs, evaluator, runSettings);
    benchmark::DoNotOptimize(record.outputs.data());
  }
  state.counters["nodes"] = static_cast<double>(nodes);
  state.counters["waits"] = static_cast<double>(waits);
  state.counters["launches"] = static_cast<double>(launches);
}

void twelveSegments(benchmark::State& state) { dispatch(state, chainText(12, false), true); }
void twelveLoops(benchmark::State& state) { dispatch(state, chainText(12, true), false); }
void twelveOverlapping(benchmark::State& state) { dispatch(state, chainText(12, true), true); }
void twelveFusable(benchmark::State& state) { dispatch(state, fusableText(12), false, false); }
void twelveFused(benchmark::State& state) { dispatch(state, fusableText(12), true, false); }

BENCHMARK(twelveSegments)->Name("host/dispatch_12_segments")->Unit(benchmark::kMicrosecond);
// Loops as StreamParallelTypePass makes them, and behind the passes of loops over streams.
BENCHMARK(twelveLoops)->Name("host/dispatch_12_loops_of_4")->Unit(benchmark::kMicrosecond);
BENCHMARK(twelveOverlapping)->Name("host/dispatch_12_loops_of_4_with_passes")->Unit(benchmark::kMicrosecond);
BENCHMARK(twelveFusable)->Name("host/dispatch_12_fusable_loops_of_4_unchecked")->Unit(benchmark::kMicrosecond);
BENCHMARK(twelveFused)
    ->Name("host/dispatch_12_fusable_loops_of_4_with_passes_unchecked")
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace fuser
