#include "fuser/execute/cuda_engine.h"

#include "fuser/codegen/print_cuda.h"
#include "fuser/execute/cuda_streams.h"
#include "fuser/execute/device_copies.h"
#include "fuser/execute/launch_shape.h"
#include "fuser/execute/nvrtc.h"
#include "fuser/kernel/shared_layout.h"
#include "fuser/support/rejection.h"

namespace fuser {
namespace {

struct LoadedModule {
  std::shared_ptr<const CudaDriver> driver;
  CudaDriver::Module module;
  LoadedModule(std::shared_ptr<const CudaDriver> d, const std::string& image)
      : driver(std::move(d)), module(driver->loadModule(image)) {}
  LoadedModule(const LoadedModule&) = delete;
  LoadedModule& operator=(const LoadedModule&) = delete;
  ~LoadedModule() { driver->unloadModule(module); }
};

class CudaKernel : public CompiledKernel {
 public:
  CudaKernel(const Kernel& kernel, std::shared_ptr<LoadedModule> module, const std::string& entry,
             std::shared_ptr<CudaTimes> times)
      : kernel_(kernel),
        module_(std::move(module)),
        function_(driver().function(module_->module, entry)),
        times_(std::move(times)),
        number_(times_ ? times_->addKernel(kernel) : 0) {}

  void launch(const KernelArguments& arguments) override {
    const std::array<int64_t, 3> grid = checkedGrid(arguments);
    if (isEmpty(grid)) return;
    std::vector<bool> written;
    for (const TensorParam& tensor : kernel_.tensors) written.push_back(tensor.written);
    const HostRanges host = hostRanges(arguments.tensors, written);
    std::vector<std::unique_ptr<DeviceMemory>> memory;
    std::vector<CudaDriver::Address> addresses;  // on the device, of each range's first byte
    for (const HostRange& range : host.ranges) {
      const uintptr_t lead = range.begin % kKeptAlignment;
      memory.push_back(std::make_unique<DeviceMemory>(driver(), lead + (range.end - range.begin)));
      addresses.push_back(memory.back()->address() + lead);
    }
    std::vector<void*> data;
    for (size_t i = 0; i < arguments.tensors.size(); ++i) {
      void* address = arguments.tensors[i].data;
      if (host.rangeOfTensor[i] >= 0) {
        const size_t index = static_cast<size_t>(host.rangeOfTensor[i]);
        const uintptr_t offset = reinterpret_cast<uintptr_t>(address) - host.ranges[index].begin;
        address = reinterpret_cast<void*>(addresses[index] + offset);
      }
      data.push_back(address);
    }
    // A workspace has no content that the host gives or takes, but that a semaphore is zero before and after.
    std::vector<CudaDriver::Address> workspaces;
    for (const TensorRef& workspace : arguments.workspaces) {
      const size_t bytes = std::max<size_t>(1, bytesOf(workspace));
      memory.push_back(std::make_unique<DeviceMemory>(driver(), bytes));
      workspaces.push_back(memory.back()->address());
      data.push_back(reinterpret_cast<void*>(workspaces.back()));
    }
    // What an earlier launch wrote, and what none has brought yet.
    const auto bring = [&](bool all) {
      for (size_t i = 0; i < host.ranges.size(); ++i) {
        const HostRange& range = host.ranges[i];
        if (!all && !range.written) continue;
        driver().copyToDevice(addresses[i], reinterpret_cast<const void*>(range.begin), range.end - range.begin);
      }
      for (size_t i = 0; i < workspaces.size(); ++i) {
        const TensorRef& workspace = arguments.workspaces[i];
        driver().copyToDevice(workspaces[i], workspace.data, bytesOf(workspace));
      }
    };
    ArgumentList list(kernel_, arguments, std::move(data));
    bring(true);
    if (times_) {
      times_->time(
          number_, [&] { bring(false); }, [&] { driver().enqueue(launchOf(grid, list), nullptr); });
      bring(false);
    }
    driver().launch(launchOf(grid, list));
    for (size_t i = 0; i < workspaces.size(); ++i) {
      driver().copyToHost(arguments.workspaces[i].data, workspaces[i], bytesOf(arguments.workspaces[i]));
    }
    for (size_t i = 0; i < host.ranges.size(); ++i) {
      const HostRange& range = host.ranges[i];
      if (!range.written) continue;
      driver().copyToHost(reinterpret_cast<void*>(range.begin), addresses[i], range.end - range.begin);
    }
  }

  void enqueue(const KernelArguments& arguments, void* stream) override {
    const std::array<int64_t, 3> grid = checkedGrid(arguments);
    if (isEmpty(grid)) return;
    std::vector<void*> data;
    for (const TensorRef& tensor : arguments.tensors) data.push_back(tensor.data);
    for (const TensorRef& workspace : arguments.workspaces) data.push_back(workspace.data);
    ArgumentList list(kernel_, arguments, std::move(data));
    driver().enqueue(launchOf(grid, list), static_cast<CudaDriver::Stream>(stream));
  }

 private:
  const CudaDriver& driver() const { return *module_->driver; }

  static size_t bytesOf(const TensorRef& workspace) {
    return static_cast<size_t>(numel(workspace.sizes)) * dtypeSize(workspace.dtype);
  }

  static bool isEmpty(const std::array<int64_t, 3>& grid) { return grid[0] == 0 || grid[1] == 0 || grid[2] == 0; }

  std::array<int64_t, 3> checkedGrid(const KernelArguments& arguments) const {
    checkArguments(kernel_, arguments);
    const std::array<int64_t, 3> grid = gridOf(kernel_, arguments);
    const DeviceProperties& device = kernel_.device;
    FUSER_CHECK(grid[0] <= device.gridX && grid[1] <= device.gridY && grid[2] <= device.gridZ, kernel_.name,
                ": a grid of ", grid[0], " * ", grid[1], " * ", grid[2], " blocks is more than the device takes");
    if (hasGridBarrier(kernel_)) {
      const int64_t threads = kernel_.blockDim[0] * kernel_.blockDim[1] * kernel_.blockDim[2];
      const int64_t most = driver().blocksAtOnce(function_, threads, sharedMemoryBytes(kernel_));
      FUSER_USER_CHECK(grid[0] * grid[1] * grid[2] <= most, kernel_.name, " has ", grid[0] * grid[1] * grid[2],
                       " blocks, which wait for each other, and this GPU runs ", most,
                       " at once: use option device = \"native\"");
    }
    return grid;
  }

  CudaDriver::Launch launchOf(const std::array<int64_t, 3>& grid, ArgumentList& list) const {
    return {function_,        grid,         kernel_.blockDim,       sharedMemoryBytes(kernel_),
            list.addresses(), kernel_.name, hasGridBarrier(kernel_)};
  }

  const Kernel& kernel_;
  std::shared_ptr<LoadedModule> module_;
  CudaDriver::Function function_;
  std::shared_ptr<CudaTimes> times_;
  size_t number_;  // in times_
};

class CudaEngine : public Engine {
 public:
  CudaEngine(std::shared_ptr<const CudaDriver> driver, std::shared_ptr<CudaTimes> times)
      : driver_(std::move(driver)), device_(makeCudaDevice(driver_)), times_(std::move(times)) {}

  std::string name() const override { return "cuda"; }

  DeviceProperties properties() override { return properties_; }

  std::vector<std::unique_ptr<CompiledKernel>> compile(std::span<const Kernel* const> kernels) override {
    for (const Kernel* kernel : kernels) checkFits(*kernel);
    if (kernels.empty()) return {};
    const std::string image = nvrtc_.compileToCubin(printModule(kernels), driver_->arch());
    const auto module = std::make_shared<LoadedModule>(driver_, image);
    std::vector<std::unique_ptr<CompiledKernel>> compiled;
    for (size_t i = 0; i < kernels.size(); ++i)
      compiled.push_back(std::make_unique<CudaKernel>(*kernels[i], module, entryName(*kernels[i], i), times_));
    return compiled;
  }

  std::shared_ptr<StreamDevice> device() override { return device_; }

 private:
  // A kernel for another device runs where this one's limits allow what it uses.
  void checkFits(const Kernel& kernel) const {
    const int64_t threads = kernel.blockDim[0] * kernel.blockDim[1] * kernel.blockDim[2];
    const auto shared = static_cast<int64_t>(sharedMemoryBytes(kernel));
    FUSER_REJECT_UNLESS(kernel.device.warp == properties_.warp, DeviceLimits, kernel.name, " is for warps of ",
                        kernel.device.warp, " threads, and this GPU's have ", properties_.warp,
                        ": leave out option device_warp");
    FUSER_REJECT_UNLESS(threads <= properties_.threadsPerBlock && shared <= properties_.optInShared, DeviceLimits,
                        kernel.name, " has blocks of ", threads, " threads and ", shared,
                        " bytes of shared memory, and this GPU's have at most ", properties_.threadsPerBlock, " and ",
                        properties_.optInShared, ": use option device = \"native\"");
  }

  std::shared_ptr<const CudaDriver> driver_;
  const DeviceProperties properties_ = driver_->properties();
  std::shared_ptr<StreamDevice> device_;
  std::shared_ptr<CudaTimes> times_;
  Nvrtc nvrtc_;
};

}  // namespace

std::unique_ptr<Engine> makeCudaEngine() { return makeCudaEngine(std::make_shared<CudaDriver>()); }

std::unique_ptr<Engine> makeCudaEngine(std::shared_ptr<const CudaDriver> driver, std::shared_ptr<CudaTimes> times) {
  return std::make_unique<CudaEngine>(std::move(driver), std::move(times));
}

}  // namespace fuser
