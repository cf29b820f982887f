#include "fuser/execute/launch_shape.h"

#include <algorithm>

#include "fuser/kernel/shared_layout.h"

namespace fuser {

int64_t valueOf(const Kernel& kernel, IntExpr expr, std::span<const int64_t> ints) {
  return evaluate(expr, [&](IntExpr symbol) {
    const auto found = std::find_if(kernel.intParams.begin(), kernel.intParams.end(),
                                    [&](const IntParam& param) { return param.symbol == symbol; });
    FUSER_CHECK(found != kernel.intParams.end(), kernel.name,
                ": a size of the launch depends on what is not a parameter");
    return ints[static_cast<size_t>(found - kernel.intParams.begin())];
  });
}

int64_t workspaceElements(const Kernel& kernel, const Workspace& workspace, std::span<const int64_t> ints) {
  return std::max<int64_t>(valueOf(kernel, kernel.buffers[static_cast<size_t>(workspace.buffer)].size, ints), 0);
}

void checkArguments(const Kernel& kernel, const KernelArguments& arguments) {
  FUSER_CHECK(arguments.tensors.size() == kernel.tensors.size(), kernel.name, " takes ", kernel.tensors.size(),
              " tensors, not ", arguments.tensors.size());
  FUSER_CHECK(arguments.ints.size() == kernel.intParams.size(), kernel.name, " takes ", kernel.intParams.size(),
              " integers, not ", arguments.ints.size());
  FUSER_CHECK(arguments.scalars.size() == kernel.scalars.size(), kernel.name, " takes ", kernel.scalars.size(),
              " scalars, not ", arguments.scalars.size());
  FUSER_CHECK(arguments.workspaces.size() == kernel.workspaces.size(), kernel.name, " takes ", kernel.workspaces.size(),
              " workspaces, not ", arguments.workspaces.size());
  for (size_t i = 0; i < kernel.workspaces.size(); ++i) {
    const int64_t elements = workspaceElements(kernel, kernel.workspaces[i], arguments.ints);
    FUSER_CHECK(numel(arguments.workspaces[i].sizes) >= elements, kernel.name, ": workspace ", i, " has ",
                numel(arguments.workspaces[i].sizes), " elements, not ", elements);
  }
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

const TensorRef& globalArgument(const Kernel& kernel, const Buffer& buffer, const KernelArguments& arguments) {
  if (buffer.tensor >= 0) return arguments.tensors[static_cast<size_t>(buffer.tensor)];
  const auto own = std::find_if(kernel.workspaces.begin(), kernel.workspaces.end(),
                                [&](const Workspace& workspace) { return workspace.buffer == buffer.id; });
  FUSER_CHECK(own != kernel.workspaces.end(), buffer.name, " is no argument");
  return arguments.workspaces[static_cast<size_t>(own - kernel.workspaces.begin())];
}

std::array<int64_t, 3> gridOf(const Kernel& kernel, const KernelArguments& arguments) {
  std::array<int64_t, 3> grid{1, 1, 1};
  for (size_t i = 0; i < 3; ++i) {
    if (kernel.gridDim[i]) grid[i] = std::max<int64_t>(valueOf(kernel, kernel.gridDim[i], arguments.ints), 0);
  }
  return grid;
}

std::string whyNotAtOnce(const Kernel& kernel, const std::array<int64_t, 3>& grid) {
  if (!hasGridBarrier(kernel)) return "";
  const int64_t threads = kernel.blockDim[0] * kernel.blockDim[1] * kernel.blockDim[2];
  const int64_t most = blocksAtOnce(kernel.device, threads, static_cast<int64_t>(sharedMemoryBytes(kernel)));
  const __int128 blocks = static_cast<__int128>(grid[0]) * grid[1] * grid[2];
  if (blocks <= most) return "";
  return concat("its ", grid[0], " * ", grid[1], " * ", grid[2], " blocks wait for each other, and the device runs ",
                most, " at once");
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
