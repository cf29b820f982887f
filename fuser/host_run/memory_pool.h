#pragma once
// MemoryPool: a caching allocator for host memory or memory that the host shares with a device. Released blocks are
// kept in free lists by size class, so that repeated runs do not allocate from the system. Thread-safe.

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "fuser/execute/stream_device.h"

namespace fuser {

class MemoryPool : public std::enable_shared_from_this<MemoryPool> {
 public:
  static constexpr size_t kMaxWaiting = size_t{64} << 20;  // bytes

  // maxWaiting: the limit for the total size of free blocks, in bytes; a block released beyond it is returned to the
  // system. device: the source of memory; null: the host.
  explicit MemoryPool(size_t maxWaiting = kMaxWaiting, std::shared_ptr<StreamDevice> device = nullptr)
      : maxWaiting_(maxWaiting), device_(std::move(device)) {}
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  // Allocates at least `bytes` bytes, aligned to 64 (256 for a device), with a unique address even for 0 bytes. The
  // block returns to the pool when its last owner is gone; blocks keep the pool alive. Size classes are the powers of
  // two from 64 bytes on.
  std::shared_ptr<std::byte[]> allocate(size_t bytes);

  const std::shared_ptr<StreamDevice>& device() const { return device_; }

  // The number of blocks allocated from the system so far.
  size_t blocksMade() const;

 private:
  std::byte* allocateFromSystem(size_t bytes);
  void release(std::byte* block);
  void recycle(std::byte* block, size_t sizeClass);

  const size_t maxWaiting_;
  const std::shared_ptr<StreamDevice> device_;
  mutable std::mutex mutex_;  // guards the members below
  std::array<std::vector<std::byte*>, 64> waiting_;  // the free lists, by the exponent of their size
  size_t waitingBytes_ = 0;
  size_t blockCount_ = 0;
};

}  // namespace fuser
