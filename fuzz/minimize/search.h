#pragma once
// Search: the best case so far, and the one way to try another: valid, smaller, interesting, in this order of price.

#include <array>
#include <chrono>
#include <unordered_set>

#include "fuzz/minimize/change.h"
#include "fuzz/minimize/judging.h"
#include "fuzz/minimize/minimize.h"

namespace fuser::fuzz {

// What "smaller" compares, the first difference deciding: expressions, inputs and outputs, axes, runs, elements,
// options, layouts, dtypes by rarity and ops that are not plain, recipes by strangeness, bytes of text.
using Weight = std::array<int64_t, 10>;
Weight weigh(const Case& testCase, size_t bytes);

// The first op of a family in the table, of which plainOps() makes ops that do not matter.
OpKind plainOp(Family family);
CaseSize sizeOf(const Case& testCase, size_t bytes);

class Search {
 public:
  // text: a finding in this bucket, as it prints; judging is set to what the bucket needs.
  Search(std::string text, Bucket target, const JudgedCase& finding, Judging& judging, const MinimizeSettings& settings,
         Minimized& result);

  const Case& best() const { return best_; }
  const std::string& text() const { return text_; }
  // Values of the best case that the finding speaks of, the likeliest first; then its outputs.
  std::vector<ValId> suspects() const;
  std::vector<SegmentNames> segments() { return judging_.segments(text_); }

  // True when the best case with the change is the best case now: ids of the former one mean nothing any more.
  bool attempt(const EditCase& change) { return attemptCase(edited(best_, change)); }
  // New inputs get plain data first, then what the reference computed for them.
  bool attempt(const Change& change);

  // The budget is used up, or somebody asks to stop.
  bool isOver();
  void setReducer(std::string_view name) { reducer_ = name; }
  double seconds() const;

 private:
  bool attemptCase(const std::optional<Case>& candidate);
  void accept(const Case& candidate, std::string text, const JudgedCase& judged);
  void noteOther(const std::string& text, const Bucket& found);

  std::string text_;
  Case best_;
  Weight weight_;
  JudgedCase finding_;
  Bucket target_;
  Judging& judging_;
  const MinimizeSettings& settings_;
  Minimized& result_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::vector<RecordedRun> recorded_;  // of the case that the search began with
  std::unordered_set<std::string> seen_;
  std::unordered_set<std::string> others_;  // buckets of other findings, as text
  std::string_view reducer_;
};

// Delta debugging over a list: chunks from the end, of half the list first, then of halves of that; a size that had
// success is kept. `count` entries, counted anew after each success; `candidate` makes the change of entries
// [first, last), or nothing.
bool reduceChunks(Search& search, const std::function<size_t()>& count,
                  const std::function<std::optional<Change>(size_t first, size_t last)>& candidate);

// Beside the file first, then renamed, where the settings name one and the text is not too long for it. A UserError
// where that is impossible.
void writeBestSoFar(const MinimizeSettings& settings, const std::string& text);

}  // namespace fuser::fuzz
