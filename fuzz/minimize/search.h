#pragma once
// Search: the best case so far, and the checks of a candidate, cheapest first: valid, smaller, same finding.

#include <array>
#include <chrono>
#include <unordered_set>

#include "fuzz/minimize/change.h"
#include "fuzz/minimize/judging.h"
#include "fuzz/minimize/minimize.h"

namespace fuser::fuzz {

// The order of cases, lexicographic: expressions, inputs and outputs, axes, runs, elements, options, layouts, unusual
// dtypes and ops, unusual recipes, bytes of text.
using Weight = std::array<int64_t, 10>;
Weight weigh(const Case& testCase, size_t bytes);

// The first op of a family in the table, with which plainOps() replaces ops that do not matter.
OpKind plainOp(Family family);
CaseSize sizeOf(const Case& testCase, size_t bytes);

class Search {
 public:
  // `text` is a printed finding in this bucket; `judging` must run the checks that the bucket needs.
  Search(std::string text, Bucket target, const JudgedCase& finding, Judging& judging, const MinimizeSettings& settings,
         Minimized& result);

  const Case& best() const { return best_; }
  const std::string& text() const { return text_; }
  // The values of the best case that the finding names, the likeliest first; then its outputs.
  std::vector<ValId> suspects() const;
  std::vector<SegmentNames> segments() { return judging_.segments(text_); }

  // True if the change was accepted; ids of the previous best case are then invalid.
  bool attempt(const EditCase& change);
  // New inputs get plain data first, then the values that the reference computed.
  bool attempt(const Change& change);

  // Whether the budget is used up or the search is interrupted.
  bool isOver();
  void setReducer(std::string_view name) { reducer_ = name; }
  double seconds() const;

 private:
  bool attemptCase(const std::optional<Case>& candidate);
  void accept(const Case& candidate, std::string text, const JudgedCase& judged);
  void noteOther(const std::string& text, const Bucket& found);
  // What is made, or nothing: a check that fails meanwhile is noted as a finding of its own.
  std::optional<Case> built(const std::function<std::optional<Case>()>& make);

  std::string text_;
  Case best_;
  Weight weight_;
  JudgedCase finding_;
  Bucket target_;
  Judging& judging_;
  const MinimizeSettings& settings_;
  Minimized& result_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::vector<RecordedRun> recorded_;  // of the initial case
  std::unordered_set<std::string> seen_;
  std::unordered_set<std::string> others_;  // buckets of other findings, as text
  std::string_view reducer_;
};

// Delta debugging over a list: tries chunks from the end, of half the list first, then halves the chunk size; repeats a
// size that succeeded. `count` returns the number of entries, after each success anew; `candidate` creates the change
// for entries [first, last), or nothing.
bool reduceChunks(Search& search, const std::function<size_t()>& count,
                  const std::function<std::optional<Change>(size_t first, size_t last)>& candidate);

// Replaces the file atomically, if the settings name one and the text is not too long. A UserError if that fails.
void writeBestSoFar(const MinimizeSettings& settings, const std::string& text);

}  // namespace fuser::fuzz
