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

class HostIrEvaluator {
 public:
  // One compiled kernel for each of program.kernels; both must outlive this.
  HostIrEvaluator(const HostProgram& program, std::span<const std::unique_ptr<CompiledKernel>> kernels)
      : program_(program), kernels_(kernels) {}

  // evaluator: over the program's fusion, bound to the inputs. Outputs that are inputs share the caller's memory; an
  // output that is returned twice is one tensor.
  RunRecord run(std::span<const HostValue> inputs, ExpressionEvaluator& evaluator,
                const HostRunSettings& settings) const;

 private:
  const HostProgram& program_;
  std::span<const std::unique_ptr<CompiledKernel>> kernels_;
};

}  // namespace fuser
