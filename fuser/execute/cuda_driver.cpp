#include "fuser/execute/cuda_driver.h"

#include <algorithm>

#include "fuser/execute/engine.h"
#include "fuser/support/set_up_error.h"

namespace fuser {
namespace {

using Status = int;
using Context = struct CUctx_st*;

// Constants from cuda.h.
constexpr Status kSuccess = 0;
constexpr Status kOutOfMemory = 2;
// What the machine does not give: memory, a real libcuda, the device (in use, none, its memory broken), a call to the
// system, a driver that fits the GPU, the service that shares one.
constexpr Status kEnvironmentErrors[] = {kOutOfMemory, 34,  46,  100, 214, 220, 304, 802,
                                         803,          804, 805, 806, 807, 808, 809};
// Error codes for faults of a kernel. After one, the context returns it from every later call, too.
constexpr Status kKernelFaults[] = {700, 702, 710, 714, 715, 716, 717, 718, 719};
constexpr int kCapabilityMajor = 75;
constexpr int kCapabilityMinor = 76;
constexpr int kConcurrentManagedAccess = 89;
constexpr int kMaxDynamicShared = 8;
constexpr unsigned kAttachGlobal = 1;
constexpr unsigned kNonBlocking = 1;
constexpr unsigned kDisableTiming = 2;
constexpr unsigned kWithTiming = 0;
constexpr size_t kSharedWithoutAsking = 48 * 1024;

}  // namespace

struct CudaDriver::Functions {
  SharedLibrary library;
  Status (*init)(unsigned);
  Status (*getErrorString)(Status, const char**);
  Status (*deviceGetCount)(int*);
  Status (*deviceGet)(int*, int);
  Status (*deviceGetAttribute)(int*, int, int);
  Status (*primaryContextRetain)(Context*, int);
  Status (*primaryContextRelease)(int);
  Status (*contextSetCurrent)(Context);
  Status (*moduleLoadData)(Module*, const void*);
  Status (*moduleUnload)(Module);
  Status (*moduleGetFunction)(Function*, Module, const char*);
  Status (*functionSetAttribute)(Function, int, int);
  Status (*memAlloc)(Address*, size_t);
  Status (*memAllocManaged)(Address*, size_t, unsigned);
  Status (*memFree)(Address);
  Status (*memcpyHtoD)(Address, const void*, size_t);
  Status (*memcpyDtoH)(void*, Address, size_t);
  Status (*memcpyDtoD)(Address, Address, size_t);
  Status (*launchKernel)(Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream, void**,
                         void**);
  Status (*launchCooperativeKernel)(Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                    Stream, void**);
  Status (*occupancy)(int*, Function, int, size_t);
  Status (*streamCreate)(Stream*, unsigned);
  Status (*streamDestroy)(Stream);
  Status (*streamSynchronize)(Stream);
  Status (*streamWaitEvent)(Stream, Event, unsigned);
  Status (*eventCreate)(Event*, unsigned);
  Status (*eventDestroy)(Event);
  Status (*eventRecord)(Event, Stream);
  Status (*eventElapsedTime)(float*, Event, Event);

  template <class F>
  void find(F*& function, const char* name) {
    function = library.find<F>(name);
    FUSER_SET_UP_CHECK(function, "libcuda has no ", name, "; a newer driver is needed");
  }

  void findAll() {
    find(init, "cuInit");
    find(getErrorString, "cuGetErrorString");
    find(deviceGetCount, "cuDeviceGetCount");
    find(deviceGet, "cuDeviceGet");
    find(deviceGetAttribute, "cuDeviceGetAttribute");
    find(primaryContextRetain, "cuDevicePrimaryCtxRetain");
    find(primaryContextRelease, "cuDevicePrimaryCtxRelease_v2");
    find(contextSetCurrent, "cuCtxSetCurrent");
    find(moduleLoadData, "cuModuleLoadData");
    find(moduleUnload, "cuModuleUnload");
    find(moduleGetFunction, "cuModuleGetFunction");
    find(functionSetAttribute, "cuFuncSetAttribute");
    find(memAlloc, "cuMemAlloc_v2");
    find(memAllocManaged, "cuMemAllocManaged");
    find(memFree, "cuMemFree_v2");
    find(memcpyHtoD, "cuMemcpyHtoD_v2");
    find(memcpyDtoH, "cuMemcpyDtoH_v2");
    find(memcpyDtoD, "cuMemcpyDtoD_v2");
    find(launchKernel, "cuLaunchKernel");
    find(launchCooperativeKernel, "cuLaunchCooperativeKernel");
    find(occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
    find(streamCreate, "cuStreamCreate");
    find(streamDestroy, "cuStreamDestroy_v2");
    find(streamSynchronize, "cuStreamSynchronize");
    find(streamWaitEvent, "cuStreamWaitEvent");
    find(eventCreate, "cuEventCreate");
    find(eventDestroy, "cuEventDestroy_v2");
    find(eventRecord, "cuEventRecord");
    find(eventElapsedTime, "cuEventElapsedTime");
  }

  std::string text(Status result) const {
    const char* message = nullptr;
    if (getErrorString(result, &message) != kSuccess || !message) return concat("error ", result);
    return concat(message, " (error ", result, ")");
  }
  template <class... Parts>
  void check(Status result, const Parts&... what) const {
    if (result == kSuccess) return;
    const auto isOne = [&](const auto& of) { return std::find(std::begin(of), std::end(of), result) != std::end(of); };
    if (isOne(kKernelFaults)) throw ViolationError(concat(what..., " on the GPU: ", text(result)));
    FUSER_SET_UP_CHECK(!isOne(kEnvironmentErrors), what..., ": ", text(result));
    FUSER_CHECK(false, what..., ": ", text(result));
  }
};

SharedLibrary CudaDriver::open() {
  const std::string names[] = {"libcuda.so.1", "libcuda.so"};
  return SharedLibrary(names, SharedLibrary::Unload::Never);
}

CudaDriver::CudaDriver(SharedLibrary libcuda) : functions_(std::make_unique<Functions>()) {
  functions_->library = std::move(libcuda);
  FUSER_SET_UP_CHECK(functions_->library.isOpen(),
                     "the cuda engine needs NVIDIA's driver, but libcuda.so.1 was not found; use engine = \"cpu\" or "
                     "\"interp\" here, or install the driver (",
                     functions_->library.error(), ")");
  functions_->findAll();
  const Status started = functions_->init(0);
  FUSER_SET_UP_CHECK(started == kSuccess, "the cuda engine cannot start the driver: ", functions_->text(started),
                     "; use engine = \"cpu\" or \"interp\" here");
  int count = 0;
  functions_->check(functions_->deviceGetCount(&count), "cuDeviceGetCount");
  FUSER_SET_UP_CHECK(count > 0, "the cuda engine found no GPU; use engine = \"cpu\" or \"interp\" here");
  functions_->check(functions_->deviceGet(&device_, 0), "cuDeviceGet");
  const Status retained = functions_->primaryContextRetain(&context_, device_);
  FUSER_SET_UP_CHECK(retained == kSuccess, "the cuda engine cannot use the GPU: ", functions_->text(retained));
}

CudaDriver::~CudaDriver() {
  if (context_) functions_->primaryContextRelease(device_);
}

void CudaDriver::makeCurrent() const { functions_->check(functions_->contextSetCurrent(context_), "cuCtxSetCurrent"); }

int CudaDriver::attribute(int number) const {
  int value = 0;
  functions_->check(functions_->deviceGetAttribute(&value, number, device_), "cuDeviceGetAttribute");
  return value;
}

DeviceProperties CudaDriver::properties() const {
  DeviceProperties properties = defaultDevice();
  for (const DeviceFigure& figure : deviceFigures()) {
    if (figure.attribute >= 0) properties.*figure.field = attribute(figure.attribute);
  }
  properties.architecture = 10 * attribute(kCapabilityMajor) + attribute(kCapabilityMinor);
  return properties;
}

std::string CudaDriver::arch() const { return concat(attribute(kCapabilityMajor), attribute(kCapabilityMinor)); }

bool CudaDriver::hostAndKernelsShareMemory() const { return attribute(kConcurrentManagedAccess) != 0; }

CudaDriver::Module CudaDriver::loadModule(const std::string& image) const {
  makeCurrent();
  Module module = nullptr;
  functions_->check(functions_->moduleLoadData(&module, image.data()), "cuModuleLoadData");
  return module;
}

void CudaDriver::unloadModule(Module module) const {
  if (functions_->contextSetCurrent(context_) == kSuccess) functions_->moduleUnload(module);
}

CudaDriver::Function CudaDriver::function(Module module, const std::string& name) const {
  makeCurrent();
  Function function = nullptr;
  functions_->check(functions_->moduleGetFunction(&function, module, name.c_str()), name);
  return function;
}

CudaDriver::Address CudaDriver::allocate(size_t bytes) const {
  makeCurrent();
  Address address = 0;
  const Status result = functions_->memAlloc(&address, bytes);
  FUSER_SET_UP_CHECK(result != kOutOfMemory, "the GPU has no ", bytes, " bytes left");
  functions_->check(result, "cuMemAlloc");
  return address;
}

CudaDriver::Address CudaDriver::allocateShared(size_t bytes) const {
  makeCurrent();
  Address address = 0;
  const Status result = functions_->memAllocManaged(&address, bytes, kAttachGlobal);
  FUSER_SET_UP_CHECK(result != kOutOfMemory, "the GPU and the host have no ", bytes, " bytes of shared memory left");
  functions_->check(result, "cuMemAllocManaged");
  return address;
}

void CudaDriver::free(Address address) const {
  if (functions_->contextSetCurrent(context_) == kSuccess) functions_->memFree(address);
}

void CudaDriver::copyToDevice(Address target, const void* source, size_t bytes) const {
  makeCurrent();
  functions_->check(functions_->memcpyHtoD(target, source, bytes), "cuMemcpyHtoD");
}

void CudaDriver::copyToHost(void* target, Address source, size_t bytes) const {
  makeCurrent();
  functions_->check(functions_->memcpyDtoH(target, source, bytes), "cuMemcpyDtoH");
}

void CudaDriver::copyOnDevice(Address target, Address source, size_t bytes) const {
  makeCurrent();
  functions_->check(functions_->memcpyDtoD(target, source, bytes), "cuMemcpyDtoD");
}

void CudaDriver::allowShared(Function function, size_t bytes) const {
  if (bytes <= kSharedWithoutAsking) return;
  functions_->check(functions_->functionSetAttribute(function, kMaxDynamicShared, static_cast<int>(bytes)),
                    "cuFuncSetAttribute");
}

int64_t CudaDriver::blocksAtOnce(Function function, int64_t threads, size_t sharedBytes) const {
  makeCurrent();
  allowShared(function, sharedBytes);
  int blocks = 0;
  functions_->check(functions_->occupancy(&blocks, function, static_cast<int>(threads), sharedBytes),
                    "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  return blocks * properties().multiprocessors;
}

void CudaDriver::enqueue(const Launch& launch, Stream stream) const {
  makeCurrent();
  allowShared(launch.function, launch.sharedBytes);
  const auto size = [](int64_t extent) { return static_cast<unsigned>(extent); };
  const auto& [x, y, z] = launch.grid;
  const auto& [threadsX, threadsY, threadsZ] = launch.block;
  const Status status =
      launch.atOnce
          ? functions_->launchCooperativeKernel(launch.function, size(x), size(y), size(z), size(threadsX),
                                                size(threadsY), size(threadsZ),
                                                static_cast<unsigned>(launch.sharedBytes), stream, launch.arguments)
          : functions_->launchKernel(launch.function, size(x), size(y), size(z), size(threadsX), size(threadsY),
                                     size(threadsZ), static_cast<unsigned>(launch.sharedBytes), stream,
                                     launch.arguments, nullptr);
  functions_->check(status, "kernel ", launch.name);
}

void CudaDriver::launch(const Launch& launch) const {
  enqueue(launch, nullptr);
  functions_->check(functions_->streamSynchronize(nullptr), "kernel ", launch.name);
}

CudaDriver::Stream CudaDriver::makeStream() const {
  makeCurrent();
  Stream stream = nullptr;
  functions_->check(functions_->streamCreate(&stream, kNonBlocking), "cuStreamCreate");
  return stream;
}

void CudaDriver::destroy(Stream stream) const {
  if (functions_->contextSetCurrent(context_) == kSuccess) functions_->streamDestroy(stream);
}

CudaDriver::Event CudaDriver::makeEvent(unsigned flags) const {
  makeCurrent();
  Event event = nullptr;
  functions_->check(functions_->eventCreate(&event, flags), "cuEventCreate");
  return event;
}

CudaDriver::Event CudaDriver::makeEvent() const { return makeEvent(kDisableTiming); }

CudaDriver::Event CudaDriver::makeClockEvent() const { return makeEvent(kWithTiming); }

void CudaDriver::destroy(Event event) const {
  if (functions_->contextSetCurrent(context_) == kSuccess) functions_->eventDestroy(event);
}

void CudaDriver::record(Event event, Stream stream) const {
  makeCurrent();
  functions_->check(functions_->eventRecord(event, stream), "cuEventRecord");
}

void CudaDriver::wait(Stream stream, Event event) const {
  makeCurrent();
  functions_->check(functions_->streamWaitEvent(stream, event, 0), "cuStreamWaitEvent");
}

void CudaDriver::finish(Stream stream, std::string_view what) const {
  makeCurrent();
  functions_->check(functions_->streamSynchronize(stream), what);
}

double CudaDriver::microsecondsBetween(Event begin, Event end) const {
  makeCurrent();
  float milliseconds = 0;
  functions_->check(functions_->eventElapsedTime(&milliseconds, begin, end), "cuEventElapsedTime");
  return 1e3 * static_cast<double>(milliseconds);
}

}  // namespace fuser
