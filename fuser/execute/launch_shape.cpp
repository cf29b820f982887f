#include "fuser/execute/launch_shape.h"

#include <algorithm>

namespace fuser {

void checkArguments(const Kernel& kernel, const KernelArguments& arguments) {
  FUSER_CHECK(arguments.tensors.size() == kernel.tensors.size(), kernel.name, " takes ", kernel.tensors.size(),
              " tensors, not ", arguments.tensors.size());
  FUSER_CHECK(arguments.ints.size() == kernel.intParams.size(), kernel.name, " takes ", kernel.intParams.size(),
              " integers, not ", arguments.ints.size());
  FUSER_CHECK(arguments.scalars.size() == kernel.scalars.size(), kernel.name, " takes ", kernel.scalars.size(),
              " scalars, not ", arguments.scalars.size());
  for (size_t i = 0; i < kernel.tensors.size(); ++i) {
    const Buffer& buffer = kernel.buffers[static_cast<size_t>(kernel.tensors[i].buffer)];
    FUSER_CHECK(arguments.tensors[i].dtype == buffer.dtype, kernel.name, ": tensor ", buffer.name, " is ", buffer.dtype,
                ", not ", arguments.tensors[i].dtype);
  }
  for (size_t i = 0; i < kernel.scalars.size(); ++i) {
    FUSER_CHECK(arguments.scalars[i].dtype() == kernel.scalars[i].dtype, kernel.name, ": scalar ", i, " is ",
                kernel.scalars[i].dtype, ", not ", arguments.scalars[i].dtype());
  }
}

std::array<int64_t, 3> gridOf(const Kernel& kernel, const KernelArguments& arguments) {
  const auto valueOf = [&](IntExpr symbol) {
    const auto found = std::find_if(kernel.intParams.begin(), kernel.intParams.end(),
                                    [&](const IntParam& param) { return param.symbol == symbol; });
    FUSER_CHECK(found != kernel.intParams.end(), kernel.name, ": the grid depends on what is not a parameter");
    return arguments.ints[static_cast<size_t>(found - kernel.intParams.begin())];
  };
  std::array<int64_t, 3> grid{1, 1, 1};
  for (size_t i = 0; i < 3; ++i) {
    if (kernel.gridDim[i]) grid[i] = std::max<int64_t>(evaluate(kernel.gridDim[i], valueOf), 0);
  }
  return grid;
}

ArgumentList::ArgumentList(const Kernel& kernel, const KernelArguments& arguments, std::vector<void*> data)
    : data_(std::move(data)), ints_(arguments.ints.begin(), arguments.ints.end()), scalars_(kernel.scalars.size()) {
  for (void*& address : data_) addresses_.push_back(&address);
  for (long long& value : ints_) addresses_.push_back(&value);
  for (size_t i = 0; i < scalars_.size(); ++i) {
    const ScalarValue& value = arguments.scalars[i];
    if (value.dtype() == DataType::Double) {
      scalars_[i].floating = value.as<double>();
    } else if (value.dtype() == DataType::Bool) {
      scalars_[i].truth = value.as<bool>();
    } else {
      scalars_[i].integer = value.as<int64>();
    }
    addresses_.push_back(&scalars_[i]);
  }
}

}  // namespace fuser
