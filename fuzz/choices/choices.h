#pragma once
// Choices: the one stream of decisions that drives the generator. A seed and a case number, or the bytes of a fuzzer or
// of a property test, all drive the same generator.
//
// Of a seed: decision i of case N is a hash of (seed, N, i): it depends on no earlier case.
// Of bytes: each decision takes as few bytes as its range needs; when they are used up every decision is the first
// choice (the lowest integer, false, the first entry), so that fewer and smaller bytes mean a smaller case. (The idea
// is Hypothesis's: MacIver and Donaldson, Test-case reduction via test-case generation, ECOOP 2020.)

#include <cstdint>
#include <span>
#include <vector>

#include "fuser/support/check.h"

namespace fuser::fuzz {

class Choices {
 public:
  Choices(uint64_t seed, uint64_t caseNumber);
  // The bytes must outlive this.
  explicit Choices(std::span<const uint8_t> bytes);

  // In [low, high], both ends included; an empty range is a CheckError.
  int64_t integer(int64_t low, int64_t high);
  // An index below count (which is not 0).
  size_t index(size_t count) { return static_cast<size_t>(integer(0, static_cast<int64_t>(count) - 1)); }
  // probability: in [0, 1], with 16 bits of resolution.
  bool chance(double probability);
  // In [low, high), with 16 bits of resolution.
  double real(double low, double high);
  // An index with a probability in proportion to its weight; weights are not negative and not all 0.
  size_t weighted(std::span<const double> weights);
  // A seed for a data recipe: 32 bits.
  uint64_t dataSeed() { return static_cast<uint64_t>(integer(0, 0xffffffff)); }

  template <class T>
  const T& pick(const std::vector<T>& entries) {
    return entries[index(entries.size())];
  }
  template <class T, size_t N>
  const T& pick(const T (&entries)[N]) {
    return entries[index(N)];
  }
  template <class T>
  void shuffle(std::vector<T>& entries) {  // Fisher and Yates's, from the end
    for (size_t i = entries.size(); i-- > 1;) {
      // The first choice keeps the order.
      const size_t other = i - index(i + 1);
      if (other != i) std::swap(entries[i], entries[other]);
    }
  }

  // Decisions made so far.
  uint64_t count() const { return count_; }
  // All bytes are used up; never true of a seed.
  bool exhausted() const { return !seeded_ && position_ >= bytes_.size(); }

 private:
  // Uniform below bound (bound 0: all 64 bits).
  uint64_t draw(uint64_t bound);

  bool seeded_;
  uint64_t key_ = 0;
  uint64_t count_ = 0;
  std::span<const uint8_t> bytes_;
  size_t position_ = 0;
};

}  // namespace fuser::fuzz
