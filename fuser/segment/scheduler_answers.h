#pragma once
// SchedulerAnswers: a memo of the schedulers' answers about parts of a fusion. Merging asks about the same part many
// times, and an answer costs far more than a lookup. An object belongs to one segmentation, whose fusion must not
// change.

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "fuser/analysis/compile_context.h"
#include "fuser/segment/segmented_fusion.h"

namespace fuser {

class SchedulerAnswers {
 public:
  using WhyNot = std::function<std::string(const FusionView&)>;
  using AreApart = std::function<bool(const Expr* maker, const Expr* reader)>;
  // SegmentCandidateFinderOptions' conditions; both may be empty.
  SchedulerAnswers(const SegmentedFusion& segmented, const CompileContext& context, WhyNot whyNotAGroup = {},
                   const AreApart& areApart = {});

  // Asks about the part made of these expressions, in any order and with repeats. The returned reference stays valid. A
  // refusal is an answer, not an error.
  const SchedulerAnswer& ask(const std::vector<Expr*>& exprs);
  // Whether the expression must read this value from memory, so that it and the value's definition are never one group.
  bool mustBeSegmentInput(const Expr* expr, const Val* val) const;

  // The number of distinct parts, by expressions and outputs, that the schedulers were asked about.
  size_t questions() const { return answers_.size(); }
  // Marks a part as settled: it is neither split nor asked about again, but may become part of a larger one. New
  // questions about it, or about parts with only some of its expressions, are counted (they are a bug). An expression
  // that several groups compute is never settled.
  void settle(const std::vector<Expr*>& exprs);
  bool isSettled(const Expr* expr) const { return pieceOf_.at(expr->id()) >= 0; }
  size_t questionsAboutSettled() const { return questionsAboutSettled_; }

 private:
  // Two independent 64-bit hashes of a part's expressions and outputs identify it; a collision of 128 bits is ruled out
  // in practice. Storing the ids instead would dominate the memory of the memo.
  struct PartKey {
    uint64_t first = 0;
    uint64_t second = 0;
    bool operator==(const PartKey&) const = default;
  };
  struct FirstOfKey {
    size_t operator()(const PartKey& key) const noexcept { return static_cast<size_t>(key.first); }
  };
  static PartKey keyOf(const FusionView& view);

  const SegmentedFusion& segmented_;
  const SchedulerInterface& schedulers_;
  SizeFacts* sizes_;
  const DeviceProperties device_;
  const WhyNot whyNotAGroup_;
  SchedulerAnswer answerOf(const FusionView& view) const;
  bool asksAboutSettled(const std::vector<Expr*>& exprs) const;

  // Keyed by the part's expressions, in topological order, and its outputs, which determine the inputs.
  std::unordered_map<PartKey, SchedulerAnswer, FirstOfKey> answers_;
  std::vector<std::vector<Val*>> required_;  // by expression id
  std::vector<int64_t> pieceOf_;             // by expression id: the index of its settled piece, or -1
  std::vector<size_t> pieceSizes_;           // by piece: the number of its expressions
  size_t questionsAboutSettled_ = 0;
};

}  // namespace fuser
