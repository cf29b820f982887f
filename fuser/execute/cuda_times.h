#pragma once
// How long launches take on a GPU, by its own clock, and how fast it copies its memory. Before each launch a copy of
// more bytes than the GPU keeps in its L2 cache passes through that, so that a kernel finds none of its data there.

#include <functional>
#include <memory>
#include <utility>
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
  ~CudaTimes();

  // Repeats one launch of the kernel on the default stream, each behind what `prepare` enqueues and is not timed.
  void time(const Kernel& kernel, const std::function<void()>& prepare, const std::function<void()>& launch);
  // In the order of the first launches since the last call. The kernels live as long as who compiled them.
  std::vector<KernelTime> takeRows() { return std::exchange(rows_, {}); }
  // Of the copy of copyBytes: bytes read and bytes written, in a second.
  double copyBytesPerSecond();

 private:
  // The median of the repetitions, in microseconds.
  double median(const std::function<void()>& prepare, const std::function<void()>& work);

  std::shared_ptr<const CudaDriver> driver_;
  size_t repetitions_;
  size_t copyBytes_;
  DeviceMemory source_, target_;
  CudaDriver::Event begin_, end_;
  std::vector<KernelTime> rows_;
};

}  // namespace fuser
