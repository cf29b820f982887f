// Allocates blocks from free lists by size class. A block of host memory that was asked for 100 bytes:
//   100 bytes | 64 guard bytes | the rest of its size class, 128, and as many bytes as guard bytes need

#include "fuser/host_run/memory_pool.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <utility>

#include "fuser/execute/engine.h"

namespace fuser {
namespace {

constexpr std::align_val_t kAlignment{64};
constexpr size_t kGuardBytes = 64;
constexpr int kGuard = 0xa5;

}  // namespace

std::byte* MemoryPool::allocateFromSystem(size_t bytes) {
  return device_ ? device_->allocate(bytes)
                 : static_cast<std::byte*>(::operator new[](bytes + kGuardBytes, kAlignment));
}

void MemoryPool::release(std::byte* block) {
  if (device_) {
    device_->free(block);
  } else {
    ::operator delete[](block, kAlignment);
  }
}

MemoryPool::~MemoryPool() {
  for (const std::vector<std::byte*>& blocks : waiting_) {
    for (std::byte* block : blocks) release(block);
  }
}

std::shared_ptr<std::byte[]> MemoryPool::allocate(size_t bytes) {
  const auto sizeClass = static_cast<size_t>(std::bit_width(std::max<size_t>(bytes, 64) - 1));
  std::byte* block = nullptr;
  {
    const std::lock_guard lock(mutex_);
    std::vector<std::byte*>& blocks = waiting_[sizeClass];
    if (!blocks.empty()) {
      block = blocks.back();
      blocks.pop_back();
      waitingBytes_ -= size_t{1} << sizeClass;
    }
  }
  if (!block) {
    block = allocateFromSystem(size_t{1} << sizeClass);
    const std::lock_guard lock(mutex_);
    ++blockCount_;
  }
  if (!device_) {
    std::memset(block + bytes, kGuard, kGuardBytes);
    const std::lock_guard lock(mutex_);
    inUse_[block] = bytes;
  }
  return {block, [pool = shared_from_this(), sizeClass](std::byte* back) { pool->recycle(back, sizeClass); }};
}

void MemoryPool::recycle(std::byte* block, size_t sizeClass) {
  const size_t bytes = size_t{1} << sizeClass;
  {
    const std::lock_guard lock(mutex_);
    if (const auto used = inUse_.find(block); used != inUse_.end()) {
      noteOverrun(block, used->second);
      inUse_.erase(used);
    }
    if (waitingBytes_ + bytes <= maxWaiting_) {
      waiting_[sizeClass].push_back(block);
      waitingBytes_ += bytes;
      return;
    }
  }
  release(block);
}

void MemoryPool::noteOverrun(const std::byte* block, size_t bytes) {
  const bool isWhole =
      std::all_of(block + bytes, block + bytes + kGuardBytes, [](std::byte each) { return each == std::byte{kGuard}; });
  if (!isWhole) overrun_ = std::min(bytes, overrun_.value_or(bytes));
}

void MemoryPool::checkGuards() {
  const std::lock_guard lock(mutex_);
  for (const auto& [block, bytes] : inUse_) noteOverrun(block, bytes);
  if (const std::optional<size_t> bytes = std::exchange(overrun_, std::nullopt))
    throw ViolationError(concat("something has written behind the end of a block of ", *bytes, " bytes"));
}

size_t MemoryPool::blocksMade() const {
  const std::lock_guard lock(mutex_);
  return blockCount_;
}

}  // namespace fuser
