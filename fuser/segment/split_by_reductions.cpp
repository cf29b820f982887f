#include "fuser/segment/split_by_reductions.h"

#include <algorithm>
#include <map>

#include "fuser/support/disjoint_sets.h"

namespace fuser {

namespace {

using Piece = std::vector<Expr*>;
using Shape = std::vector<std::pair<uint32_t, bool>>;  // an axis: the extent's id, and whether it is reduced

class Splitter {
 public:
  Splitter(const SegmentedFusion& segmented, const Piece& part)
      : segmented_(segmented), part_(part), place_(segmented.completeFusion().exprIdCount(), kNone) {
    for (size_t i = 0; i < part.size(); ++i) place_[part[i]->id()] = i;
  }

  std::vector<Piece> run() {
    const size_t shapes = findShapes();
    if (shapes < 2 || shapes > kMostShapes) return {};
    findDependences();
    std::vector<bool> taken(part_.size(), false);
    std::vector<Piece> pieces;
    for (size_t shape = 0; shape < shapes; ++shape) {
      const std::vector<bool> wanted = wantedBy(uint32_t{1} << shape, taken);
      for (size_t i = 0; i < part_.size(); ++i) taken[i] = taken[i] || wanted[i];
      for (Piece& piece : componentsOf(wanted)) {
        if (spreads(piece, uint32_t{1} << shape)) pieces.push_back(std::move(piece));
      }
    }
    return pieces;
  }

 private:
  static constexpr size_t kNone = static_cast<size_t>(-1);

  // Calls visit with the place of each expression of the part that this one reads.
  template <class Visit>
  void forEachProducer(size_t reader, const Visit& visit) const {
    for (const Val* val : segmented_.reads(part_[reader])) {
      const Expr* maker = val->definition();
      if (maker && place_[maker->id()] != kNone) visit(place_[maker->id()]);
    }
  }

  // The number of different shapes; the reductions of each have its bit.
  size_t findShapes() {
    std::map<Shape, size_t> shapes;
    own_.resize(part_.size(), 0);
    for (size_t i = 0; i < part_.size(); ++i) {
      if (part_[i]->isScalarExpr() || !isReduction(part_[i]->op())) continue;
      Shape shape;
      for (const IterDomain* axis : part_[i]->output()->as<TensorView>()->domain().logical) {
        shape.emplace_back(axis->extent()->id, axis->isReduction());
      }
      const size_t number = shapes.emplace(shape, shapes.size()).first->second;
      if (number < kMostShapes) own_[i] = uint32_t{1} << number;
    }
    return shapes.size();
  }

  void findDependences() {
    depends_ = own_;
    for (size_t i = 0; i < part_.size(); ++i) {
      forEachProducer(i, [&](size_t producer) { depends_[i] |= depends_[producer]; });
    }
  }

  // What depends on this shape's reductions alone, and what that is computed from.
  std::vector<bool> wantedBy(uint32_t shape, const std::vector<bool>& taken) const {
    std::vector<bool> wanted(part_.size(), false);
    for (size_t i = part_.size(); i-- > 0;) {
      wanted[i] = (wanted[i] || depends_[i] == shape) && !taken[i];
      if (wanted[i]) forEachProducer(i, [&](size_t producer) { wanted[producer] = true; });
    }
    return wanted;
  }

  // Whether what depends on the reductions has more axes than they keep.
  bool spreads(const Piece& piece, uint32_t shape) const {
    size_t kept = 0, most = 0;
    for (const Expr* expr : piece) {
      const size_t place = place_[expr->id()];
      if (depends_[place] != shape) continue;
      const size_t concrete = expr->output()->as<TensorView>()->concreteRank();
      if (own_[place] != 0) kept = concrete;
      most = std::max(most, concrete);
    }
    return most > kept;
  }

  std::vector<Piece> componentsOf(const std::vector<bool>& wanted) const {
    std::vector<Piece> pieces;
    DisjointSets sets(part_.size());
    for (size_t i = 0; i < part_.size(); ++i) {
      if (!wanted[i]) continue;
      forEachProducer(i, [&](size_t producer) {
        if (wanted[producer]) sets.unite(i, producer);
      });
    }
    std::map<size_t, size_t> pieceOf;
    for (size_t i = 0; i < part_.size(); ++i) {
      if (!wanted[i]) continue;
      const auto [piece, isNew] = pieceOf.emplace(sets.find(i), pieces.size());
      if (isNew) pieces.emplace_back();
      pieces[piece->second].push_back(part_[i]);
    }
    return pieces;
  }

  const SegmentedFusion& segmented_;
  const Piece& part_;
  std::vector<size_t> place_;      // in the part, by expression id
  std::vector<uint32_t> own_;      // by place: the bit of a reduction's shape
  std::vector<uint32_t> depends_;  // by place: the bits of all that it depends on
};

}  // namespace

std::vector<Piece> splitByReductions(const SegmentedFusion& segmented, const Piece& part) {
  return Splitter(segmented, part).run();
}

}  // namespace fuser
