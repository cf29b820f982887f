#pragma once
// ReferenceMap: maps the axes of every tensor of a part to the axes of one tensor, the reference. It exists if every
// tensor maps in exactly one way, and no tensor has elements along an axis that the reference lacks, unless a trailing
// reshape makes the axis. Inputs of the part
// are in memory and may be read in several ways: they are mapped per use, and relate their readers only if all of those
// can share loops.
//
// It is the condition for a single kernel: a schedule splits, merges and parallelizes the reference's axes, and the
// loops of all other tensors follow. The scheduler that accepts a part ("this is one kernel") and the schedule that it
// makes later use the same map.
//
//   %b = unsqueeze(%s) {dims = [1]}   %y = add(%x, %b)    reference %y [i0, i1]: %s -> [0], %b -> [0, 1], %y -> [0, 1]
//
// Related axes are classes of a union-find over all axes of the part (fuser/support/disjoint_sets.h).

#include <map>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "fuser/ir/fusion.h"

namespace fuser {

class ReferenceMap {
 public:
  // Returns the map, or the reason why there is none. `exprs` are in topological order, those that have loops
  // (inline_reads.h); the reference is a result of one of them. Every axis must map to the reference, except unrelated
  // broadcast axes. If the reference is a reduction, another reduction of the same shape shares its axes even if no
  // value connects them; in a part without reductions, so does any tensor with at most as many axes, of whatever
  // extents: its loops are like the reference's, on the same grid. The map refers to the fusion, which must outlive it.
  static std::variant<ReferenceMap, std::string> build(const std::vector<Expr*>& exprs, const TensorView* reference);

  // Translates the map to a copy of the part. `exprs` are the part's; `copies` maps each of their results to its copy.
  ReferenceMap onCopies(const std::vector<Expr*>& exprs, const std::unordered_map<const Val*, Val*>& copies) const;

  const TensorView* reference() const { return reference_; }
  // Whether, for each input, all of its readers share axes.
  bool relatesInputs() const { return relatesInputs_; }

  // For each logical axis, including reduction axes, of a tensor computed in the part: its index in the reference's
  // logical axes, or -1. The map must contain the tensor.
  const std::vector<int>& positions(const TensorView* tensor) const { return positions_.at(tensor); }
  bool contains(const TensorView* tensor) const { return positions_.count(tensor) != 0; }
  // Tensors that no value relates to the reference may have other extents at its positions than it has: then the number
  // of those that are related to each other, from 1 up. 0 for all that have the reference's. The map must contain the
  // tensor.
  int extentSet(const TensorView* tensor) const { return extentSets_.at(tensor); }

  // Of a tensor that runs in the loops of a reshape's operand (trailing_reshapes.h): the reshape's result, and for each
  // of its own logical axes that one's axis with the same coordinate, or -1 for a broadcast axis. Its positions are -1
  // along axes that the reshape makes.
  struct Trailing {
    const TensorView* reshape = nullptr;
    std::vector<int> axes;
  };
  // Null for any other tensor.
  const Trailing* trailing(const TensorView* tensor) const {
    const auto found = trailing_.find(tensor);
    return found == trailing_.end() ? nullptr : &found->second;
  }
  // The tensor whose loops this one runs in: itself, or the first operand of reshapes that does not trail another one.
  const TensorView* leader(const TensorView* tensor) const;

  // The same for the axes() of an operand as `expr`, an expression of the part, reads it. The operand may be an input
  // of the part.
  std::vector<int> operandPositions(const Expr* expr, const TensorView* operand) const;

 private:
  class AxisClasses;

  static std::variant<ReferenceMap, std::string> build(const std::vector<Expr*>& exprs, const TensorView* reference,
                                                       bool throughInputs);
  std::string findExtentSets(const std::vector<Expr*>& exprs, AxisClasses& classes);
  std::string addReshape(const Expr* expr, AxisClasses& classes, std::map<size_t, const TensorView*>& madeBy);
  std::string findTrailing(const TensorView* tensor, AxisClasses& classes,
                           const std::map<size_t, const TensorView*>& madeBy);
  bool trailsItself(const TensorView* tensor) const;

  const TensorView* reference_ = nullptr;
  bool relatesInputs_ = false;
  std::unordered_map<const TensorView*, std::vector<int>> positions_;  // this and the next two: for lookups only
  std::unordered_map<const TensorView*, int> extentSets_;
  std::unordered_map<const TensorView*, Trailing> trailing_;
};

}  // namespace fuser
