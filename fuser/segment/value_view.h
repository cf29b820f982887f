#pragma once
// ValueView: who makes and who reads each value of a fusion: the facts on which a segmentation's edges rest, worked out
// from the expressions alone. Everything is in one order that follows from what the outputs need, operand by operand,
// and not from ids: so that two fusions that differ in the order in which independent expressions were built look the
// same.

#include <span>
#include <vector>

#include "fuser/ir/fusion.h"

namespace fuser {

class ValueView {
 public:
  explicit ValueView(const Fusion& fusion);

  // What an expression needs beside its own results; see SegmentedFusion::reads.
  std::span<Val* const> reads(const Expr* expr) const { return reads_.of(expr->id()); }
  // Live readers in the order of liveExprs().
  std::span<Expr* const> readers(const Val* val) const { return readers_.of(val->id()); }
  // What some fusion output needs, in topological order: what the first output needs first, its operands from left to
  // right (post-order).
  const std::vector<Expr*>& liveExprs() const { return live_; }
  const std::vector<Expr*>& liveTensorExprs() const { return liveTensors_; }
  bool isLive(const Expr* expr) const { return position_.at(expr->id()) >= 0; }
  // Place in liveExprs(); -1 for dead ones.
  int64_t position(const Expr* expr) const { return position_.at(expr->id()); }

 private:
  // A list for each id, one behind the other: a sweep reads them as one piece of memory.
  template <class T>
  struct Lists {
    struct Place {
      uint32_t begin = 0;
      uint32_t end = 0;
    };
    std::span<T* const> of(uint32_t id) const {
      const Place place = places.at(id);
      return {entries.data() + place.begin, entries.data() + place.end};
    }
    std::vector<Place> places;  // by id
    std::vector<T*> entries;
  };
  void collectReads(const Fusion& fusion);
  void collectLive(const Fusion& fusion);
  void collectReaders();

  Lists<Val> reads_;
  Lists<Expr> readers_;
  std::vector<Expr*> live_;
  std::vector<Expr*> liveTensors_;
  std::vector<int64_t> position_;  // by expression id
};

}  // namespace fuser
