#pragma once
// StreamDevice: streams, and memory that the host sees too, as an engine may offer them to a host program. An engine
// without one runs every launch to its end.

#include <cstddef>
#include <memory>

namespace fuser {

// The streams of one run, by number from 0 on: what is enqueued on one is done in that order, and beside what is
// enqueued on the others. What a kernel did wrong is a ViolationError of any later call.
class DeviceStreams {
 public:
  virtual ~DeviceStreams() = default;  // the implementer's: waits for all work, and throws nothing

  // What CompiledKernel::enqueue takes for a stream.
  virtual void* handle(size_t stream) const = 0;
  // What is enqueued on `later` from now on comes after what is enqueued on `earlier` by now. The host does not wait.
  virtual void order(size_t earlier, size_t later) = 0;
  // The host waits for what is enqueued on the stream by now.
  virtual void finish(size_t stream) = 0;
};

// Safe to use from several threads.
class StreamDevice {
 public:
  virtual ~StreamDevice() = default;

  // Memory at a multiple of 256, at one address for the host and for the kernels; the host may use parts of it while
  // kernels use others. A UserError where there is not that much left; bytes > 0.
  virtual std::byte* allocate(size_t bytes) = 0;
  virtual void free(std::byte* memory) = 0;

  // This must outlive them.
  virtual std::unique_ptr<DeviceStreams> makeStreams(size_t count) = 0;
};

}  // namespace fuser
