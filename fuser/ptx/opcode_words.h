#pragma once
// OpcodeWords: the words of an opcode between its dots, for instructions that no row names as a whole.

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "fuser/ptx/program.h"

namespace fuser::ptx {

class OpcodeWords {
 public:
  explicit OpcodeWords(std::string_view opcode) {
    while (count_ < words_.size()) {
      const size_t dot = opcode.find('.');
      words_[count_++] = withoutOwn(opcode.substr(0, dot));
      if (dot == std::string_view::npos) return;
      opcode.remove_prefix(dot + 1);
    }
  }
  size_t size() const { return count_; }
  std::string_view first() const { return words_[0]; }
  std::string_view last() const { return words_[count_ - 1]; }
  void dropLast() { --count_; }
  std::string_view at(size_t i) const { return i < count_ ? words_[i] : std::string_view(); }
  // Whether the words behind the first are all among those, or begin with "L1::" or "L2::": hints for caches.
  bool hasOnly(std::initializer_list<std::string_view> known) const {
    for (size_t i = 1; i < count_; ++i) {
      const bool isHint = words_[i].starts_with("L1::") || words_[i].starts_with("L2::");
      if (!isHint && std::find(known.begin(), known.end(), words_[i]) == known.end()) return false;
    }
    return true;
  }
  // Behind the first.
  bool has(std::string_view word) const {
    for (size_t i = 1; i < count_; ++i) {
      if (words_[i] == word) return true;
    }
    return false;
  }

 private:
  // "shared::cta" -> "shared": the part of a space that a name without it means. "shared::cluster" stays.
  static std::string_view withoutOwn(std::string_view word) {
    for (std::string_view own : {"::cta", "::entry", "::func"}) {
      if (word.ends_with(own)) word.remove_suffix(own.size());
    }
    return word;
  }

  std::array<std::string_view, 16> words_{};
  size_t count_ = 0;
};

// Whom fences of an instruction reach: of its threads' block, or, which it may leave out, of the device.
FenceScope fenceScopeOf(const OpcodeWords& words);
std::optional<AtomicKind> atomicOf(const OpcodeWords& words);
std::optional<ShuffleKind> shuffleOf(const OpcodeWords& words);
std::optional<BarrierKind> barrierOf(const OpcodeWords& words);
std::optional<VoteKind> voteOf(const OpcodeWords& words);
// Those of 32 bits that the machine has: %tid.x, %laneid, …
bool isSpecialRegister(std::string_view name);

}  // namespace fuser::ptx
