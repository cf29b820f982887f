// The library's text, and what its streams do.

#include "tests/fuser/execute/cuda_stand_in/cuda_stand_in.h"

#include <array>

#include "fuser/codegen/print_cuda.h"
#include "fuser/execute/clang_compiler.h"
#include "fuser/execute/cuda_engine.h"
#include "fuser/execute/fiber_block.h"
#include "fuser/kernel/shared_layout.h"

namespace fuser {
namespace {

// What the library asks the stand-in for; the numbers of CudaStandIn::call.
enum Call {
  kFunction,
  kShare,
  kUnshare,
  kStreamCreate,
  kStreamDestroy,
  kStreamFinish,
  kWait,
  kEventCreate,
  kEventDestroy,
  kRecord,
  kElapsed
};

// libcuda as far as CudaDriver calls it. Memory from it is aligned to 256 bytes. Once a kernel has failed, so does
// every call that makes or does something.
constexpr const char* kLibrary = R"(
typedef unsigned long size_t;
typedef unsigned long long Address;
extern "C" void* aligned_alloc(size_t, size_t);
extern "C" void free(void*);
extern "C" void* memcpy(void*, const void*, size_t);
extern "C" {
int standInAllocations = 0;
int standInModules = 0;
int standInFailure = 0;
int standInShares = 1;
size_t standInCopied = 0;
int standInAttributes[128];
void* standIn = 0;
int (*standInCall)(void*, int, void*, void*) = 0;
void (*standInLaunch)(void*, void*, const unsigned*, void*, void**) = 0;

int cuInit(unsigned) { return 0; }
int cuGetErrorString(int, const char** text) { *text = "an illegal memory access was encountered"; return 0; }
int cuDeviceGetCount(int* count) { *count = 1; return 0; }
int cuDeviceGet(int* device, int) { *device = 0; return 0; }
int cuDeviceGetAttribute(int* value, int attribute, int) {
  *value = attribute == 75 ? 9 : attribute == 89 ? standInShares : standInAttributes[attribute];
  return 0;
}
int cuDevicePrimaryCtxRetain(void** context, int) { *context = &standInModules; return 0; }
int cuDevicePrimaryCtxRelease_v2(int) { return 0; }
int cuCtxSetCurrent(void* context) { return context == &standInModules ? 0 : 201; }
int cuModuleLoadData(void** module, const void* image) {
  if (standInFailure) return standInFailure;
  ++standInModules;
  *module = (void*)image;
  return 0;
}
int cuModuleUnload(void*) { --standInModules; return 0; }
int cuModuleGetFunction(void** function, void*, const char* name) { return standInCall(standIn, 0, function, (void*)name); }
int cuFuncSetAttribute(void*, int, int) { return 0; }
int cuMemAlloc_v2(Address* address, size_t bytes) {
  if (standInFailure) return standInFailure;
  if (bytes > (1ul << 40)) return 2;
  __sync_fetch_and_add(&standInAllocations, 1);
  *address = (Address)aligned_alloc(256, (bytes + 255) / 256 * 256);
  return 0;
}
int cuMemAllocManaged(Address* address, size_t bytes, unsigned flags) {
  if (flags != 1) return 1;
  const int status = cuMemAlloc_v2(address, bytes);
  return status != 0 ? status : standInCall(standIn, 1, (void*)*address, (void*)bytes);
}
int cuMemFree_v2(Address address) {
  __sync_fetch_and_sub(&standInAllocations, 1);
  standInCall(standIn, 2, (void*)address, 0);
  free((void*)address);
  return 0;
}
int cuMemcpyHtoD_v2(Address to, const void* from, size_t bytes) {
  if (!standInFailure) memcpy((void*)to, from, bytes);
  return standInFailure;
}
int cuMemcpyDtoH_v2(void* to, Address from, size_t bytes) {
  if (!standInFailure) memcpy(to, (void*)from, bytes);
  return standInFailure;
}
int cuMemcpyDtoD_v2(Address to, Address from, size_t bytes) {
  if (standInFailure) return standInFailure;
  memcpy((void*)to, (void*)from, bytes);
  standInCopied += bytes;
  return 0;
}
int cuLaunchKernel(void* function, unsigned x, unsigned y, unsigned z, unsigned, unsigned, unsigned, unsigned,
                   void* stream, void** arguments, void**) {
  if (standInFailure) return standInFailure;
  const unsigned grid[] = {x, y, z, 0};
  standInLaunch(standIn, function, grid, stream, arguments);
  return 0;
}
int cuLaunchCooperativeKernel(void* function, unsigned x, unsigned y, unsigned z, unsigned, unsigned, unsigned,
                              unsigned, void* stream, void** arguments) {
  if (standInFailure) return standInFailure;
  const unsigned grid[] = {x, y, z, 1};
  standInLaunch(standIn, function, grid, stream, arguments);
  return 0;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void*, int, size_t) {
  *blocks = 2;
  return standInFailure;
}
int cuStreamCreate(void** stream, unsigned flags) {
  return standInFailure ? standInFailure : flags == 1 ? standInCall(standIn, 3, stream, 0) : 1;
}
int cuStreamDestroy_v2(void* stream) { return standInCall(standIn, 4, stream, 0); }
int cuStreamSynchronize(void* stream) {
  const int status = stream ? standInCall(standIn, 5, stream, 0) : 0;
  return status != 0 ? status : standInFailure;
}
int cuStreamWaitEvent(void* stream, void* event, unsigned) {
  return standInFailure ? standInFailure : standInCall(standIn, 6, stream, event);
}
int cuEventCreate(void** event, unsigned flags) {
  if (flags != 0 && flags != 2) return 1;
  return standInFailure ? standInFailure : standInCall(standIn, 7, event, (void*)(size_t)(flags == 0));
}
int cuEventDestroy_v2(void* event) { return standInCall(standIn, 8, event, 0); }
int cuEventRecord(void* event, void* stream) {
  return standInFailure ? standInFailure : standInCall(standIn, 9, event, stream);
}
int cuEventElapsedTime(float* milliseconds, void* begin, void* end) {
  void* both[] = {begin, end};
  return standInFailure ? standInFailure : standInCall(standIn, 10, milliseconds, both);
}
}
)";

}  // namespace

// Hands each kernel to the cuda engine alone, so that the function that the engine asks for is known to be its.
class CudaStandIn::StandInEngine : public Engine {
 public:
  StandInEngine(CudaStandIn& standIn, std::shared_ptr<CudaTimes> times)
      : standIn_(standIn), cuda_(makeCudaEngine(standIn.driver_, std::move(times))) {}

  std::string name() const override { return cuda_->name(); }
  std::shared_ptr<StreamDevice> device() override { return cuda_->device(); }
  DeviceProperties properties() override { return cuda_->properties(); }

  std::vector<std::unique_ptr<CompiledKernel>> compile(std::span<const Kernel* const> kernels) override {
    std::vector<std::unique_ptr<CompiledKernel>> compiled;
    if (kernels.empty()) return compiled;
    const auto onHost =
        std::make_shared<const SharedLibrary>(ClangCompiler::find().compile(printCpuModule(kernels)));
    for (size_t i = 0; i < kernels.size(); ++i) {
      const Kernel& kernel = *kernels[i];
      const std::string launcher = launcherName(kernel, i);
      const std::lock_guard lock(standIn_.mutex_);
      standIn_.kernels_.push_back(std::make_unique<HostKernel>(
          HostKernel{kernel, onHost, onHost->find<std::remove_pointer_t<CpuLauncher>>(launcher.c_str())}));
      compiled.push_back(std::move(cuda_->compile(kernels.subspan(i, 1))[0]));
    }
    return compiled;
  }

 private:
  CudaStandIn& standIn_;
  std::unique_ptr<Engine> cuda_;
};

CudaStandIn::CudaStandIn() {
  SharedLibrary library = ClangCompiler::find().compile(kLibrary);
  allocations_ = library.find<int>("standInAllocations");
  modules_ = library.find<int>("standInModules");
  failure_ = library.find<int>("standInFailure");
  shares_ = library.find<int>("standInShares");
  copied_ = library.find<size_t>("standInCopied");
  *library.find<void*>("standIn") = this;
  *library.find<decltype(&call)>("standInCall") = &call;
  *library.find<decltype(&launch)>("standInLaunch") = &launch;
  // An H200: its figures are the table's.
  int* attributes = library.find<int>("standInAttributes");
  for (const DeviceFigure& figure : deviceFigures()) {
    if (figure.attribute >= 0) attributes[figure.attribute] = static_cast<int>(defaultDevice().*figure.field);
  }
  driver_ = std::make_shared<CudaDriver>(std::move(library));
}

std::unique_ptr<Engine> CudaStandIn::makeEngine(std::shared_ptr<CudaTimes> times) {
  return std::make_unique<StandInEngine>(*this, std::move(times));
}

int CudaStandIn::call(void* standIn, int what, void* a, void* b) {
  CudaStandIn& self = *static_cast<CudaStandIn*>(standIn);
  const std::lock_guard lock(self.mutex_);
  switch (static_cast<Call>(what)) {
    case kFunction:
      if (self.kernels_.empty()) return 500;
      *static_cast<void**>(a) = self.kernels_.back().get();
      return 0;
    case kShare: self.shared_[a] = reinterpret_cast<size_t>(b); return 0;
    case kUnshare: self.shared_.erase(a); return 0;
    case kStreamCreate:
      self.queues_.push_back(std::make_unique<Queue>());
      *static_cast<void**>(a) = self.queues_.back().get();
      ++self.streamsAndEvents_;
      return 0;
    case kStreamDestroy:
    case kEventDestroy: --self.streamsAndEvents_; return 0;
    case kStreamFinish: self.finish(static_cast<const Queue*>(a)); return 0;
    case kWait: {
      const Event* event = static_cast<const Event*>(b);
      self.enqueue(a, {event, event->recorded, [] {}});
      ++self.waits;
      return 0;
    }
    case kEventCreate:
      self.events_.push_back(std::make_unique<Event>());
      self.events_.back()->isClock = b != nullptr;
      *static_cast<void**>(a) = self.events_.back().get();
      ++self.streamsAndEvents_;
      return 0;
    case kRecord: {
      Event* event = static_cast<Event*>(a);
      event->microseconds = self.clock();
      if (!b) return 0;  // the default stream's work is done
      const size_t number = ++event->recorded;
      self.enqueue(b, {nullptr, 0, [event, number] { event->reached = std::max(event->reached, number); }});
      return 0;
    }
    case kElapsed: {
      const auto* const* both = static_cast<const Event* const*>(b);
      if (!both[0]->isClock || !both[1]->isClock) return 400;
      *static_cast<float*>(a) = static_cast<float>(1e-3 * (both[1]->microseconds - both[0]->microseconds));
      return 0;
    }
  }
  return 1;
}

double CudaStandIn::clock() const {
  return kLaunchMicroseconds * static_cast<double>(launches) + blocks_ + static_cast<double>(*copied_ >> 20);
}

bool CudaStandIn::isShared(const void* address) const {
  const auto after = shared_.upper_bound(address);
  if (after == shared_.begin()) return false;
  const auto& [begin, bytes] = *std::prev(after);
  return static_cast<const char*>(address) < static_cast<const char*>(begin) + bytes;
}

void CudaStandIn::launch(void* standIn, void* function, const unsigned* grid, void* stream, void** arguments) {
  CudaStandIn& self = *static_cast<CudaStandIn*>(standIn);
  const std::lock_guard lock(self.mutex_);
  const HostKernel& kernel = *static_cast<const HostKernel*>(function);
  // The caller's arguments are gone when the work is done.
  const Kernel& asked = kernel.kernel;
  FUSER_CHECK(hasGridBarrier(asked) == (grid[3] == 1), asked.name, " waits for the grid, or is launched as if it did");
  Launch launch{kernel, {grid[0], grid[1], grid[2]}, {}, stream != nullptr};
  const size_t count = asked.tensors.size() + asked.workspaces.size() + asked.intParams.size() + asked.scalars.size();
  for (size_t i = 0; i < count; ++i) launch.arguments.push_back(*static_cast<const uint64_t*>(arguments[i]));
  if (!stream) return self.run(launch);
  ++self.launchesOnStreams;
  self.enqueue(stream, {nullptr, 0, [&self, launch] { self.run(launch); }});
}

void CudaStandIn::run(Launch launch) {
  const Kernel& kernel = launch.kernel.kernel;
  std::vector<void*> addresses;
  for (uint64_t& value : launch.arguments) addresses.push_back(&value);
  for (size_t i = 0; i < kernel.tensors.size() + kernel.workspaces.size() && launch.onStream; ++i) {
    if (!isShared(reinterpret_cast<const void*>(launch.arguments[i]))) ++foreignArguments;
  }
  lastData = reinterpret_cast<void*>(launch.arguments.at(0));
  if (++launches == failingLaunch) *failure_ = 700;
  blocks_ += static_cast<double>(launch.grid[0] * launch.grid[1] * launch.grid[2]);
  struct alignas(16) Unit {
    unsigned char bytes[16];
  };
  std::vector<Unit> shared(sharedMemoryBytes(kernel) / sizeof(Unit) + 1);
  if (hasBarrier(kernel)) {
    const std::array<int64_t, 3> grid{launch.grid[0], launch.grid[1], launch.grid[2]};
    runFibers({launch.kernel.launcher, addresses.data(), grid, kernel.blockDim, sharedMemoryBytes(kernel),
               size_t{1} << 18, hasGridBarrier(kernel)},
              kernel.name);
  } else {
    const CpuThread thread{{}, {}, shared[0].bytes, nullptr, nullptr, nullptr, 0, nullptr};
    launch.kernel.launcher(addresses.data(), launch.grid.data(), &thread);
  }
}

void CudaStandIn::enqueue(void* stream, Work work) { static_cast<Queue*>(stream)->push_back(std::move(work)); }

void CudaStandIn::finish(const Queue* wanted) {
  while (!wanted->empty()) {
    std::vector<Queue*> ready;
    for (const std::unique_ptr<Queue>& queue : queues_) {
      if (queue->empty()) continue;
      const Work& first = queue->front();
      if (!first.waitsFor || first.waitsFor->reached >= first.record) ready.push_back(queue.get());
    }
    FUSER_CHECK(!ready.empty(), "streams wait for one another");
    Queue& queue = *ready.at(choose ? choose(ready.size()) : 0);
    queue.front().run();
    queue.pop_front();
  }
}

}  // namespace fuser
