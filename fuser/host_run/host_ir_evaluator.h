#pragma once
// HostIrEvaluator: runs a host program.

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

// The caller's memory for outputs, by number; none where it gives none.
using GivenOutputs = std::span<const std::optional<TensorRef>>;

// How a program with streams runs.
struct StreamSettings {
  size_t loopStreams = 3;       // numberOfStreams
  bool check = true;            // that every two accesses of an element, one of them a write, have an order
  uint64_t seed = 0;            // decides which stream's work is done next where several may be, unless choose does
  StreamQueues::Choose choose;
};

// What is allocated in slices (hir::Allocate::slicedAxis) is gone after a run: its record shows the expressions of the
// loop that uses it as one, from what they read to what they made that is still there. wholeTensors: it is allocated
// whole, every turn at its own place, so that the record shows each expression alone. The outputs are the same.
struct HostRunSettings {
  bool record = false;                // fill RunRecord::segments and keep all memory alive
  // What all tensors that are alive together may take; of a run that is recorded, or has streams, freed ones count too.
  size_t maxBytes = size_t{1} << 32;
  std::span<CompileObserver* const> observers;  // of launches
  std::mutex* launchLock = nullptr;             // held while they see one, where runs side by side share them
  StreamSettings streams;
  Communicator* communicator = nullptr;  // this device's way to the others; needed where there are several
  // Where memory comes from; null: from one of this run's own. If it is a device's, the kernels' own, the streams of a
  // program are that device's, and maxBytes counts copies of what the caller gives; else they are queues of the host,
  // and each launch runs to its end.
  std::shared_ptr<MemoryPool> pool;
  bool wholeTensors = false;
};

// A segment that runs through a cache of its own.
class SegmentRunner {
 public:
  virtual ~SegmentRunner() = default;
  // Inputs and outputs in the order of hir::RunSegment. Origins in the record are those of the outer program.
  virtual RunRecord run(std::span<const HostValue> inputs) = 0;
};

class HostIrEvaluator {
 public:
  // One compiled kernel for each of program.kernels, one runner for each cache; all must outlive this.
  HostIrEvaluator(const HostIrContainer& program, std::span<const std::unique_ptr<CompiledKernel>> kernels,
                  std::vector<SegmentRunner*> caches = {})
      : program_(program), kernels_(kernels), caches_(std::move(caches)) {}

  // A ViolationError where two accesses of an element have no order. inputs: one for each of program.inputs(), anything
  // where that is null. evaluator: over the program's fusion, bound to the fusion's inputs. Outputs that are inputs
  // share the caller's memory; an output that is returned twice is one tensor; one that the program writes to the
  // caller's memory (TakeOutput, CopyToOutput) is there, and no other may be given; one that this device does not have
  // is a tensor without memory. Of the communicator, what it throws.
  RunRecord run(std::span<const HostValue> inputs, ExpressionEvaluator& evaluator, const HostRunSettings& settings,
                GivenOutputs outputs = {}) const;

 private:
  const HostIrContainer& program_;
  std::span<const std::unique_ptr<CompiledKernel>> kernels_;
  std::vector<SegmentRunner*> caches_;
};

}  // namespace fuser
