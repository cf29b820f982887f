#pragma once
// CallersMemory: what the caller gives a run, inputs and memory for outputs, where a device sees it.

#include <memory>
#include <span>
#include <vector>

#include "fuser/execute/device_copies.h"
#include "fuser/host_run/memory_pool.h"

namespace fuser {

class CallersMemory {
 public:
  // Copies the tensors to blocks of the pool, which is of the device's memory; tensors that overlap share one. A
  // UserError where tensors are not in the host's memory, or copies take more than maxBytes.
  CallersMemory(std::span<const TensorRef> tensors, size_t maxBytes, MemoryPool& pool);

  size_t bytes() const { return bytes_; }

  // A tensor inside the caller's memory, in its copy; inside a copy, in the caller's memory. Others as they are.
  TensorRef onDevice(const TensorRef& tensor) const;
  TensorRef atCaller(const TensorRef& tensor) const;

  // The bytes that the run changed, and no other: what lies between a tensor's elements may belong to somebody else.
  // All work on the device is done.
  void copyBack() const;

  // Of the copies, for those who look at them after the run.
  std::vector<std::shared_ptr<std::byte[]>> blocks() const;

 private:
  struct Copy {
    std::byte* caller = nullptr;
    std::shared_ptr<std::byte[]> block;
    std::byte* device = nullptr;    // in the block
    std::vector<std::byte> before;  // what was copied
  };
  std::vector<Copy> copies_;
  size_t bytes_ = 0;
};

}  // namespace fuser
