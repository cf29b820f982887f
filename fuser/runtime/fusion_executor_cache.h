#pragma once
// FusionExecutorCache (nvFuser's name): compiles and runs a fusion, and caches compiled programs. It is the only place
// that connects the stages: passes, segment, schedule, lower, host program, engine. A cache hit requires equal ranks,
// dtypes, layout facts, alignment classes and options, and equal answers to the questions about sizes that compilation
// asked, and equal decisions (fuser/evaluate/run_decisions.h): each set of them is a fusion of its own, compiled by a
// cache of its own. Values of scalars matter only through such questions, and as conditions of branches.
// Thread-safe, except for the constructor: no other thread may read the fusion for the first time while it runs
// (fuser/ir/fusion.h).

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
  // Options, dumps, log, trace, checkInvariants, observers (compile_observer.h). The cache sets schedulers and sizes.
  CompileContext context;
  std::optional<Schedule> schedule;  // for the whole fusion; PreSegmenter does not run then
  std::map<int64_t, Schedule> segmentSchedules;
  // In-place outputs: (output, input) names, as in Case::aliases.
  std::vector<std::pair<std::string, std::string>> aliases;
  // The numbers of outputs for which the caller provides buffers; run() compiles for those in its argument.
  std::set<size_t> preallocated;
  bool record = false;                           // fill RunRecord::segments and keep all memory alive
  size_t maxBytes = HostRunSettings{}.maxBytes;  // the memory limit of a run, in bytes; exceeding it is a UserError
  StreamSettings streams;
  std::optional<int> device;               // for a multi-device fusion: the device to compile for
  std::shared_ptr<Engine> engine;          // replaces the options' engine, so that caches can share one
  bool verifyKernels = true;               // verify kernels before compiling them; off for planted faults
  // Held during beforeLaunch, and while a launch compiles a kernel, for caches that run concurrently.
  std::shared_ptr<std::mutex> launchLock;
};

struct CacheCounters {
  size_t compilations = 0;  // programs compiled (cache misses)
  // Kernels compiled, including those of segments with their own cache. A kernel that an earlier program has is shared,
  // not compiled again.
  size_t kernelCompilations = 0;
  // Host scalar expressions evaluated over all runs: by the checks of sizes, the lookup of a program, its compilation
  // and the program. A run evaluates each once; what the caller's `sizes` knows it does not evaluate.
  size_t hostScalarEvaluations = 0;
  size_t runs = 0;
  size_t memoryBlocks = 0;  // memory blocks allocated from the system; runs reuse blocks of earlier runs
  CacheCounters& operator+=(const CacheCounters& other);
};

class FusionExecutorCache {
 public:
  using Settings = CacheSettings;

  // The fusion is the original, which the cache never modifies (clones get the origins).
  FusionExecutorCache(std::shared_ptr<const Fusion> fusion, Settings settings);
  ~FusionExecutorCache();

  // Runs the fusion; compiles it on a cache miss. `inputs` are in the fusion's order; the caller owns their memory.
  // `outputs` is empty or has an optional buffer per output. Only the output's elements are written there, with the
  // buffer's strides: directly by the kernel, or by a copy at the end if the output is an input, a view, expanded, or
  // returned at an earlier position with a buffer. A UserError rejects invalid inputs and buffers. A multi-device
  // fusion runs on all devices in this process (devices_in_process.h), unless the settings name one, and takes no
  // buffers.
  RunRecord run(std::span<const HostValue> inputs, OutputBuffers outputs = {});
  // The same for a caller that has bound the sizes already, so that they are not bound again. `sizes` is over the
  // fusion, bound to these inputs or to others with equal sizes, scalars and host tensors; it memoizes what this run
  // evaluates.
  RunRecord run(std::span<const HostValue> inputs, ExpressionEvaluator& sizes, OutputBuffers outputs = {});

  // Runs the program of the device that the settings name, with its parts of the inputs and outputs; a tensor that it
  // does not hold has only dtype and sizes. Also throws what the communicator throws.
  RunRecord runOnDevice(std::span<const HostValue> inputs, Communicator& communicator);
  // Compiles the program for the next runOnDevice, which must get the same inputs. (So several caches compile one after
  // the other and run concurrently.) `sizes` is over the fusion, bound to the whole inputs, and lives until the end of
  // that run, which reads it.
  void prepareOnDevice(std::span<const HostValue> inputs, ExpressionEvaluator& sizes);

  // Whether runs from now on are recorded (CacheSettings::record). An unrecorded run frees and reuses memory where its
  // program says so. No run may be in progress.
  void setRecord(bool on);

  CacheCounters counters() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fuser
