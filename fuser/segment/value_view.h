#pragma once
// ValueView: the def-use relation of a fusion, from which the edges of a segmentation follow. It also gives the live
// expressions one canonical order: a depth-first post-order from the outputs, with operands from left to right. The
// order does not use ids, so that fusions that differ only in the order in which independent expressions were built
// look the same.

#include <span>
#include <vector>

#include "fuser/ir/fusion.h"

namespace fuser {

class ValueView {
 public:
  explicit ValueView(const Fusion& fusion);

  // The values that an expression depends on; see SegmentGraph::reads.
  std::span<Val* const> reads(const Expr* expr) const { return reads_.of(expr->id()); }
  // The live expressions that read the value, in the order of liveExprs().
  std::span<Expr* const> readers(const Val* val) const { return readers_.of(val->id()); }
  // The expressions that some fusion output depends on, in topological order: the post-order from the first output,
  // then from the next ones.
  const std::vector<Expr*>& liveExprs() const { return live_; }
  const std::vector<Expr*>& liveTensorExprs() const { return liveTensors_; }
  bool isLive(const Expr* expr) const { return position_.at(expr->id()) >= 0; }
  // The index in liveExprs(); -1 for dead code.
  int64_t position(const Expr* expr) const { return position_.at(expr->id()); }

 private:
  // One list per id, stored contiguously (compressed sparse rows), for locality of sweeps.
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
