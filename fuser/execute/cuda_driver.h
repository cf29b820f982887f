#pragma once
// The CUDA driver API, opened at run time, as far as the cuda engine needs it: one device, its primary context,
// modules, memory, launches. cuda.h is not on every machine, so the prototypes stand here.

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "fuser/execute/shared_library.h"

namespace fuser {

class CudaDriver {
 public:
  using Module = struct CUmod_st*;
  using Function = struct CUfunc_st*;
  using Address = unsigned long long;  // of device memory

  // Device 0 and its primary context. A UserError where libcuda or a GPU is missing.
  explicit CudaDriver(SharedLibrary libcuda = open());
  ~CudaDriver();
  CudaDriver(const CudaDriver&) = delete;
  CudaDriver& operator=(const CudaDriver&) = delete;

  static SharedLibrary open();  // what the loader finds; perhaps nothing

  std::string arch() const;  // compute capability without the point: "90"

  // Every call makes the context current on the calling thread.
  Module loadModule(const std::string& image) const;
  void unloadModule(Module module) const;
  Function function(Module module, const std::string& name) const;
  // A UserError when the GPU has not that much memory left; bytes > 0.
  Address allocate(size_t bytes) const;
  void free(Address address) const;
  void copyToDevice(Address target, const void* source, size_t bytes) const;
  void copyToHost(void* target, Address source, size_t bytes) const;
  // Launches and waits. An error that the device reports is a ViolationError with the name.
  void launch(Function function, const std::array<int64_t, 3>& grid, const std::array<int64_t, 3>& block,
              size_t sharedBytes, void** arguments, const std::string& name) const;

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
