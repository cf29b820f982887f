#pragma once
// HostIrEvaluator (nvFuser's name): runs a host program: memory, streams, launches and the run record.

#include <functional>
#include <memory>
#include <mutex>
#include <span>

#include "fuser/analysis/compile_observer.h"
#include "fuser/communicate/communicator.h"
#include "fuser/evaluate/expression_evaluator.h"
#include "fuser/execute/engine.h"
#include "fuser/host_ir/host_ir_container.h"
#include "fuser/host_run/memory_pool.h"
#include "fuser/host_run/stream_queues.h"
#include "fuser/record/run_record.h"

namespace fuser {

// The caller's output buffers, by output number; nullopt for an output without one.
using OutputBuffers = std::span<const std::optional<TensorRef>>;

// Settings for programs with streams.
struct StreamSettings {
  size_t loopStreams = 3;       // the value of numberOfStreams
  bool check = true;            // whether to detect races: conflicting accesses that no synchronization orders
  uint64_t seed = 0;            // decides which ready stream runs next, unless `choose` is set
  StreamQueues::Choose choose;
};

// A tensor allocated in slices (hir::Allocate::slicedAxis) is incomplete after a run, so the record shows the
// expressions of its loop as one, from their inputs to the outputs that still exist. wholeTensors allocates it whole,
// so that the record shows each expression alone. The outputs are the same.
struct HostRunSettings {
  bool record = false;                // fill RunRecord::segments and keep all memory alive
  // The limit for all live tensors, in bytes; in a run that is recorded or has streams, freed tensors count, too.
  size_t maxBytes = size_t{1} << 32;
  std::span<CompileObserver* const> observers;  // called before each launch
  std::mutex* launchLock = nullptr;             // held during those calls, if concurrent runs share the observers
  StreamSettings streams;
  Communicator* communicator = nullptr;  // required if there are several devices
  // The source of memory; null: a pool for this run. With a device's pool, the program's streams are the device's, and
  // maxBytes includes copies of the caller's tensors. Otherwise streams are queues on the host, and each launch runs to
  // its end.
  std::shared_ptr<MemoryPool> pool;
  bool wholeTensors = false;
};

// Runs a segment through its own cache.
class SegmentRunner {
 public:
  virtual ~SegmentRunner() = default;
  // Inputs and outputs are in the order of hir::RunSegment. Origins in the record are those of the outer program.
  virtual RunRecord run(std::span<const HostValue> inputs) = 0;
};

class HostIrEvaluator {
 public:
  // `kernels` has one per program.kernels, `caches` one per cache; all must outlive this object.
  HostIrEvaluator(const HostIrContainer& program, std::span<const std::unique_ptr<CompiledKernel>> kernels,
                  std::vector<SegmentRunner*> caches = {})
      : program_(program), kernels_(kernels), caches_(std::move(caches)) {}

  // `inputs` has one per program.inputs(), with any value where that is null. `evaluator` is over the program's fusion,
  // bound to its inputs. `outputs` has a buffer exactly for the outputs that the program writes to one (TakeOutput,
  // CopyToOutput). An output that is an input shares the caller's memory; an output returned twice is one tensor; one
  // that this device does not hold has no memory. One that owns its memory is copied at the end if it has expanded
  // axes, so that it holds each element alone. A ViolationError for a race between streams; also throws what the
  // communicator throws.
  RunRecord run(std::span<const HostValue> inputs, ExpressionEvaluator& evaluator, const HostRunSettings& settings,
                OutputBuffers outputs = {}) const;

 private:
  const HostIrContainer& program_;
  std::span<const std::unique_ptr<CompiledKernel>> kernels_;
  std::vector<SegmentRunner*> caches_;
};

}  // namespace fuser
