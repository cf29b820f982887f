#pragma once
// ValueView: who makes and who reads each value of a fusion: the facts on which a segmentation's edges rest, worked out
// from the expressions alone. Everything is in one order that follows from what the outputs need, operand by operand, and
// not from ids: so that two fusions that differ in the order in which independent expressions were built look the same.

#include <vector>

#include "fuser/ir/fusion.h"

namespace fuser {

class ValueView {
 public:
  explicit ValueView(const Fusion& fusion);

  // What an expression needs beside its own results; see SegmentedFusion::reads.
  const std::vector<Val*>& reads(const Expr* expr) const { return reads_.at(expr->id()); }
  // Live readers in the order of liveExprs().
  const std::vector<Expr*>& readers(const Val* val) const { return readers_.at(val->id()); }
  // What some fusion output needs, in topological order: what the first output needs first, its operands from left to
  // right (post-order).
  const std::vector<Expr*>& liveExprs() const { return live_; }
  bool isLive(const Expr* expr) const { return position_.at(expr->id()) >= 0; }
  // Place in liveExprs(); -1 for dead ones.
  int64_t position(const Expr* expr) const { return position_.at(expr->id()); }

 private:
  std::vector<std::vector<Val*>> reads_;     // by expression id
  std::vector<std::vector<Expr*>> readers_;  // by value id
  std::vector<Expr*> live_;
  std::vector<int64_t> position_;  // by expression id
};

}  // namespace fuser
