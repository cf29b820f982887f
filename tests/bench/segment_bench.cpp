// The segmenter alone, with the real schedulers, on fusions of a known structure at 100, 1,000 and 10,000 expressions:
// near-linear means that a line's time is at most about 15 times that of the line above it. top_down = 0: bottom-up.
// Where a line is above that, count before looking for a loop: 10,000 expressions are some 10 MB and leave the caches
// that hold 1,000. `valgrind --tool=callgrind --cache-sim=yes` tells the two apart: the instructions of each shape grow
// 10-fold (a ladder's without top-down, whose one group is asked about at every doubling, 12-fold), the misses more.
#include <benchmark/benchmark.h>

#include "fuser/analysis/segment_decisions.h"
#include "fuser/analysis/stage_observers.h"
#include "fuser/schedule/schedule.h"
#include "fuser/segment/segment_candidate_finder.h"
#include "tests/bench/stage_bench.h"
#include "tests/fuser/segment/shapes.h"

namespace fuser::fuzz {
namespace {

void segmentShape(benchmark::State& state, const shapes::Shape& shape) {
  const std::unique_ptr<Fusion> fusion = shape.make(static_cast<size_t>(state.range(0)));
  // As for a run in which every extent is 32: no axis is empty.
  const auto valueOf = [](IntExpr size) { return evaluate(size, [](IntExpr) { return int64_t{32}; }); };
  const Schedulers schedulers;
  SegmentCounters counters;
  SegmentCandidateFinderOptions options;
  options.topDown = state.range(1) != 0;
  for (auto _ : state) {
    SizeFacts sizes(valueOf);
    CompileContext context;
    context.schedulers = &schedulers;
    context.sizes = &sizes;
    AfterDecisions counting([&](const SegmentDecisions& decisions) { counters = decisions.counters(); });
    context.observers = {&counting};
    benchmark::DoNotOptimize(segment(*fusion, context, options));
  }
  state.counters["exprs"] = static_cast<double>(counters.exprs);
  state.counters["groups"] = static_cast<double>(counters.groups);
  state.counters["questions"] = static_cast<double>(counters.questions);
}

}  // namespace

void registerSegmentBenchmarks() {
  for (const shapes::Shape& shape : shapes::kAll) {
    benchmark::RegisterBenchmark((std::string("segment/") + shape.name).c_str(),
                                 [&shape](benchmark::State& state) { segmentShape(state, shape); })
        ->ArgNames({"exprs", "top_down"})
        ->ArgsProduct({{100, 1000, 10000}, {1, 0}})
        ->Unit(benchmark::kMillisecond);
  }
}

}  // namespace fuser::fuzz
