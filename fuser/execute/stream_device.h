#pragma once
// StreamDevice: streams and host-visible memory that an engine may offer to host programs. An engine without one runs
// each launch synchronously.

#include <cstddef>
#include <memory>

namespace fuser {

// The streams of one run, numbered from 0. Work on one stream runs in order, work on different streams may overlap. An
// error of a kernel is a ViolationError of some later call.
class DeviceStreams {
 public:
  virtual ~DeviceStreams() = default;  // implementations wait for all work and throw nothing

  // The stream argument of CompiledKernel::enqueue.
  virtual void* handle(size_t stream) const = 0;
  // Makes all later work on stream `later` wait for all earlier work on stream `earlier`. The host does not wait.
  virtual void order(size_t earlier, size_t later) = 0;
  // Waits, on the host, for all work enqueued on the stream so far.
  virtual void finish(size_t stream) = 0;
};

// Thread-safe.
class StreamDevice {
 public:
  virtual ~StreamDevice() = default;

  // Allocates memory aligned to 256 bytes, with the same address for host and kernels; the host may access parts of it
  // while kernels access others. A UserError when out of memory; bytes > 0.
  virtual std::byte* allocate(size_t bytes) = 0;
  virtual void free(std::byte* memory) = 0;

  // The device must outlive the streams.
  virtual std::unique_ptr<DeviceStreams> makeStreams(size_t count) = 0;
};

}  // namespace fuser
