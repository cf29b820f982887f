#include "fuser/runtime/case_times.h"

#include <algorithm>

#include "fuser/runtime/counted_run.h"
#include "fuser/support/check.h"

namespace fuser {

CaseTimes timesOf(const Case& testCase, const NamedDevice& device, std::shared_ptr<Engine> engine, CudaTimes& times,
                  size_t maxBytes) {
  CaseEstimate estimate = estimateOf(testCase, device, maxBytes);
  CountedRun timed(testCase, maxBytes, static_cast<size_t>(&device - namedDevices().data()));
  times.takeRows();  // of a case that failed
  timed.run(std::move(engine));
  const std::vector<KernelTime> rows = times.takeRows();
  CaseTimes result;
  result.run = estimate.run;
  result.estimated = estimate.microseconds;
  for (KernelEstimate& kernel : estimate.kernels) {
    TimedKernel& row = result.kernels.emplace_back(TimedKernel{std::move(kernel)});
    const auto own = std::find_if(rows.begin(), rows.end(),
                                  [&](const KernelTime& each) { return each.kernel->name == row.estimate.name; });
    if (own == rows.end()) {
      FUSER_USER_CHECK(row.estimate.blocks == 0, row.estimate.name,
                       " ran on a stream, and launches on streams are not timed");
      continue;
    }
    FUSER_CHECK(own->launches <= row.estimate.launches, row.estimate.name, " was launched ", own->launches,
                " times, not ", row.estimate.launches);
    row.microseconds = own->microseconds;
    result.microseconds += row.microseconds;
  }
  return result;
}

double shareOfCopy(const TimedKernel& kernel, double copyBytesPerSecond) {
  if (kernel.microseconds == 0) return 0;
  return static_cast<double>(kernel.estimate.memoryBytes) / (1e-6 * kernel.microseconds) / copyBytesPerSecond;
}

}  // namespace fuser
