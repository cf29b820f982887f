#pragma once
// The steps before a launch that all engines share: argument checks, the grid and, for compiled kernels, the array of
// arguments.

#include <array>
#include <span>
#include <string>
#include <vector>

#include "fuser/execute/engine.h"

namespace fuser {

// The value of an expression over a kernel's integer parameters, in a launch with these.
int64_t valueOf(const Kernel& kernel, IntExpr expr, std::span<const int64_t> ints);

// Checks the number and dtypes of arguments against the kernel's parameters (CheckError).
void checkArguments(const Kernel& kernel, const KernelArguments& arguments);

// The argument that a Global buffer is: a tensor or a workspace.
const TensorRef& globalArgument(const Kernel& kernel, const Buffer& buffer, const KernelArguments& arguments);

// The number of blocks along x, y, z for these arguments; never negative.
std::array<int64_t, 3> gridOf(const Kernel& kernel, const KernelArguments& arguments);

// Why the blocks of this grid cannot wait for each other: they do not all run at once on the kernel's device, or the
// device has no such launches. "" if they can, or if the kernel has no barrier of the grid.
std::string whyNotAtOnce(const Kernel& kernel, const std::array<int64_t, 3>& grid);

// Owns copies of the arguments of a kernel's entry (print_cuda.h) and the array of their addresses.
class ArgumentList {
 public:
  // `data` has the address of each tensor, then of each workspace, in the kernel's address space.
  ArgumentList(const Kernel& kernel, const KernelArguments& arguments, std::vector<void*> data);
  ArgumentList(const ArgumentList&) = delete;
  ArgumentList& operator=(const ArgumentList&) = delete;
  void** addresses() { return addresses_.data(); }

 private:
  union Scalar {
    double floating;
    long long integer;
    bool truth;
  };
  std::vector<void*> data_;
  std::vector<long long> ints_;
  std::vector<Scalar> scalars_;
  std::vector<void*> addresses_;
};

}  // namespace fuser
