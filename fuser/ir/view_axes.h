#pragma once
// Shape inference of the ops that change the coordinates of elements (slice, pad, cat, reshape, repeat,
// select, slice_scatter, gather), and the arithmetic of their bounds, which the coordinate map
// (fuser/analysis/axis_map.h) shares.

#include "fuser/ir/infer.h"

namespace fuser {

// Infers the type of such an op; infer() calls these, with the same errors. An axis of constant size 1 becomes a
// broadcast axis. A broadcast axis that still holds one element stays a broadcast axis, expanded to the new size.
using InferView = InferredType(Fusion& fusion, OpKind op, std::span<Val* const> operands, const Attributes& attributes);
InferView inferSlice, inferPad, inferCat, inferReshape, inferRepeat, inferSelect, inferUnfold, inferSliceScatter,
    inferGather, inferScatter;

// Throws a UserError when constant sizes show that every run fails: a negative size, or a reshape to another number of
// elements. Only the builders call it: a rewrite may find such a constant too late to reject the program.
void checkViewSizes(Fusion& fusion, OpKind op, std::span<Val* const> operands, const Attributes& attributes);

// Normalizes the bounds of a slice as PyTorch does: a negative bound counts from the end, both are clamped to
// [0, size], and the end is at least the start. `size` is the size of the sliced axis.
struct SliceBounds {
  IntExpr start;
  IntExpr size;  // of the result, in elements
  IntExpr step;  // at least 1: of a run with a smaller one, which is rejected, 1
};
SliceBounds sliceBounds(IntExprArena& ints, IntExpr size, const Attributes& attributes);

// The place that an index selects along an axis of this size: a negative one counts from the end. Nothing is clamped.
IntExpr selectedPlace(IntExprArena& ints, IntExpr size, IntExpr index);

// The elements that pad adds before (low) and after (high) an axis; negative: removes; 0 for axes without an entry.
struct Padding {
  IntExpr low;
  IntExpr high;
};
Padding paddingOf(IntExprArena& ints, const std::vector<IntExpr>& pad, size_t axis, size_t rank);

// One group of a reshape: the operand's axes [from, fromEnd) and the result's axes [to, toEnd) hold the same elements
// in row-major order. The groups cover all axes of both sides from left to right.
struct ReshapeGroup {
  size_t from, fromEnd;
  size_t to, toEnd;
  bool isSame = false;  // one axis on each side, of equal size
};
std::vector<ReshapeGroup> reshapeGroups(IntExprArena& ints, const std::vector<IntExpr>& from,
                                        const std::vector<IntExpr>& to);
// The sizes of a reshape's result, with -1 replaced by its value. The run-time checks reject a remainder, and a -1 next
// to a size of 0 (fuser/evaluate/check_shapes.h).
std::vector<IntExpr> reshapedSizes(IntExprArena& ints, const std::vector<IntExpr>& from, std::vector<IntExpr> shape);

// The sizes of a tensor's axes(), as PyTorch reports them.
std::vector<IntExpr> sizesOf(const TensorView* tensor);

}  // namespace fuser
