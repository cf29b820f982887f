#pragma once
// CallersMemory: copies of the caller's inputs and output buffers in device-visible memory, for the duration of a run.

#include <memory>
#include <span>
#include <vector>

#include "fuser/execute/device_copies.h"
#include "fuser/host_run/memory_pool.h"

namespace fuser {

class CallersMemory {
 public:
  // Copies the tensors to blocks of the pool, which has device memory; overlapping tensors share a block. A UserError
  // if a tensor is not in host memory, or the copies exceed maxBytes.
  CallersMemory(std::span<const TensorRef> tensors, size_t maxBytes, MemoryPool& pool);

  size_t bytes() const { return bytes_; }

  // Translate a tensor in the caller's memory to its copy, and back. Other tensors are returned unchanged.
  TensorRef onDevice(const TensorRef& tensor) const;
  TensorRef atCaller(const TensorRef& tensor) const;

  // Copies only the bytes that the run changed back to the caller: bytes between a tensor's elements may belong to
  // other data. All work on the device must be done.
  void copyBack() const;

  // The blocks of the copies, to keep them alive after the run.
  std::vector<std::shared_ptr<std::byte[]>> blocks() const;

 private:
  struct Copy {
    std::byte* caller = nullptr;
    std::shared_ptr<std::byte[]> block;
    std::byte* device = nullptr;    // an address in the block
    std::vector<std::byte> before;  // the bytes before the run
  };
  std::vector<Copy> copies_;
  size_t bytes_ = 0;
};

}  // namespace fuser
