// SHA-1 as FIPS 180-4 section 6.1 states it.

#include "fuzz/campaign/sha1.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>

namespace fuser::fuzz {
namespace {

using State = std::array<uint32_t, 5>;

void addBlock(State& state, const unsigned char* block) {
  std::array<uint32_t, 80> words;
  for (size_t t = 0; t < 16; ++t) {
    words[t] = uint32_t{block[4 * t]} << 24 | uint32_t{block[4 * t + 1]} << 16 | uint32_t{block[4 * t + 2]} << 8 |
               block[4 * t + 3];
  }
  for (size_t t = 16; t < 80; ++t) words[t] = std::rotl(words[t - 3] ^ words[t - 8] ^ words[t - 14] ^ words[t - 16], 1);
  auto [a, b, c, d, e] = state;
  for (size_t t = 0; t < 80; ++t) {
    uint32_t f = b ^ c ^ d, k = 0x6ed9eba1;
    if (t < 20) {
      f = (b & c) | (~b & d);
      k = 0x5a827999;
    } else if (t >= 40 && t < 60) {
      f = (b & c) | (b & d) | (c & d);
      k = 0x8f1bbcdc;
    } else if (t >= 60) {
      k = 0xca62c1d6;
    }
    const uint32_t next = std::rotl(a, 5) + f + e + k + words[t];
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  const State added = {a, b, c, d, e};
  for (size_t i = 0; i < state.size(); ++i) state[i] += added[i];
}

}  // namespace

std::string sha1(std::string_view bytes) {
  State state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  std::string padded(bytes);
  padded += '\x80';
  while (padded.size() % 64 != 56) padded += '\0';
  const uint64_t bits = uint64_t{bytes.size()} * 8;
  for (int shift = 56; shift >= 0; shift -= 8) padded += static_cast<char>(bits >> shift);
  for (size_t at = 0; at < padded.size(); at += 64) {
    addBlock(state, reinterpret_cast<const unsigned char*>(padded.data()) + at);
  }
  std::string text;
  for (uint32_t word : state) {
    char digits[9];
    std::snprintf(digits, sizeof digits, "%08x", word);
    text += digits;
  }
  return text;
}

}  // namespace fuser::fuzz
