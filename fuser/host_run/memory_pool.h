#pragma once
// MemoryPool: blocks of memory, the host's or one that it shares with a device, that runs give back and later ones take
// again, so that repeated runs ask the system for nothing new. Safe to use from several threads.

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "fuser/execute/stream_device.h"

namespace fuser {

class MemoryPool : public std::enable_shared_from_this<MemoryPool> {
 public:
  static constexpr size_t kMaxWaiting = size_t{64} << 20;

  // maxWaiting: bytes that blocks that wait may take in all; one that is given back past it goes back to the system.
  // device: whose memory it is; null: the host's.
  explicit MemoryPool(size_t maxWaiting = kMaxWaiting, std::shared_ptr<StreamDevice> device = nullptr)
      : maxWaiting_(maxWaiting), device_(std::move(device)) {}
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  // At least so many bytes at a multiple of 64 (of 256 in a device's memory), with an address of their own; they come
  // back when the last owner is gone, which may be after everybody else forgot the pool. A block serves every size of
  // its class: a power of two, from 64 on.
  std::shared_ptr<std::byte[]> take(size_t bytes);

  const std::shared_ptr<StreamDevice>& device() const { return device_; }

  // Blocks that the system was asked for so far.
  size_t blocksMade() const;

 private:
  std::byte* allocate(size_t bytes);
  void release(std::byte* block);
  void giveBack(std::byte* block, size_t sizeClass);

  const size_t maxWaiting_;
  const std::shared_ptr<StreamDevice> device_;
  mutable std::mutex mutex_;  // guards all below
  std::array<std::vector<std::byte*>, 64> waiting_;  // by class: the exponent
  size_t waitingBytes_ = 0;
  size_t made_ = 0;
};

}  // namespace fuser
