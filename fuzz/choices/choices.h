#pragma once
// Choices: the stream of decisions that drives the generator. Its source is a seed and a case number, or the bytes of a
// fuzzer or property test, so that all of them share one generator.
//
// From a seed: decision i of case N is a hash of (seed, N, i), independent of other cases. From bytes: a decision
// consumes as few bytes as its range needs. After the end of the bytes every decision is the first choice (the lowest
// integer, false, the first entry), so that fewer and smaller bytes give a smaller case. (As in Hypothesis: MacIver and
// Donaldson, "Test-case reduction via test-case generation", ECOOP 2020.)
//
// Take two decisions in two statements: compilers differ in the order in which they evaluate the arguments of a call.

#include <cstdint>
#include <span>
#include <vector>

#include "fuser/support/check.h"

namespace fuser::fuzz {

class Choices {
 public:
  Choices(uint64_t seed, uint64_t caseNumber);
  // The bytes must outlive this object.
  explicit Choices(std::span<const uint8_t> bytes);

  // An integer in [low, high], inclusive; an empty range is a CheckError.
  int64_t integer(int64_t low, int64_t high);
  // An index below `count`, which must not be 0.
  size_t index(size_t count) { return static_cast<size_t>(integer(0, static_cast<int64_t>(count) - 1)); }
  // True with the given probability in [0, 1], with a resolution of 16 bits.
  bool chance(double probability);
  // A number in [low, high), with a resolution of 16 bits.
  double real(double low, double high);
  // An index with probability proportional to its weight; weights are not negative and not all 0.
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
  void shuffle(std::vector<T>& entries) {  // Fisher-Yates, from the end
    for (size_t i = entries.size(); i-- > 1;) {
      // The first choice keeps the entry in place, so that a shrunk case has the original order.
      const size_t other = i - index(i + 1);
      if (other != i) std::swap(entries[i], entries[other]);
    }
  }

  // The number of decisions so far.
  uint64_t count() const { return count_; }

 private:
  // A uniform number below `bound`; 0: all 64 bits.
  uint64_t draw(uint64_t bound);

  bool seeded_;
  uint64_t key_ = 0;
  uint64_t count_ = 0;
  std::span<const uint8_t> bytes_;
  size_t position_ = 0;
};

}  // namespace fuser::fuzz
