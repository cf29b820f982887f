#pragma once
// CudaDriver: the part of the CUDA driver API that the cuda engine needs, opened at run time: device 0, its primary
// context, modules, memory, launches, streams and events. cuda.h may be missing, so the prototypes are declared here.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "fuser/execute/shared_library.h"
#include "fuser/types/device_properties.h"

namespace fuser {

class CudaDriver {
 public:
  using Module = struct CUmod_st*;
  using Function = struct CUfunc_st*;
  using Address = unsigned long long;  // of device memory
  using Stream = struct CUstream_st*;  // null: the default stream
  using Event = struct CUevent_st*;

  // Opens device 0 and its primary context. A SetUpError if libcuda or a GPU is missing.
  explicit CudaDriver(SharedLibrary libcuda = open());
  ~CudaDriver();
  CudaDriver(const CudaDriver&) = delete;
  CudaDriver& operator=(const CudaDriver&) = delete;

  static SharedLibrary open();  // libcuda; not open if the loader does not find it

  DeviceProperties properties() const;
  std::string arch() const;  // the compute capability without the point: "90"
  bool hostAndKernelsShareMemory() const;  // whether both may access memory of allocateShared at the same time

  // Each call makes the context current on the calling thread. A kernel's error, such as an illegal address, is a
  // ViolationError of the next call, whichever that is (the driver reports it asynchronously).
  Module loadModule(const std::string& image) const;
  void unloadModule(Module module) const;
  Function function(Module module, const std::string& name) const;
  // A SetUpError if the GPU is out of memory; bytes > 0.
  Address allocate(size_t bytes) const;
  Address allocateShared(size_t bytes) const;  // managed memory, at the same address for the host
  void free(Address address) const;
  void copyToDevice(Address target, const void* source, size_t bytes) const;
  void copyToHost(void* target, Address source, size_t bytes) const;
  // In the order of the default stream's work; does not wait.
  void copyOnDevice(Address target, Address source, size_t bytes) const;

  struct Launch {
    Function function;
    std::array<int64_t, 3> grid;
    std::array<int64_t, 3> block;
    size_t sharedBytes;  // per block
    void** arguments;    // not used after enqueue returns
    const std::string& name;  // the kernel's; must outlive the struct
    bool atOnce;              // a cooperative launch: the blocks wait for each other
  };
  // The blocks of a cooperative launch that the GPU runs at once.
  int64_t blocksAtOnce(Function function, int64_t threads, size_t sharedBytes) const;
  // Runs the kernel and waits until it has finished.
  void launch(const Launch& launch) const;
  void enqueue(const Launch& launch, Stream stream) const;

  Stream makeStream() const;  // non-blocking: it does not synchronize with the default stream
  void destroy(Stream stream) const;
  Event makeEvent() const;
  Event makeClockEvent() const;  // one whose records have times
  void destroy(Event event) const;
  void record(Event event, Stream stream) const;
  // Makes all later work on the stream wait for the event's last record.
  void wait(Stream stream, Event event) const;
  void finish(Stream stream, std::string_view what) const;  // waits for its work; messages contain `what`
  // From the one's last record to the other's, which is done; both are clock events.
  double microsecondsBetween(Event begin, Event end) const;

 private:
  void allowShared(Function function, size_t bytes) const;
  Event makeEvent(unsigned flags) const;

  struct Functions;
  void makeCurrent() const;
  int attribute(int number) const;  // CUdevice_attribute

  std::unique_ptr<Functions> functions_;
  int device_ = 0;
  struct CUctx_st* context_ = nullptr;
};

// Device memory that the destructor frees (RAII).
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
