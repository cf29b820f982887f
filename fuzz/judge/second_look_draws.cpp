// Shares of second looks, and the elements for whose sake all runs get one.

#include "fuzz/judge/second_look_draws.h"

#include <algorithm>

#include "fuser/support/split_mix.h"

namespace fuser::fuzz {
namespace {

// An error of 2^-12 could hide in some element's set.
bool isWide(const oracle::Judgement& judgement) {
  const bool hasVerdict =
      judgement.verdict == oracle::Verdict::Agrees || judgement.verdict == oracle::Verdict::Undecided;
  return hasVerdict && judgement.total.within12 < judgement.total.judged;
}

}  // namespace

void SecondLookDraws::read(std::string_view text) {
  for (unsigned char byte : text) hash_ = (hash_ ^ byte) * 0x100000001b3ull;
}

bool SecondLookDraws::drawn(uint64_t salt, double share) const {
  return static_cast<double>(splitMix64(hash_ ^ salt) >> 11) * 0x1p-53 < share;
}

bool SecondLookDraws::isWanted(bool always, uint64_t salt, double share) const {
  switch (often_) {
    case HowOften::Never: return false;
    case HowOften::Sampled: return always || drawn(salt, share);
    case HowOften::Always: return true;
  }
  FUSER_CHECK(false, "bad HowOften");
}

bool SecondLookDraws::wantsTwin(const Fusion& fusion, const oracle::Judgement& judgement) const {
  constexpr double kElements = 500;  // of the cases that are cheap enough for all of them to be looked at
  const std::vector<Expr*>& exprs = fusion.exprs();
  const bool reduces =
      std::any_of(exprs.begin(), exprs.end(), [](const Expr* expr) { return isReduction(expr->op()); });
  const double share = kElements / static_cast<double>(std::max<int64_t>(judgement.total.judged, 1));
  return (reduces || isWide(judgement)) && isWanted(isWide(judgement), 1, share);
}

bool SecondLookDraws::wantsProbes(const oracle::Judgement& judgement) const {
  constexpr int64_t kSmall = 1000;
  constexpr double kShare = 0.2, kShareOfLarge = 0.05;
  if (judgement.verdict != oracle::Verdict::Agrees) return false;
  return isWanted(false, 2, judgement.total.judged <= kSmall ? kShare : kShareOfLarge);
}

std::vector<std::pair<const View*, uint64_t>> SecondLookDraws::views() const {
  constexpr uint64_t kDraws = 3;  // few, so that Always meets what Sampled drew
  std::vector<std::pair<const View*, uint64_t>> views;
  for (const View& view : allViews()) {
    if (view.outputs != Outputs::SameBits || often_ == HowOften::Never) continue;
    if (often_ == HowOften::Always) {
      for (uint64_t draw = 0; draw < kDraws; ++draw) views.emplace_back(&view, draw);
    } else if (const std::optional<uint64_t> draw = viewDraw(view, hash_, 0)) {
      views.emplace_back(&view, *draw % kDraws);
    }
  }
  return views;
}

}  // namespace fuser::fuzz
