// The words that opcodes choose from.
#include "fuser/ptx/opcode_words.h"

#include <algorithm>
#include <span>

namespace fuser::ptx {
namespace {

template <class Kind>
struct Word {
  std::string_view text;
  Kind kind;
};

template <class Kind>
std::optional<Kind> chosen(const OpcodeWords& words, std::span<const Word<Kind>> choices) {
  for (const Word<Kind>& choice : choices) {
    if (words.has(choice.text)) return choice.kind;
  }
  return std::nullopt;
}

}  // namespace

// Each block is a cluster of its own.
FenceScope fenceScopeOf(const OpcodeWords& words) {
  return words.has("cta") || words.has("cluster") ? FenceScope::Block : FenceScope::Device;
}

std::optional<AtomicKind> atomicOf(const OpcodeWords& words) {
  static constexpr Word<AtomicKind> kWords[] = {
      {"add", AtomicKind::Add},       {"min", AtomicKind::Min},
      {"max", AtomicKind::Max},       {"and", AtomicKind::And},
      {"or", AtomicKind::Or},         {"xor", AtomicKind::Xor},
      {"exch", AtomicKind::Exchange}, {"cas", AtomicKind::CompareAndSwap},
      {"inc", AtomicKind::Increment}, {"dec", AtomicKind::Decrement},
  };
  return chosen<AtomicKind>(words, kWords);
}

std::optional<ShuffleKind> shuffleOf(const OpcodeWords& words) {
  static constexpr Word<ShuffleKind> kWords[] = {
      {"idx", ShuffleKind::Index},
      {"up", ShuffleKind::Up},
      {"down", ShuffleKind::Down},
      {"bfly", ShuffleKind::Butterfly},
  };
  return chosen<ShuffleKind>(words, kWords);
}

std::optional<BarrierKind> barrierOf(const OpcodeWords& words) {
  static constexpr Word<BarrierKind> kWords[] = {
      {"sync", BarrierKind::Wait}, {"arrive", BarrierKind::Arrive}, {"popc", BarrierKind::Count},
      {"and", BarrierKind::All},   {"or", BarrierKind::Any},
  };
  return chosen<BarrierKind>(words, kWords);
}

std::optional<VoteKind> voteOf(const OpcodeWords& words) {
  static constexpr Word<VoteKind> kWords[] = {
      {"all", VoteKind::All},
      {"any", VoteKind::Any},
      {"uni", VoteKind::Uniform},
      {"ballot", VoteKind::Ballot},
  };
  return chosen<VoteKind>(words, kWords);
}

bool isSpecialRegister(std::string_view name) {
  static constexpr std::string_view kNames[] = {
      "%tid.x",       "%tid.y",       "%tid.z",       "%ntid.x",      "%ntid.y",      "%ntid.z", "%ctaid.x",
      "%ctaid.y",     "%ctaid.z",     "%nctaid.x",    "%nctaid.y",    "%nctaid.z",    "%laneid", "%warpid",
      "%lanemask_eq", "%lanemask_lt", "%lanemask_le", "%lanemask_gt", "%lanemask_ge",
  };
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

}  // namespace fuser::ptx
