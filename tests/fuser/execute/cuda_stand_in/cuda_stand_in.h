#pragma once
// A stand-in for libcuda, for tests without a GPU. "Device" memory is the host's, and a kernel is what the cpu engine
// makes of it. Safe to use from several threads. Streams are queues: their work is done when somebody waits for it, in
// an order that events allow and `choose` decides.

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "fuser/codegen/cpu_module.h"
#include "fuser/execute/cuda_driver.h"
#include "fuser/execute/cuda_times.h"
#include "fuser/execute/engine.h"

namespace fuser {

class CudaStandIn {
 public:
  CudaStandIn();
  CudaStandIn(const CudaStandIn&) = delete;
  CudaStandIn& operator=(const CudaStandIn&) = delete;

  std::shared_ptr<const CudaDriver> driver() const { return driver_; }
  // The cuda engine on it, for kernels without contraction. This must outlive it.
  std::unique_ptr<Engine> makeEngine(std::shared_ptr<CudaTimes> times = nullptr);
  // Its clock, of the default stream: so long takes a kernel, and for each of its blocks 1 us more, as does a MiB that
  // is copied on the device.
  static constexpr double kLaunchMicroseconds = 3;

  // What was asked for and not given back.
  int allocations() const { return *allocations_; }
  int modules() const { return *modules_; }
  int streamsAndEvents() const { return streamsAndEvents_; }

  // What every call answers from now on; 0: nothing is wrong.
  void setFailure(int status) { *failure_ = status; }
  void setShares(bool shares) { *shares_ = shares ? 1 : 0; }  // whether host and kernels can use memory at once

  // Of so many streams whose first work may be done, which one's is: below the argument. Empty: the first one's.
  std::function<size_t(size_t)> choose;

  void* lastData = nullptr;   // the first argument of the last kernel that ran
  size_t launches = 0;        // kernels that ran
  size_t failingLaunch = 0;   // which of them uses an illegal address; 0: none
  size_t launchesOnStreams = 0;
  size_t waits = 0;           // of streams for events
  // Arguments that kernels on streams had, when they ran, in no memory that host and kernels share.
  size_t foreignArguments = 0;

 private:
  class StandInEngine;
  struct HostKernel {
    const Kernel& kernel;
    std::shared_ptr<const SharedLibrary> library;
    CpuLauncher launcher = nullptr;
  };
  struct Launch {
    const HostKernel& kernel;
    std::array<long long, 3> grid;
    std::vector<uint64_t> arguments;  // the tensors first
    bool onStream = false;
  };
  struct Event {
    size_t recorded = 0;  // times
    size_t reached = 0;   // of them
    bool isClock = false;
    double microseconds = 0;  // of the last record
  };
  struct Work {
    const Event* waitsFor = nullptr;
    size_t record = 0;  // which one of the event's
    std::function<void()> run;
  };
  using Queue = std::deque<Work>;

  static int call(void* standIn, int what, void* a, void* b);
  static void launch(void* standIn, void* function, const unsigned* grid, void* stream, void** arguments);
  void run(Launch launch);
  void enqueue(void* stream, Work work);
  void finish(const Queue* wanted);
  bool isShared(const void* address) const;
  double clock() const;

  std::shared_ptr<const CudaDriver> driver_;
  std::recursive_mutex mutex_;  // guards all below
  std::vector<std::unique_ptr<HostKernel>> kernels_;
  std::map<const void*, size_t> shared_;  // bytes by address
  std::vector<std::unique_ptr<Queue>> queues_;
  std::vector<std::unique_ptr<Event>> events_;
  int streamsAndEvents_ = 0;
  int* allocations_ = nullptr;
  int* modules_ = nullptr;
  int* failure_ = nullptr;
  int* shares_ = nullptr;
  size_t* copied_ = nullptr;  // bytes, on the device
  double blocks_ = 0;         // of all launches
};

}  // namespace fuser
