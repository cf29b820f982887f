// Blocks that come back are taken again.

#include "fuser/host_run/memory_pool.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>

namespace fuser {
namespace {

TEST(MemoryPoolTest, AReleasedBlockIsReusedForItsSizeClass) {
  const auto pool = std::make_shared<MemoryPool>();
  const std::byte* first = pool->allocate(100).get();
  EXPECT_EQ(pool->allocate(128).get(), first);
  EXPECT_EQ(pool->blocksMade(), 1u);
  const auto block = pool->allocate(65);
  EXPECT_NE(pool->allocate(65).get(), block.get());
  EXPECT_EQ(pool->blocksMade(), 2u);
  pool->allocate(129);
  EXPECT_EQ(pool->blocksMade(), 3u);
}

TEST(MemoryPoolTest, AnEmptyBlockHasAUniqueAddress) {
  const auto pool = std::make_shared<MemoryPool>();
  const auto one = pool->allocate(0), other = pool->allocate(0);
  EXPECT_NE(one.get(), other.get());
}

TEST(MemoryPoolTest, BlocksKeepThePoolAlive) {
  std::shared_ptr<std::byte[]> block;
  {
    const auto pool = std::make_shared<MemoryPool>();
    block = pool->allocate(1000);
  }
  std::memset(block.get(), 1, 1000);
}

std::string violationOf(MemoryPool& pool) {
  try {
    pool.checkGuards();
    return "";
  } catch (const ViolationError& error) {
    return error.what();
  }
}

TEST(MemoryPoolTest, TellsThatSomethingHasWrittenBehindABlock) {
  const auto pool = std::make_shared<MemoryPool>();
  const auto inUse = pool->allocate(100);
  auto released = pool->allocate(30);
  std::memset(inUse.get(), 1, 100);
  EXPECT_EQ(violationOf(*pool), "");
  released[30 + 63] = std::byte{1};
  inUse[100] = std::byte{1};
  released.reset();
  EXPECT_EQ(violationOf(*pool), "something has written behind the end of a block of 30 bytes");
  EXPECT_EQ(violationOf(*pool), "something has written behind the end of a block of 100 bytes") << "still in use";
}

TEST(MemoryPoolTest, KeepsFreeBlocksUpToItsLimit) {
  const auto pool = std::make_shared<MemoryPool>(256);
  { const auto a = pool->allocate(128), b = pool->allocate(128), c = pool->allocate(128); }
  { const auto a = pool->allocate(128), b = pool->allocate(128), c = pool->allocate(128); }
  EXPECT_EQ(pool->blocksMade(), 4u) << "two of three waited";
}

RC_GTEST_PROP(MemoryPoolTest, BlocksInUseDoNotOverlap, (const std::vector<uint16_t>& sizes)) {
  const auto pool = std::make_shared<MemoryPool>();
  std::vector<std::pair<std::shared_ptr<std::byte[]>, size_t>> blocks;
  for (uint16_t size : sizes) {
    const size_t bytes = size % 5000;
    blocks.emplace_back(pool->allocate(bytes), bytes);
    RC_ASSERT(reinterpret_cast<uintptr_t>(blocks.back().first.get()) % 64 == 0);
    std::memset(blocks.back().first.get(), static_cast<int>(blocks.size() % 251), bytes);
    if (size % 3 == 0)
      blocks.erase(blocks.begin());
    else
      blocks.back().second = bytes;
  }
  for (const auto& [block, bytes] : blocks) {
    for (size_t i = 1; i < bytes; ++i) RC_ASSERT(block[i] == block[0]);
  }
}

}  // namespace
}  // namespace fuser
