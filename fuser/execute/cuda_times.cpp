#include "fuser/execute/cuda_times.h"

#include <algorithm>
#include <utility>

#include "fuser/support/check.h"

namespace fuser {

CudaTimes::CudaTimes(std::shared_ptr<const CudaDriver> driver, size_t repetitions, size_t copyBytes)
    : driver_(std::move(driver)),
      repetitions_(repetitions),
      copyBytes_(copyBytes),
      source_(*driver_, copyBytes),
      target_(*driver_, copyBytes),
      begin_(*driver_),
      end_(*driver_) {
  FUSER_CHECK(repetitions_ > 0, "nothing would be timed");
}

double CudaTimes::median(const std::function<void()>& prepare, const std::function<void()>& work) {
  std::vector<double> times;
  for (size_t i = 0; i <= repetitions_; ++i) {  // the first one loads code, and is not timed
    prepare();
    driver_->record(begin_.event, nullptr);
    work();
    driver_->record(end_.event, nullptr);
    driver_->finish(nullptr, "a timed launch");
    if (i > 0) times.push_back(driver_->microsecondsBetween(begin_.event, end_.event));
  }
  std::sort(times.begin(), times.end());
  return (times[(times.size() - 1) / 2] + times[times.size() / 2]) / 2;
}

size_t CudaTimes::addKernel(const Kernel& kernel) {
  rows_.push_back({&kernel});
  return rows_.size() - 1;
}

void CudaTimes::time(size_t kernel, const std::function<void()>& prepare, const std::function<void()>& launch) {
  KernelTime& row = rows_.at(kernel);
  ++row.launches;
  row.microseconds += median(
      [&] {
        prepare();
        copy();
      },
      launch);
}

std::vector<KernelTime> CudaTimes::takeRows() {
  std::vector<KernelTime> rows = std::exchange(rows_, {});
  std::erase_if(rows, [](const KernelTime& row) { return row.launches == 0; });
  return rows;
}

// Behind another copy, so that the time of asking the device for one is hidden, as it is in the times of kernels.
double CudaTimes::copyBytesPerSecond() {
  const double microseconds = median([&] { copy(); }, [&] { copy(); });
  return 2e6 * static_cast<double>(copyBytes_) / microseconds;
}

double CudaTimes::microsecondsOfNothing() {
  return median([&] { copy(); }, [] {});
}

}  // namespace fuser
