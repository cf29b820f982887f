#pragma once
// What a launch needs before it: workspaces, and what outputs start as. LaunchWorkspaces: the workspaces of launches.
// Each launch has its own, filled with poison, semaphores and error words with zeros.

#include <vector>

#include "fuser/execute/engine.h"
#include "fuser/host_run/tensor_memory.h"

namespace fuser {

// Elements that an output has before a launch, since atomics add to them.
struct StartCopy {
  TensorRef from, to;
};
// Those of the launch. There is nothing to copy where an output is in the memory of what it starts as.
std::vector<StartCopy> startsOf(const Kernel& kernel, const KernelArguments& arguments);

// The bytes of all elements of the outputs.
size_t bytesOfOutputs(const Kernel& kernel, const KernelArguments& arguments);

class LaunchWorkspaces {
 public:
  // Adds the kernel's workspaces to the arguments, whose integers are complete. Returns their bytes. A UserError if
  // they take more than maxBytes.
  size_t take(const Kernel& kernel, KernelArguments& arguments, size_t maxBytes, MemoryPool& pool);

  // Frees the workspaces of all launches, which have ended; returns their bytes. A UserError for an index that is out
  // of its range, of the first launch that has one: with op, element, index and size. A ViolationError for a semaphore
  // that a kernel does not leave zero.
  size_t giveBack();

 private:
  struct Entry {
    const Kernel* kernel;
    Workspace::Kind kind;
    std::vector<int64_t> ints;  // of the launch, for an error word
    size_t bytes;
    TensorMemory memory;
  };
  std::vector<Entry> entries_;
};

}  // namespace fuser
