#pragma once
// SecondLookDraws: which runs without a finding are looked at again, and how. What is sampled is drawn from the case's
// text, so that a case is looked at alike wherever it is judged.

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/judge/judge_case.h"

namespace fuser::fuzz {

class SecondLookDraws {
 public:
  explicit SecondLookDraws(HowOften often) : often_(often) {}

  // The case's text, before the first draw.
  void read(std::string_view text);

  // Equal texts and salts give equal draws.
  bool drawn(uint64_t salt, double share) const;
  // Never: false; Sampled: `always`, or drawn; Always: true.
  bool isWanted(bool always, uint64_t salt, double share) const;

  bool wantsTwin(const Fusion& fusion, const oracle::Judgement& judgement) const;
  // 1 in 8 of all cases: more of the small ones, less of those that take long.
  bool wantsProbes(const oracle::Judgement& judgement) const;
  // The views whose outputs are compared with the run's bit for bit, each with the draw that decides its choices.
  std::vector<std::pair<const View*, uint64_t>> views() const;

 private:
  const HowOften often_;
  uint64_t hash_ = 0xcbf29ce484222325ull;  // FNV-1a (Fowler, Noll and Vo), of nothing
};

}  // namespace fuser::fuzz
