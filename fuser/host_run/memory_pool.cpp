// Allocates blocks from free lists by size class.

#include "fuser/host_run/memory_pool.h"

#include <algorithm>
#include <bit>
#include <new>

namespace fuser {
namespace {

constexpr std::align_val_t kAlignment{64};

}  // namespace

std::byte* MemoryPool::allocateFromSystem(size_t bytes) {
  return device_ ? device_->allocate(bytes) : static_cast<std::byte*>(::operator new[](bytes, kAlignment));
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
  return {block, [pool = shared_from_this(), sizeClass](std::byte* back) { pool->recycle(back, sizeClass); }};
}

void MemoryPool::recycle(std::byte* block, size_t sizeClass) {
  const size_t bytes = size_t{1} << sizeClass;
  {
    const std::lock_guard lock(mutex_);
    if (waitingBytes_ + bytes <= maxWaiting_) {
      waiting_[sizeClass].push_back(block);
      waitingBytes_ += bytes;
      return;
    }
  }
  release(block);
}

size_t MemoryPool::blocksMade() const {
  const std::lock_guard lock(mutex_);
  return blockCount_;
}

}  // namespace fuser
