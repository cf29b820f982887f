#pragma once
// HeldKernel: a kernel in two builds, which must store the same bits.

#include <functional>
#include <memory>

#include "fuser/execute/engine.h"
#include "fuser/ptx/trace.h"

namespace fuser {

// A compiled kernel whose instructions can be followed.
class TraceableKernel : public CompiledKernel {
 public:
  // launch(), whose instructions the trace records.
  virtual void launchTraced(const KernelArguments& arguments, ptx::Trace& trace) = 0;
  virtual std::string placeText(const ptx::Operation& operation) const = 0;
};

class HeldKernel : public CompiledKernel {
 public:
  HeldKernel(const Kernel& kernel, std::unique_ptr<TraceableKernel> first, std::unique_ptr<TraceableKernel> second)
      : kernel_(kernel), first_(std::move(first)), second_(std::move(second)) {}

  // Runs both on the same memory, and leaves what the first one stored. A ViolationError names an element that differs,
  // and the first instruction of each build on the way to it that gives what the other build computes nowhere; any NaN
  // is every NaN.
  void launch(const KernelArguments& arguments) override;

 private:
  struct Difference {
    std::string text;               // "element 5 of y is 1, and … 2"; "": there is none
    const std::byte* at = nullptr;  // the element
    size_t bytes = 0;
  };
  Difference compare(const TensorRef& first, const std::byte* second, const std::string& name) const;
  // Where the builds part. Both run again, on memory as `putBack` makes it.
  std::string bisect(const KernelArguments& arguments, const Difference& difference,
                     const std::function<void()>& putBack) const;

  const Kernel& kernel_;
  const std::unique_ptr<TraceableKernel> first_, second_;
};

}  // namespace fuser
