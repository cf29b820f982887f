// Top-down merging: tries whole parts of the fusion before single expressions are merged, then the pieces of a refused
// part that have reductions of one shape.

#include <algorithm>

#include "fuser/segment/merging.h"
#include "fuser/segment/split_by_reductions.h"

namespace fuser {

namespace {

using Piece = std::vector<Expr*>;

// The pieces are the parts between cuts. If parts depend on each other cyclically, those parts are split by levels,
// which never decrease along an edge and increase across a cut. So the graph of pieces is acyclic.
class Pieces {
 public:
  Pieces(const SegmentedFusion& segmented, const Cuts& cuts)
      : segmented_(segmented), cuts_(cuts), partOf_(segmented.completeFusion().exprIdCount(), kNone) {
    const std::vector<Piece>& parts = cuts.parts();
    for (size_t part = 0; part < parts.size(); ++part) {
      for (const Expr* expr : parts[part]) partOf_[expr->id()] = part;
    }
    const std::vector<bool> circular = findCircular();
    if (std::find(circular.begin(), circular.end(), true) != circular.end()) findLevels();
    for (size_t part = 0; part < parts.size(); ++part) {
      if (circular[part]) {
        splitByLevels(parts[part]);
      } else {
        pieces_.push_back(parts[part]);
      }
    }
  }

  const std::vector<Piece>& all() const { return pieces_; }

 private:
  static constexpr size_t kNone = static_cast<size_t>(-1);

  template <class Visit>
  void forEachProducer(const Expr* expr, Visit visit) const {
    for (const Val* val : segmented_.reads(expr)) {
      if (val->definition() && partOf_[val->definition()->id()] != kNone) visit(val, val->definition());
    }
  }

  // The parts that cannot be ordered: those on a cycle, or on a path between two. Kahn's algorithm from both ends.
  std::vector<bool> findCircular() const {
    const std::vector<Piece>& parts = cuts_.parts();
    std::vector<std::vector<size_t>> users(parts.size()), makers(parts.size());
    for (size_t part = 0; part < parts.size(); ++part) {
      for (const Expr* expr : parts[part]) {
        forEachProducer(expr, [&](const Val*, const Expr* producer) {
          const size_t from = partOf_[producer->id()];
          if (from == part) return;
          users[from].push_back(part);
          makers[part].push_back(from);
        });
      }
    }
    std::vector<bool> circular(parts.size(), true);
    // First removes the parts before all cycles, then those after all cycles.
    for (const auto& [next, previous] : {std::pair(&users, &makers), std::pair(&makers, &users)}) {
      std::vector<size_t> missing(parts.size()), ready;
      for (size_t part = 0; part < parts.size(); ++part) {
        missing[part] = (*previous)[part].size();
        if (missing[part] == 0) ready.push_back(part);
      }
      while (!ready.empty()) {
        const size_t part = ready.back();
        ready.pop_back();
        circular[part] = false;
        for (size_t user : (*next)[part]) {
          if (--missing[user] == 0) ready.push_back(user);
        }
      }
    }
    return circular;
  }

  // The level is as high as the readers allow, so that an expression with one reader is in that reader's piece, not in
  // one of its own (an unsqueeze of an input, say). Without readers it is the largest number of cuts on a path to it.
  void findLevels() {
    level_.resize(partOf_.size(), 0);
    const std::vector<Expr*>& exprs = segmented_.liveTensorExprs();
    const auto isCut = [&](const Val* val, const Expr* reader) { return val->isTensor() && cuts_.isCut(val, reader); };
    for (const Expr* expr : exprs) {
      forEachProducer(expr, [&](const Val* val, const Expr* producer) {
        level_[expr->id()] = std::max(level_[expr->id()], level_[producer->id()] + isCut(val, expr));
      });
    }
    std::vector<size_t> highest(partOf_.size(), kNone);
    for (auto expr = exprs.rbegin(); expr != exprs.rend(); ++expr) {
      size_t& level = level_[(*expr)->id()];
      if (highest[(*expr)->id()] != kNone) level = highest[(*expr)->id()];
      forEachProducer(*expr, [&](const Val* val, const Expr* producer) {
        highest[producer->id()] = std::min(highest[producer->id()], level - isCut(val, *expr));
      });
    }
  }

  // Splits a part into the connected components of each level.
  void splitByLevels(const Piece& part) {
    DisjointSets sets(part.size());
    std::vector<size_t> place(partOf_.size(), kNone);
    for (size_t i = 0; i < part.size(); ++i) place[part[i]->id()] = i;
    for (const Expr* expr : part) {
      forEachProducer(expr, [&](const Val*, const Expr* producer) {
        if (place[producer->id()] == kNone || level_[producer->id()] != level_[expr->id()]) return;
        sets.unite(place[producer->id()], place[expr->id()]);
      });
    }
    std::vector<size_t> pieceOf(part.size(), kNone);
    for (size_t i = 0; i < part.size(); ++i) {
      size_t& piece = pieceOf[sets.find(i)];
      if (piece == kNone) {
        piece = pieces_.size();
        pieces_.emplace_back();
      }
      pieces_[piece].push_back(part[i]);
    }
  }

  const SegmentedFusion& segmented_;
  const Cuts& cuts_;
  std::vector<size_t> partOf_;  // by expression id; kNone for host scalars and dead code
  std::vector<size_t> level_;   // by expression id
  std::vector<Piece> pieces_;
};

bool hasCutInside(const SegmentedFusion& segmented, const Cuts& cuts, const Piece& piece) {
  std::vector<bool> inside(segmented.completeFusion().exprIdCount(), false);
  for (const Expr* expr : piece) inside[expr->id()] = true;
  return std::any_of(piece.begin(), piece.end(), [&](const Expr* reader) {
    const std::span<Val* const> reads = segmented.reads(reader);
    return std::any_of(reads.begin(), reads.end(), [&](const Val* val) {
      return val->isTensor() && val->definition() && inside[val->definition()->id()] && cuts.isCut(val, reader);
    });
  });
}

SegmentedGroup* mergeAll(SegmentedFusion& segmented, const Piece& piece) {
  std::vector<SegmentedGroup*> groups;
  for (const Expr* expr : piece) groups.push_back(segmented.groupOf(expr));
  return groups.size() > 1 ? segmented.mergeGroups(groups) : groups.front();
}

}  // namespace

void mergeTopDown(SegmentedFusion& segmented, SchedulerAnswers& answers, const Cuts& cuts, SegmentCounters& counters) {
  const auto settle = [&](SegmentedGroup* group) {
    answers.settle(group->exprs());
    ++counters.accepted;
  };
  const auto tryPiece = [&](const Piece& piece) {
    ++counters.pieces;
    if (!answers.ask(piece).accepted()) return false;
    settle(mergeAll(segmented, piece));
    return true;
  };
  const auto trySplit = [&](const Piece& piece) {
    for (const Piece& smaller : splitByReductions(segmented, piece)) tryPiece(smaller);
  };
  const std::vector<Piece>& parts = cuts.parts();
  if (parts.empty()) return;
  if (!cuts.any()) {
    Piece all;
    for (const Piece& part : parts) all.insert(all.end(), part.begin(), part.end());
    all = segmented.inTopologicalOrder(std::move(all));
    const bool whole = tryPiece(all);
    if (!whole && parts.size() == 1) trySplit(all);  // the one part is the whole
    if (whole || parts.size() == 1) return segmented.finalize();
  }
  const Pieces pieces(segmented, cuts);
  for (const Piece& piece : pieces.all()) {
    if (hasCutInside(segmented, cuts, piece)) continue;
    if (!tryPiece(piece)) trySplit(piece);
  }
  segmented.finalize();
}

}  // namespace fuser
