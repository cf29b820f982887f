#pragma once
// Where an expression finds the elements of its operands and of its result: consumer loops -> consumer coordinates ->
// (the op's map) -> producer coordinates -> producer memory: strides for a tensor in global memory; for a register
// buffer its loop coordinates right of the inlining point.

#include "fuser/analysis/axis_map.h"
#include "fuser/lower/loop_nest.h"

namespace fuser {

class Indexing {
 public:
  // stride: the kernel's expression for a stride (elements) of a global tensor's axis, counted without reductions.
  // importExtent: an expression over the part's extents -> over the kernel's parameters.
  Indexing(const LoopNest& nest, Kernel& kernel, std::function<IntExpr(const TensorView*, int axis)> stride,
           std::function<IntExpr(IntExpr)> importExtent)
      : nest_(nest), ints_(*kernel.ints), stride_(std::move(stride)), importExtent_(std::move(importExtent)) {}

  // The element of the expression's own result.
  IntExpr resultIndex(const Expr* expr) const;
  // The element of an operand (a tensor, by its place) that the expression reads. A UserError where a register would be
  // read by another thread than the one that wrote it, or at other coordinates.
  IntExpr operandIndex(const Expr* expr, size_t operand) const;
  // Where the operand gives the result's element: 1 unless the expression chooses among its operands.
  IntExpr operandCondition(const Expr* expr, size_t operand) const { return elementOf(expr, operand).condition; }
  // Elements of a register buffer.
  int64_t localSize(const TensorView* tensor) const;

 private:
  OperandElement elementOf(const Expr* expr, size_t operand) const;
  IntExpr globalIndex(const TensorView* tensor, const std::vector<IntExpr>& coordinates) const;
  IntExpr localIndex(const TensorView* tensor, const std::vector<IntExpr>& loopCoordinates) const;
  std::vector<IntExpr> loopCoordinatesFrom(const Expr* use, const TensorView* producer) const;

  const LoopNest& nest_;
  IntExprArena& ints_;
  std::function<IntExpr(const TensorView*, int)> stride_;
  std::function<IntExpr(IntExpr)> importExtent_;
};

}  // namespace fuser
