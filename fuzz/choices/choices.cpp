// The counter-based generator behind Choices: the finaliser of SplitMix64 over a keyed counter.

#include "fuzz/choices/choices.h"

#include "fuser/support/split_mix.h"

namespace fuser::fuzz {
namespace {

constexpr uint64_t kGolden = 0x9e3779b97f4a7c15ull;

}  // namespace

Choices::Choices(uint64_t seed, uint64_t caseNumber) : seeded_(true) {
  key_ = mixBits(mixBits(mixBits(kGolden) + seed * kGolden + 1) + caseNumber * kGolden + 2);
}

Choices::Choices(std::span<const uint8_t> bytes) : seeded_(false), bytes_(bytes) {}

uint64_t Choices::draw(uint64_t bound) {
  ++count_;
  if (bound == 1) return 0;
  if (seeded_) {
    const uint64_t bits = mixBits(mixBits(key_ + count_ * kGolden) ^ key_);
    if (bound == 0) return bits;
    // The high word of the product is uniform up to bound / 2^64: no rejection loop, so one decision is one count.
    return static_cast<uint64_t>((static_cast<unsigned __int128>(bits) * bound) >> 64);
  }
  uint64_t value = 0;
  for (uint64_t reach = bound - 1; reach > 0; reach >>= 8) {
    value = (value << 8) | (position_ < bytes_.size() ? bytes_[position_++] : 0);
  }
  return bound == 0 ? value : value % bound;
}

int64_t Choices::integer(int64_t low, int64_t high) {
  FUSER_CHECK(low <= high, "an empty range [", low, ", ", high, "]");
  const uint64_t count = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
  return static_cast<int64_t>(static_cast<uint64_t>(low) + draw(count));
}

bool Choices::chance(double probability) {
  constexpr double kScale = 65536;
  // The first choice is false wherever the probability is not 1.
  return static_cast<double>(draw(1 << 16)) >= kScale * (1 - probability);
}

double Choices::real(double low, double high) {
  constexpr double kScale = 65536;
  return low + (high - low) * (static_cast<double>(draw(1 << 16)) / kScale);
}

size_t Choices::weighted(std::span<const double> weights) {
  double total = 0;
  for (double weight : weights) total += weight;
  FUSER_CHECK(total > 0, "no weight is positive");
  double rest = real(0, total);
  size_t last = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] <= 0) continue;
    if (rest < weights[i]) return i;
    rest -= weights[i];
    last = i;
  }
  return last;
}

}  // namespace fuser::fuzz
