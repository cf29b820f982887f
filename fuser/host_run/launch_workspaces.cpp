#include "fuser/host_run/launch_workspaces.h"

#include <algorithm>

namespace fuser {

size_t LaunchWorkspaces::take(const Kernel& kernel, KernelArguments& arguments, size_t maxBytes, MemoryPool& pool) {
  size_t all = 0;
  for (const Workspace& workspace : kernel.workspaces) {
    const DataType dtype = kernel.buffers[static_cast<size_t>(workspace.buffer)].dtype;
    const int64_t elements = workspaceElements(kernel, workspace, arguments.ints);
    TensorMemory memory = allocateWorkspace(dtype, elements, workspace.semaphore, maxBytes - all, pool);
    const size_t bytes = static_cast<size_t>(elements) * dtypeSize(dtype);
    all += bytes;
    arguments.workspaces.push_back(memory.ref);
    entries_.push_back({&kernel, workspace.semaphore, bytes, std::move(memory)});
  }
  return all;
}

size_t LaunchWorkspaces::giveBack() {
  size_t all = 0;
  for (const Entry& entry : entries_) {
    const auto* bytes = static_cast<const std::byte*>(entry.memory.ref.data);
    const bool zero = std::all_of(bytes, bytes + entry.bytes, [](std::byte byte) { return byte == std::byte{}; });
    if (entry.semaphore && !zero) {
      throw ViolationError(concat("kernel ", entry.kernel->name, ": it leaves its semaphore not zero"));
    }
    all += entry.bytes;
  }
  entries_.clear();
  return all;
}

}  // namespace fuser
