#pragma once
// What the compiled engines do before a launch: check the arguments, find the grid, lay the arguments out.

#include <array>
#include <vector>

#include "fuser/execute/engine.h"

namespace fuser {

// Numbers, dtypes and scalar types agree with the kernel's parameters; a CheckError where they don't.
void checkArguments(const Kernel& kernel, const KernelArguments& arguments);

// Blocks along x, y, z for these arguments; never negative.
std::array<int64_t, 3> gridOf(const Kernel& kernel, const KernelArguments& arguments);

// The addresses of an entry's arguments (print_cuda.h), owned.
class ArgumentList {
 public:
  // data: the address of each tensor, as the kernel sees it.
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
