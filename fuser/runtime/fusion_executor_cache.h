#pragma once
// FusionExecutorCache: the one place that wires the stages: passes, segment, schedule, lower, host program, engine.
// Compiled programs are kept by key: ranks, dtypes, layout facts, alignment classes, options, and the answers to the
// questions about sizes that compilation asked. The values of scalars are in no key: they count where an extent that
// compilation asked about depends on them. Safe to call from several threads.

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>

#include "fuser/analysis/compile_context.h"
#include "fuser/case/case.h"
#include "fuser/execute/engine.h"
#include "fuser/host_run/host_ir_evaluator.h"

namespace fuser {

struct CacheSettings {
  // Options, dumps, log, trace, checkInvariants, observers (compile_observer.h); schedulers and sizes are set here.
  CompileContext context;
  std::optional<Schedule> schedule;  // for the whole fusion; PreSegmenter is then off
  std::map<int64_t, Schedule> segmentSchedules;
  // Outputs -> the inputs whose memory they are written to, by names, as Case::aliases.
  std::vector<std::pair<std::string, std::string>> aliases;
  // Numbers of outputs that the caller gives memory for. A run compiles for those that it is given memory for.
  std::set<size_t> preallocated;
  bool record = false;                           // fill RunRecord::segments and keep all memory alive
  size_t maxBytes = HostRunSettings{}.maxBytes;  // of memory that a run may take; past it a UserError
  StreamSettings streams;
  std::optional<int> device;                     // of a fusion on several: the one that programs are made for
  std::shared_ptr<Engine> engine;                // instead of the options' engine, for several caches to share
  bool verifyKernels = true;                     // before an engine gets them; off where a fault was planted in one
  std::shared_ptr<std::mutex> launchLock;        // held while observers see a launch: for caches that run side by side
};

struct CacheCounters {
  size_t compilations = 0;  // whole programs
  // Those of segments with a cache of their own included. A kernel that an earlier program had is compiled no second
  // time.
  size_t kernelCompilations = 0;
  // Host scalar expressions evaluated by the programs that ran, over all runs. (What sizes need is evaluated before, on
  // the original fusion too, to check the sizes and to find the program.)
  size_t hostScalarEvaluations = 0;
  size_t runs = 0;
  size_t memoryBlocks = 0;  // that runs asked the system for: those that earlier runs gave back are taken again
};

class FusionExecutorCache {
 public:
  using Settings = CacheSettings;

  // The fusion is the original; it is kept unchanged (values' origins are marked on the clones made from it).
  FusionExecutorCache(std::shared_ptr<const Fusion> fusion, Settings settings);
  ~FusionExecutorCache();

  // Inputs in the fusion's order; tensors' memory stays the caller's. outputs: empty, or one entry an output: the
  // caller's memory for it, where it gives some. The output is written there, with its strides, and nothing around it:
  // by the kernel that makes it, or, where it is an input, a view, has expanded axes or was given memory at an earlier
  // place already, by a copy at the end. A UserError rejects inputs and memory that do not fit. A fusion on several
  // devices runs on all of them in this process (devices_in_process.h), unless the settings name one, and takes no
  // memory for outputs.
  RunRecord run(std::span<const HostValue> inputs, GivenOutputs outputs = {});
  // The same for a caller that has bound the sizes, and may need them itself or for runs to come: nothing is bound to
  // the original again. sizes: over the fusion, bound to these inputs, or to others of the same sizes, whose scalars
  // and elements on the host are the same; it keeps what it evaluates here.
  RunRecord run(std::span<const HostValue> inputs, ExpressionEvaluator& sizes, GivenOutputs outputs = {});

  // On the device that the settings name: what it has of each input, and gives of each output. Of a tensor that it does
  // not hold, dtype and sizes alone. Throws what the communicator does, too.
  RunRecord runOnDevice(std::span<const HostValue> inputs, Communicator& communicator);
  // Compiles what the next runOnDevice runs, which must be with these inputs. (So several caches compile one after
  // another, and run side by side.) sizes: over the fusion, bound to the whole inputs.
  void prepareOnDevice(std::span<const HostValue> inputs, ExpressionEvaluator& sizes);

  CacheCounters counters() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fuser
