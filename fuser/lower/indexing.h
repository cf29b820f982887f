#pragma once
// Indexing: computes the index of each element that an expression reads or writes: consumer loops -> consumer
// coordinates -> (axis map of the op) -> producer coordinates -> producer index. A tensor in global memory is indexed
// by its strides, a register buffer by its loop coordinates inside the compute-at position, a buffer in shared memory
// by those and by its coordinates on threads.

#include "fuser/analysis/axis_map.h"
#include "fuser/analysis/schedule_rules.h"
#include "fuser/lower/loop_nest.h"

namespace fuser {

// Whether it is in global memory and no output: threads of other blocks may read it.
inline bool isWorkspace(const TensorView* tensor) {
  return tensor->memoryType() == MemoryType::Global && tensor->definition() && !tensor->isFusionOutput();
}

class Indexing {
 public:
  // `stride` returns the stride, in elements, of an axis (an index into axes()) of a global tensor, as an expression of
  // the kernel. `importExtent` copies an expression over the part's extents into the kernel's arena.
  Indexing(const LoopNest& nest, Kernel& kernel, std::function<IntExpr(const TensorView*, int axis)> stride,
           std::function<IntExpr(IntExpr)> importExtent, const ScheduleRules& rules)
      : nest_(nest),
        kernel_(kernel),
        ints_(*kernel.ints),
        stride_(std::move(stride)),
        importExtent_(std::move(importExtent)),
        rules_(rules) {}

  // The index of the element of the result that the expression writes.
  IntExpr resultIndex(const Expr* expr) const;
  // The index of the element of a tensor operand that the expression reads in its own loops. A UserError if a thread
  // would read a register that another thread wrote, or at other coordinates.
  IntExpr operandIndex(const Expr* expr, size_t operand) const;
  // The index of the element at these coordinates of a tensor that is an input, in shared memory or in a workspace.
  IntExpr storedIndex(const Expr* reader, const TensorView* tensor, const std::vector<IntExpr>& coordinates) const;
  // The element of an operand that the expression reads at these coordinates of its result's logical axes, and the
  // condition under which this operand is the one that is read; 1 unless choosesOperand(expr).
  OperandElement elementAt(const Expr* expr, size_t operand, const std::vector<IntExpr>& coordinates) const;
  // The coordinates along a result's logical axes in its own loops.
  std::vector<IntExpr> coordinatesOf(const TensorView* tensor) const;
  // The size of a buffer in registers or shared memory, in elements.
  int64_t bufferSize(const TensorView* tensor) const;

 private:
  OperandElement elementOf(const Expr* expr, size_t operand) const {
    return elementAt(expr, operand, coordinatesOf(expr->output()->as<TensorView>()));
  }
  IntExpr globalIndex(const TensorView* tensor, const std::vector<IntExpr>& coordinates) const;
  IntExpr workspaceIndex(const TensorView* tensor, const std::vector<IntExpr>& coordinates) const;
  struct Dimension {
    IntExpr coordinate, extent;
  };
  IntExpr denseIndex(const std::vector<Dimension>& dimensions) const;
  IntExpr bufferIndex(const TensorView* tensor, const std::vector<IntExpr>& loopCoordinates) const;
  void checkInBlock(const Expr* expr, const TensorView* operand, const std::vector<IntExpr>& coordinates) const;
  bool isComputedElsewhere(const Expr* reader, const TensorView* operand) const;
  bool isRepeated(const Expr* reader, const TensorView* operand, const IterDomain* loop) const;
  void checkReadsOwn(const Expr* expr, const TensorView* operand) const;
  IntExpr registerIndex(const Expr* expr, const TensorView* operand, IntExpr index) const;
  std::vector<IntExpr> loopCoordinatesFrom(const Expr* use, const TensorView* producer) const;
  std::vector<IntExpr> loopCoordinatesOf(const TensorView* producer, const std::vector<IntExpr>& coordinates) const;
  std::vector<IntExpr> throughTransforms(const TensorView* producer, std::unordered_map<const IterDomain*, IntExpr> at,
                                         const std::unordered_map<const IterDomain*, const IterDomain*>& images) const;
  std::unordered_map<const IterDomain*, const IterDomain*> imagesIn(const TensorView* consumer,
                                                                    const TensorView* producer,
                                                                    const std::vector<int>& match) const;

  const LoopNest& nest_;
  const Kernel& kernel_;
  IntExprArena& ints_;
  std::function<IntExpr(const TensorView*, int)> stride_;
  std::function<IntExpr(IntExpr)> importExtent_;
  const ScheduleRules& rules_;
};

}  // namespace fuser
