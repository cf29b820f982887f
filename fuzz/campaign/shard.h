#pragma once
// Shard: a part of a campaign's tasks, the number-th of `count`, from 1. Parts have no task in common, and all of them
// together are the whole campaign: blocks of kBlock cases, files and batches go to the parts by turns.

#include <algorithm>
#include <cstdint>
#include <string>

namespace fuser::fuzz {

struct Shard {
  // A multiple of the cases that another compiler gets at once (kCasesAtOnce).
  static constexpr uint64_t kBlock = 64;

  uint64_t number = 1, count = 1;

  bool isWhole() const { return count == 1; }
  // Of a file or a batch, by its index.
  bool has(uint64_t index) const { return index % count == number - 1; }
  bool hasCase(uint64_t index) const { return has(index / kBlock); }
  // The first case of the part from `index` on.
  uint64_t caseFrom(uint64_t index) const { return hasCase(index) ? index : from(index / kBlock) * kBlock; }
  // The first file or batch of the part from `index` on.
  uint64_t from(uint64_t index) const { return index + (number - 1 + count - index % count) % count; }
  // How many of the first cases are the part's.
  uint64_t casesOf(uint64_t runs) const {
    const uint64_t blocks = runs / kBlock, whole = (blocks + count - number) / count * kBlock;
    return whole + (has(blocks) ? runs % kBlock : 0);
  }

  std::string text() const { return std::to_string(number) + "/" + std::to_string(count); }  // "2/8"
  // A UserError for anything but "K/N" with 1 <= K <= N <= 10,000.
  static Shard parse(const std::string& text);
};

}  // namespace fuser::fuzz
