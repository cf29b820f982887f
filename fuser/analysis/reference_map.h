#pragma once
// ReferenceMap: how the axes of every tensor of a part relate to the axes of one of them, the reference. It exists when
// each tensor meets the reference's axes in one way only, and none has elements along an axis that the reference lacks.
// Inputs of the part stand in memory and may be read in several ways: they are mapped use by use, and relate their
// readers only where all of them can meet.
//
// It is what makes one kernel of a part possible: a schedule splits, merges and parallelises the reference's axes, and
// every other tensor's loops follow. The segmenter's question "is this one kernel?" and the scheduler's answer "with
// these loops" read the same map.
//
//   %b = unsqueeze(%s) {dims = [1]}   %y = add(%x, %b)    reference %y [i0, i1]: %s -> [0], %b -> [0, 1], %y -> [0, 1]
//
// Axes are joined into classes by a union-find over all axes of the part (fuser/support/disjoint_sets.h).

#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "fuser/ir/fusion.h"

namespace fuser {

class ReferenceMap {
 public:
  // The map, or why there is none. exprs in topological order; the reference is a result of one of them. Broadcast axes
  // that nothing relates to the reference are unmapped; any other axis must be mapped. Where the reference is a
  // reduction, another one of its shape runs beside it although no value joins the two. The map points into the fusion,
  // which must outlive it.
  static std::variant<ReferenceMap, std::string> build(const std::vector<Expr*>& exprs, const TensorView* reference);

  // The same of a copy of the part: copies[tensor] stands for each tensor that these expressions, the part's, make.
  ReferenceMap onCopies(const std::vector<Expr*>& exprs, const std::unordered_map<const Val*, Val*>& copies) const;

  const TensorView* reference() const { return reference_; }
  // Whether all readers of each input run over the same axes.
  bool relatesInputs() const { return relatesInputs_; }

  // For each logical axis (reductions included) of a tensor made in the part: the logical position in the reference, or
  // -1. Only for a tensor that the map contains().
  const std::vector<int>& positions(const TensorView* tensor) const { return positions_.at(tensor); }
  bool contains(const TensorView* tensor) const { return positions_.count(tensor) != 0; }

  // The same for an operand's axes(), as this expression, one of the part's, reads it; the operand may be an input of
  // the part.
  std::vector<int> operandPositions(const Expr* expr, const TensorView* operand) const;

 private:
  static std::variant<ReferenceMap, std::string> build(const std::vector<Expr*>& exprs, const TensorView* reference,
                                                       bool throughInputs);

  const TensorView* reference_ = nullptr;
  bool relatesInputs_ = false;
  std::unordered_map<const TensorView*, std::vector<int>> positions_;  // look-ups only
};

}  // namespace fuser
