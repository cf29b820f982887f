#include "fuser/execute/cuda_times.h"

#include <algorithm>

#include "fuser/support/check.h"

namespace fuser {

CudaTimes::CudaTimes(std::shared_ptr<const CudaDriver> driver, size_t repetitions, size_t copyBytes)
    : driver_(std::move(driver)),
      repetitions_(repetitions),
      copyBytes_(copyBytes),
      source_(*driver_, copyBytes),
      target_(*driver_, copyBytes),
      begin_(driver_->makeClockEvent()),
      end_(driver_->makeClockEvent()) {
  FUSER_CHECK(repetitions_ > 0, "nothing would be timed");
}

CudaTimes::~CudaTimes() {
  driver_->destroy(begin_);
  driver_->destroy(end_);
}

double CudaTimes::median(const std::function<void()>& prepare, const std::function<void()>& work) {
  std::vector<double> times;
  for (size_t i = 0; i <= repetitions_; ++i) {  // the first one loads code, and is not timed
    prepare();
    driver_->record(begin_, nullptr);
    work();
    driver_->record(end_, nullptr);
    driver_->finish(nullptr, "a timed launch");
    if (i > 0) times.push_back(driver_->microsecondsBetween(begin_, end_));
  }
  std::sort(times.begin(), times.end());
  return (times[(times.size() - 1) / 2] + times[times.size() / 2]) / 2;
}

void CudaTimes::time(const Kernel& kernel, const std::function<void()>& prepare, const std::function<void()>& launch) {
  const auto found =
      std::find_if(rows_.begin(), rows_.end(), [&](const KernelTime& row) { return row.kernel == &kernel; });
  KernelTime& row = found == rows_.end() ? rows_.emplace_back(KernelTime{&kernel}) : *found;
  ++row.launches;
  row.microseconds += median(
      [&] {
        prepare();
        driver_->copyOnDevice(target_.address(), source_.address(), copyBytes_);
      },
      launch);
}

double CudaTimes::copyBytesPerSecond() {
  const auto copy = [&] { driver_->copyOnDevice(target_.address(), source_.address(), copyBytes_); };
  return 2e6 * static_cast<double>(copyBytes_) / median([] {}, copy);
}

}  // namespace fuser
