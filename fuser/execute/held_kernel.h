#pragma once
// HeldKernel: a kernel in two builds, which must store the same bits.

#include <memory>

#include "fuser/execute/engine.h"

namespace fuser {

class HeldKernel : public CompiledKernel {
 public:
  HeldKernel(const Kernel& kernel, std::unique_ptr<CompiledKernel> first, std::unique_ptr<CompiledKernel> second)
      : kernel_(kernel), first_(std::move(first)), second_(std::move(second)) {}

  // Runs both on the same memory, and leaves what the first one stored. A ViolationError names an element that differs;
  // any NaN is every NaN.
  void launch(const KernelArguments& arguments) override;

 private:
  void compare(const TensorRef& first, const std::byte* second, const std::string& name) const;

  const Kernel& kernel_;
  const std::unique_ptr<CompiledKernel> first_, second_;
};

}  // namespace fuser
