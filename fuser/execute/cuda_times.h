#pragma once
// How long launches take on a GPU, by its own clock, and how fast it copies its memory. Before each launch a copy of
// more bytes than the GPU keeps in its L2 cache passes through that, so that a kernel finds none of its data there.

#include <functional>
#include <memory>
#include <vector>

#include "fuser/execute/cuda_driver.h"
#include "fuser/kernel/kernel.h"

namespace fuser {

struct KernelTime {
  const Kernel* kernel = nullptr;
  int64_t launches = 0;
  double microseconds = 0;  // of all launches: of each the median of its repetitions
};

// Not thread-safe: of one program that runs by itself.
class CudaTimes {
 public:
  static constexpr size_t kCopyBytes = size_t{1} << 29;  // ten times the L2 cache of an H200

  // repetitions: of each launch and of the copy, behind one that is not timed; at least 1. copyBytes: of the copy. A
  // SetUpError if the GPU has not twice as many left.
  explicit CudaTimes(std::shared_ptr<const CudaDriver> driver, size_t repetitions = 20, size_t copyBytes = kCopyBytes);
  CudaTimes(const CudaTimes&) = delete;
  CudaTimes& operator=(const CudaTimes&) = delete;

  // A kernel without launches; returns its number, for time().
  size_t addKernel(const Kernel& kernel);
  // Repeats one launch of the kernel on the default stream, each behind what `prepare` enqueues and is not timed.
  void time(size_t kernel, const std::function<void()>& prepare, const std::function<void()>& launch);
  // Of the kernels that were launched, in the order in which they were added since the last call. They live as long as
  // who compiled them. Who adds kernels before the call times none of them behind it.
  std::vector<KernelTime> takeRows();
  // Of the copy of copyBytes: bytes read and bytes written, in a second.
  double copyBytesPerSecond();
  // From one event to another with nothing between them: a part of each time.
  double microsecondsOfNothing();

 private:
  struct ClockEvent {
    explicit ClockEvent(const CudaDriver& of) : driver(of), event(of.makeClockEvent()) {}
    ClockEvent(const ClockEvent&) = delete;
    ClockEvent& operator=(const ClockEvent&) = delete;
    ~ClockEvent() { driver.destroy(event); }
    const CudaDriver& driver;
    const CudaDriver::Event event;
  };
  void copy() const { driver_->copyOnDevice(target_.address(), source_.address(), copyBytes_); }
  // The median of the repetitions, in microseconds.
  double median(const std::function<void()>& prepare, const std::function<void()>& work);

  std::shared_ptr<const CudaDriver> driver_;
  size_t repetitions_;
  size_t copyBytes_;
  DeviceMemory source_, target_;
  const ClockEvent begin_, end_;
  std::vector<KernelTime> rows_;
};

}  // namespace fuser
