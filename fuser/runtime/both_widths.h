#pragma once
// BothWidths: a kernel of a program with indices in 32 and in 64 bits. Each launch says which it takes
// (KernelArguments::narrow). The width that the program was built with is compiled with its other kernels; the other
// one when a launch first takes it: for other sizes or strides.

#include <functional>
#include <memory>
#include <mutex>

#include "fuser/execute/engine.h"

namespace fuser {

class BothWidths : public CompiledKernel {
 public:
  // Compiles one kernel, which lives as long as the result; called by the thread that launches.
  using Compile = std::function<std::unique_ptr<CompiledKernel>(const Kernel&)>;
  // `compiled` is `kernel`, which must outlive this object.
  BothWidths(const Kernel& kernel, std::unique_ptr<CompiledKernel> compiled, Compile compile);

  void launch(const KernelArguments& arguments) override;
  void enqueue(const KernelArguments& arguments, void* stream) override;

 private:
  CompiledKernel& of(const KernelArguments& arguments);

  const Kernel& kernel_;
  std::unique_ptr<CompiledKernel> compiled_;
  Compile compile_;
  std::mutex mutex_;  // guards what follows
  std::unique_ptr<Kernel> other_;
  std::unique_ptr<CompiledKernel> otherCompiled_;
};

}  // namespace fuser
