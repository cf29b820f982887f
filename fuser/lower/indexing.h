#pragma once
// Where an expression finds the elements of its operands and of its result: consumer loops -> consumer coordinates -> (the
// op's map) -> producer coordinates -> producer memory: strides for a tensor in global memory; for a register buffer its
// loop coordinates right of the inlining point.

#include "fuser/lower/loop_nest.h"

namespace fuser {

class Indexing {
 public:
  // stride: the kernel's expression for a stride (elements) of a global tensor's axis, counted without reductions.
  Indexing(const LoopNest& nest, Kernel& kernel, std::function<IntExpr(const TensorView*, int axis)> stride)
      : nest_(nest), ints_(*kernel.ints), stride_(std::move(stride)) {}

  // The element of the expression's own result.
  IntExpr resultIndex(const Expr* expr) const;
  // The element of an operand that the expression reads. A UserError where a register would be read by another thread
  // than the one that wrote it.
  IntExpr operandIndex(const Expr* expr, const TensorView* operand) const;
  // Elements of a register buffer.
  int64_t localSize(const TensorView* tensor) const;

 private:
  IntExpr globalIndex(const TensorView* tensor, const std::vector<IntExpr>& coordinates) const;
  IntExpr localIndex(const TensorView* tensor, const std::vector<IntExpr>& loopCoordinates) const;
  std::vector<IntExpr> loopCoordinatesFrom(const Expr* use, const TensorView* producer) const;

  const LoopNest& nest_;
  IntExprArena& ints_;
  std::function<IntExpr(const TensorView*, int)> stride_;
};

}  // namespace fuser
