#pragma once
// The CUDA driver API, opened at run time, as far as the cuda engine needs it: one device, its primary context,
// modules, memory, launches, streams and events. cuda.h is not on every machine, so the prototypes stand here.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "fuser/execute/shared_library.h"

namespace fuser {

class CudaDriver {
 public:
  using Module = struct CUmod_st*;
  using Function = struct CUfunc_st*;
  using Address = unsigned long long;  // of device memory
  using Stream = struct CUstream_st*;  // null: the context's own
  using Event = struct CUevent_st*;

  // Device 0 and its primary context. A UserError where libcuda or a GPU is missing.
  explicit CudaDriver(SharedLibrary libcuda = open());
  ~CudaDriver();
  CudaDriver(const CudaDriver&) = delete;
  CudaDriver& operator=(const CudaDriver&) = delete;

  static SharedLibrary open();  // what the loader finds; perhaps nothing

  std::string arch() const;  // compute capability without the point: "90"
  bool hostAndKernelsShareMemory() const;  // whether both may use memory of allocateShared at the same time

  // Every call makes the context current on the calling thread. What a kernel did wrong (an illegal address …) is a
  // ViolationError of the next call, whichever that is.
  Module loadModule(const std::string& image) const;
  void unloadModule(Module module) const;
  Function function(Module module, const std::string& name) const;
  // A UserError when the GPU has not that much memory left; bytes > 0.
  Address allocate(size_t bytes) const;
  Address allocateShared(size_t bytes) const;  // managed memory: the host has it at the same address
  void free(Address address) const;
  void copyToDevice(Address target, const void* source, size_t bytes) const;
  void copyToHost(void* target, Address source, size_t bytes) const;

  struct Launch {
    Function function;
    std::array<int64_t, 3> grid;
    std::array<int64_t, 3> block;
    size_t sharedBytes;  // per block
    void** arguments;    // read before enqueue returns
    const std::string& name;  // of the kernel, which outlives this
  };
  // Waits for the end.
  void launch(const Launch& launch) const;
  void enqueue(const Launch& launch, Stream stream) const;

  Stream makeStream() const;  // its work is beside that of the context's own stream
  void destroy(Stream stream) const;
  Event makeEvent() const;
  void destroy(Event event) const;
  void record(Event event, Stream stream) const;
  // What is enqueued on the stream from now on waits for what the event was last recorded behind.
  void wait(Stream stream, Event event) const;
  void finish(Stream stream, std::string_view what) const;  // waits for its work; `what` stands in messages

 private:
  struct Functions;
  void makeCurrent() const;

  std::unique_ptr<Functions> functions_;
  int device_ = 0;
  struct CUctx_st* context_ = nullptr;
};

// Device memory that is freed at the end.
class DeviceMemory {
 public:
  DeviceMemory(const CudaDriver& driver, size_t bytes) : driver_(driver), address_(driver.allocate(bytes)) {}
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory() { driver_.free(address_); }
  CudaDriver::Address address() const { return address_; }

 private:
  const CudaDriver& driver_;
  CudaDriver::Address address_;
};

}  // namespace fuser
