#pragma once
// SplitMix64 (Steele, Lea and Flood, Fast splittable pseudorandom number generators, OOPSLA 2014): every bit of the
// result depends on every bit of the argument. For hashes and draws that are the same on every machine.

#include <cstdint>

namespace fuser {

// The finaliser alone: 0 stays 0.
constexpr uint64_t mixBits(uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ull;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebull;
  return bits ^ (bits >> 31);
}

// One step of the generator whose state is `bits`.
constexpr uint64_t splitMix64(uint64_t bits) { return mixBits(bits + 0x9e3779b97f4a7c15ull); }

}  // namespace fuser
