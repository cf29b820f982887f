#pragma once
// The steps before a launch that all engines share: argument checks, the grid and, for compiled kernels, the array of
// arguments.

#include <array>
#include <vector>

#include "fuser/execute/engine.h"

namespace fuser {

// Checks the number and dtypes of arguments against the kernel's parameters (CheckError).
void checkArguments(const Kernel& kernel, const KernelArguments& arguments);

// The number of blocks along x, y, z for these arguments; never negative.
std::array<int64_t, 3> gridOf(const Kernel& kernel, const KernelArguments& arguments);

// Owns copies of the arguments of a kernel's entry (print_cuda.h) and the array of their addresses.
class ArgumentList {
 public:
  // `data` has the address of each tensor in the kernel's address space.
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
