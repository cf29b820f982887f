#pragma once
// Times a benchmark's work in turns with a fixed reference workload, so that their ratio holds on a machine that other
// programs load too, and on another machine nearly so.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

namespace fuser {

// Runs some tens of microseconds of work as a compiler does it: small allocations, a tree of strings, sorting, floating
// arithmetic. It uses nothing of this repository, so that no change here affects it. Returns a checksum.
uint64_t referenceWork();

// The CPU time of this thread, in seconds.
double threadSeconds();

// The (upper) median, which the few ratios that other load disturbed do not move. `values` must not be empty.
double medianOf(std::vector<double> values);

// Each iteration: prepare(), which is not timed, then work(what it gave). The benchmark's time is the thread's time in
// work (UseManualTime), its counter `relative_cost` the median of that against the reference next to it.
template <class Prepare, class Work>
void measure(benchmark::State& state, Prepare prepare, Work work) {
  std::vector<double> ratios;
  double before = 0;
  for (auto _ : state) {
    auto prepared = prepare();
    if (before == 0) {
      const double start = threadSeconds();
      benchmark::DoNotOptimize(referenceWork());
      before = threadSeconds() - start;
    }
    const double start = threadSeconds();
    work(prepared);
    const double end = threadSeconds();
    benchmark::DoNotOptimize(referenceWork());
    const double after = threadSeconds() - end;
    state.SetIterationTime(end - start);
    ratios.push_back(2 * (end - start) / (before + after));
    before = after;
  }
  state.counters["relative_cost"] = medianOf(std::move(ratios));
}

}  // namespace fuser
