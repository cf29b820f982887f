#include "fuser/runtime/case_times.h"

#include "fuser/runtime/counted_run.h"
#include "fuser/support/check.h"

namespace fuser {

CaseTimes timesOf(const Case& testCase, const NamedDevice& device, std::shared_ptr<Engine> engine, CudaTimes& times,
                  size_t maxBytes) {
  const CaseEstimate estimate = estimateOf(testCase, device, maxBytes);
  CountedRun timed(testCase, maxBytes, static_cast<size_t>(&device - namedDevices().data()));
  times.takeRows();  // of a case that failed
  timed.run(std::move(engine));
  const std::vector<KernelTime> rows = times.takeRows();
  FUSER_CHECK(rows.size() <= estimate.kernels.size(), rows.size(), " kernels were timed, and ", estimate.kernels.size(),
              " are estimated");
  FUSER_USER_CHECK(rows.size() == estimate.kernels.size(), "launches on streams are not timed, and ",
                   estimate.kernels.size() - rows.size(), " of ", estimate.kernels.size(), " kernels run on them");
  CaseTimes result;
  result.run = estimate.run;
  for (size_t i = 0; i < rows.size(); ++i) {
    // Kernels of one name may be of different segments; both lists are in the order in which they were compiled.
    const TimedKernel& row = result.kernels.emplace_back(TimedKernel{estimate.kernels[i], rows[i].microseconds});
    FUSER_CHECK(rows[i].kernel->name == row.estimate.name && rows[i].launches == row.estimate.launches,
                row.estimate.name, " was estimated where ", rows[i].kernel->name, " was timed");
    result.microseconds += row.microseconds;
  }
  return result;
}

double shareOfCopy(const TimedKernel& kernel, double copyBytesPerSecond) {
  if (kernel.microseconds == 0) return 0;
  return static_cast<double>(kernel.estimate.memoryBytes) / (1e-6 * kernel.microseconds) / copyBytesPerSecond;
}

}  // namespace fuser
