// Copies the strides of tensor arguments to a kernel's integer arguments.
#include "fuser/execute/engine.h"

namespace fuser {

void bindStrides(const Kernel& kernel, KernelArguments& arguments) {
  FUSER_CHECK(arguments.ints.size() == kernel.intParams.size(), "one integer per parameter");
  FUSER_CHECK(arguments.tensors.size() == kernel.tensors.size(), "one tensor per argument");
  for (size_t i = 0; i < kernel.intParams.size(); ++i) {
    const IntParam& param = kernel.intParams[i];
    if (param.tensor < 0) continue;
    const Dims& strides = arguments.tensors.at(static_cast<size_t>(param.tensor)).strides;
    FUSER_CHECK(static_cast<size_t>(param.axis) < strides.size(), "stride of axis ", param.axis,
                " of a tensor of rank ", strides.size());
    arguments.ints[i] = strides[static_cast<size_t>(param.axis)];
  }
}

}  // namespace fuser
