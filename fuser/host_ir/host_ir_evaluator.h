#pragma once
// HostIrEvaluator: runs a host program.

#include <functional>
#include <memory>
#include <span>

#include "fuser/evaluate/expression_evaluator.h"
#include "fuser/execute/engine.h"
#include "fuser/host_ir/host_program.h"
#include "fuser/host_ir/run_record.h"

namespace fuser {

// May look at or edit what a kernel is about to be launched with; may be empty.
using BeforeLaunch = std::function<void(const Kernel& kernel, KernelArguments& arguments)>;

struct HostRunSettings {
  bool record = false;                // fill RunRecord::segments and keep all memory alive
  size_t maxBytes = size_t{1} << 32;  // what all tensors that are alive together may take
  const BeforeLaunch* beforeLaunch = nullptr;
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
  HostIrEvaluator(const HostProgram& program, std::span<const std::unique_ptr<CompiledKernel>> kernels,
                  std::vector<SegmentRunner*> caches = {})
      : program_(program), kernels_(kernels), caches_(std::move(caches)) {}

  // evaluator: over the program's fusion, bound to the inputs. Outputs that are inputs share the caller's memory; an
  // output that is returned twice is one tensor.
  RunRecord run(std::span<const HostValue> inputs, ExpressionEvaluator& evaluator,
                const HostRunSettings& settings) const;

 private:
  const HostProgram& program_;
  std::span<const std::unique_ptr<CompiledKernel>> kernels_;
  std::vector<SegmentRunner*> caches_;
};

}  // namespace fuser
