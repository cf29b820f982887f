#pragma once
// How long a GPU takes for a case, by its own clock, beside what the case's kernels execute and what a roofline
// estimates (fuser/runtime/case_estimate.h). `fuserfuzz time`.

#include <string>
#include <vector>

#include "fuser/execute/cuda_times.h"
#include "fuser/execute/engine.h"
#include "fuser/runtime/case_estimate.h"

namespace fuser {

struct TimedKernel {
  KernelEstimate estimate;
  double microseconds = 0;  // that the GPU took for all its launches
};

struct CaseTimes {
  size_t run = 0;  // which of the case's runs: that with most elements
  std::vector<TimedKernel> kernels;
  double microseconds = 0;  // of all kernels
};

// Compiles the case for the device, counts and estimates it on the host, and runs it on the engine, whose launches
// `times` measures. Throws what estimateOf throws, and what the engine does; a UserError for a case with streams.
CaseTimes timesOf(const Case& testCase, const NamedDevice& device, std::shared_ptr<Engine> engine, CudaTimes& times,
                  size_t maxBytes = size_t{1} << 31);

// What of a copy's speed the kernel's memory traffic has, each sector counted once: 1 is a copy. 0 for one that took no
// time.
double shareOfCopy(const TimedKernel& kernel, double copyBytesPerSecond);

}  // namespace fuser
