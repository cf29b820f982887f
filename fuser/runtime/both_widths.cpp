#include "fuser/runtime/both_widths.h"

namespace fuser {

BothWidths::BothWidths(const Kernel& kernel, std::unique_ptr<CompiledKernel> compiled, Compile compile)
    : kernel_(kernel), compiled_(std::move(compiled)), compile_(std::move(compile)) {}

void BothWidths::launch(const KernelArguments& arguments) { of(arguments).launch(arguments); }

void BothWidths::enqueue(const KernelArguments& arguments, void* stream) { of(arguments).enqueue(arguments, stream); }

CompiledKernel& BothWidths::of(const KernelArguments& arguments) {
  if (arguments.narrow == kernel_.narrowIndices) return *compiled_;
  const std::lock_guard lock(mutex_);
  if (!otherCompiled_) {
    if (!other_) {
      other_ = std::make_unique<Kernel>(kernel_);
      other_->narrowIndices = arguments.narrow;
    }
    otherCompiled_ = compile_(*other_);
  }
  return *otherCompiled_;
}

}  // namespace fuser
