#include "fuser/ptx/last_accesses.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace fuser::ptx {
namespace {

std::string textOf(const LastAccesses& accesses, size_t units) {
  std::string text;
  for (size_t i = 0; i < units; ++i) {
    const Access access = accesses.of(i);
    text += std::to_string(access.who) + "@" + std::to_string(access.time) + " ";
  }
  return text;
}

// Whoever accesses what in whatever order: the last one is known.
RC_GTEST_PROP(LastAccessesTest, AreThoseOfAPlainArray, ()) {
  const auto units = *rc::gen::inRange<size_t>(1, 300);
  LastAccesses accesses;
  const bool isReused = *rc::gen::arbitrary<bool>();
  accesses.reset(*rc::gen::inRange<size_t>(0, 300), isReused);
  accesses.reset(units, isReused);
  std::vector<Access> plain(units);
  const auto passes = *rc::gen::inRange(1, 5);
  for (int pass = 0; pass < passes; ++pass) {
    const auto width = *rc::gen::element<size_t>(1, 2, 3, 4, 8, 16, 64, 100);
    const auto step = *rc::gen::element<size_t>(1, 1, 2, 7, 32);  // in which order threads come
    const auto every = *rc::gen::element<size_t>(1, 1, 5);
    const auto first = *rc::gen::inRange<uint32_t>(1, 1000);
    const auto phase = *rc::gen::inRange<size_t>(0, 70);
    for (size_t lane = 0; lane < step; ++lane) {
      for (size_t i = lane; i < units; i += step) {
        if (i % every != 0) continue;
        const Access access{first + static_cast<uint32_t>((i + phase) / width), static_cast<uint32_t>(pass + i / 150)};
        accesses.set(i, access);
        plain[i] = access;
      }
    }
  }
  for (size_t i = 0; i < units; ++i) RC_ASSERT(accesses.of(i) == plain[i]);
}

TEST(LastAccessesTest, ThreadsInOrderTakeLessThanTwoBytesAUnit) {
  constexpr size_t kUnits = 64 * 1000;
  for (const size_t width : {1, 2, 4, 8, 16}) {
    for (const size_t row : {64000, 1000, 96, 100}) {  // of a block; a page has at most two rows
      LastAccesses accesses;
      accesses.reset(kUnits, false);
      for (size_t i = 0; i < kUnits; ++i) {
        accesses.set(i, {static_cast<uint32_t>(1 + i / row * 1024 + i % row / width), 1});
      }
      EXPECT_LT(accesses.bytes(), 2 * kUnits) << width << " " << row;
      const size_t i = kUnits / 2 + 1;
      EXPECT_EQ(accesses.of(i).who, 1 + i / row * 1024 + i % row / width);
    }
  }
}

// A warp stores its part of each row of four warps' before the next one does.
TEST(LastAccessesTest, SoDoWarpsOneAfterTheOther) {
  constexpr uint32_t kRows = 1000, kWarps = 4;
  LastAccesses accesses;
  accesses.reset(size_t{kRows} * kWarps * 32, false);
  for (uint32_t warp = 0; warp < kWarps; ++warp) {
    for (uint32_t row = 0; row < kRows; ++row) {
      for (uint32_t lane = 0; lane < 32; ++lane) {
        const uint32_t thread = 32 * warp + lane;
        accesses.set(size_t{row} * kWarps * 32 + thread, {1 + thread, 1});
      }
    }
  }
  EXPECT_LT(accesses.bytes(), size_t{2} * kRows * kWarps * 32);
}

// As it is for what is stored again and again, in turns.
TEST(LastAccessesTest, StoredAgainTheyTakeNoMore) {
  constexpr size_t kUnits = 64 * 100;
  LastAccesses accesses;
  accesses.reset(kUnits, false);
  for (uint32_t turn = 1; turn < 5; ++turn) {
    for (size_t i = 0; i < kUnits; ++i) {
      for (uint32_t time = 1; time < 3; ++time) accesses.set(i, {static_cast<uint32_t>(1 + i / 4), turn * time});
    }
    EXPECT_LT(accesses.bytes(), 2 * kUnits);
  }
}

// Memory that a block clears for the next one is not taken anew.
TEST(LastAccessesTest, PagesAreUsedAgain) {
  LastAccesses accesses;
  size_t bytes = 0;
  for (int block = 0; block < 10; ++block) {
    accesses.reset(640, true);
    for (size_t i = 0; i < 640; i += 3) accesses.set(i, {1, 1});
    if (block == 0) bytes = accesses.bytes();
    EXPECT_EQ(accesses.bytes(), bytes);
    EXPECT_EQ(textOf(accesses, 4), "1@1 0@0 0@0 1@1 ");
  }
}

}  // namespace
}  // namespace fuser::ptx
