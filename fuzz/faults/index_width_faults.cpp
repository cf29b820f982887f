// Faults of the decision that a launch computes its indices in 32 bits. Those of the host, which has all the numbers;
// interp knows the bound of the kernel's device alone and meets the value that wraps.

#include <algorithm>

#include "fuser/kernel/index_bounds.h"
#include "fuzz/faults/fault_list.h"

namespace fuser::fuzz::faults {
namespace {

// Makes a launch narrow that is not, where `fits` says so.
template <class Fits>
LaunchFault narrowWhere(Fits fits) {
  return [fits](const Kernel& kernel, KernelArguments& arguments) {
    if (arguments.narrow || kernel.fixedWidth || !fits(kernel, arguments)) return false;
    arguments.narrow = true;
    return true;
  };
}

}  // namespace

LaunchFault wrapIndices() {
  return narrowWhere([](const Kernel&, const KernelArguments&) { return true; });
}

LaunchFault forgetOverhang() {
  return narrowWhere([](const Kernel& kernel, const KernelArguments& arguments) {
    return std::all_of(arguments.tensors.begin(), arguments.tensors.end(), [&](const TensorRef& tensor) {
      return extentInMemory(tensor.sizes, tensor.strides) <= kernel.device.indexBound;
    });
  });
}

LaunchFault forgetSubexpressions() {
  return narrowWhere([](const Kernel& kernel, const KernelArguments& arguments) {
    IndexRanges ranges(kernel, arguments.ints);
    bool fits = true;
    forEachIndex(kernel, [&](IntExpr index) { fits &= ranges.of(index).high < kernel.device.indexBound; });
    return fits;
  });
}

}  // namespace fuser::fuzz::faults
