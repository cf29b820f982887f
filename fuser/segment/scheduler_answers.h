#pragma once
// SchedulerAnswers: what the schedulers say of parts of a fusion, each part asked once. Merging asks about the same
// part from many sides, and an answer costs far more than the look-up. Of one segmentation, whose fusion does not
// change.

#include <unordered_map>
#include <vector>

#include "fuser/analysis/compile_context.h"
#include "fuser/segment/segmented_fusion.h"

namespace fuser {

class SchedulerAnswers {
 public:
  SchedulerAnswers(const SegmentedFusion& segmented, const CompileContext& context);

  // Expressions in any order, any of them several times. The reference stays valid as long as this lives. A refusal is
  // an answer, not an error.
  const SchedulerAnswer& ask(const std::vector<Expr*>& exprs);
  // Whether the expression must find this value in memory: it and the value's definition are never in one group.
  bool mustBeSegmentInput(const Expr* expr, const Val* val) const;

  // What the schedulers were asked: parts that differ in their expressions or outputs.
  size_t questions() const { return answers_.size(); }
  // The part was taken: it is neither taken apart nor asked about again, though it may become part of a larger one. New
  // questions about it, or about parts that hold some of its expressions and not all, are counted. What several groups
  // compute is no group's to settle.
  void settle(const std::vector<Expr*>& exprs);
  bool isSettled(const Expr* expr) const { return pieceOf_.at(expr->id()) >= 0; }
  size_t questionsAboutSettled() const { return questionsAboutSettled_; }

 private:
  // A part, by two independent hashes of its expressions and outputs: with 128 bits, no two parts meet. The ids
  // themselves would be most of what the answers take of memory.
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
  bool asksAboutSettled(const std::vector<Expr*>& exprs) const;

  // By the part's expressions, in topological order, and its outputs (its inputs follow).
  std::unordered_map<PartKey, SchedulerAnswer, FirstOfKey> answers_;
  std::vector<std::vector<Val*>> required_;  // by expression id
  std::vector<int64_t> pieceOf_;             // by expression id: the settled piece; -1: none
  std::vector<size_t> pieceSizes_;           // expressions in each
  size_t questionsAboutSettled_ = 0;
};

}  // namespace fuser
