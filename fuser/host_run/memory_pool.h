#pragma once
// MemoryPool: a caching allocator for host memory or memory that the host shares with a device. Released blocks are
// kept in free lists by size class, so that repeated runs do not allocate from the system. Behind each block of host
// memory lie guard bytes, which tell whether something has written behind its end. Thread-safe.

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
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

  // A ViolationError where something has written behind the end of a block of host memory that is in use, or was
  // released since the last call: such a write may show in no output.
  void checkGuards();

  const std::shared_ptr<StreamDevice>& device() const { return device_; }

  // The number of blocks allocated from the system so far.
  size_t blocksMade() const;

 private:
  std::byte* allocateFromSystem(size_t bytes);
  void release(std::byte* block);
  void recycle(std::byte* block, size_t sizeClass);
  void noteOverrun(const std::byte* block, size_t bytes);

  const size_t maxWaiting_;
  const std::shared_ptr<StreamDevice> device_;
  mutable std::mutex mutex_;  // guards the members below
  std::array<std::vector<std::byte*>, 64> waiting_;  // the free lists, by the exponent of their size
  size_t waitingBytes_ = 0;
  size_t blockCount_ = 0;
  std::unordered_map<std::byte*, size_t> inUse_;  // the bytes of each block of host memory
  std::optional<size_t> overrun_;                 // the bytes of the smallest block that something wrote behind
};

}  // namespace fuser
