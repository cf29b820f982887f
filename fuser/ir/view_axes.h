#pragma once
// The ops that give elements other coordinates: slice, pad, cat, reshape, repeat. Their inference, and the arithmetic
// of their bounds, which the map of coordinates (fuser/analysis/axis_map.h) shares.

#include "fuser/ir/infer.h"

namespace fuser {

// Type and axes of such an op. An axis whose size is the constant 1 is a broadcast axis; a broadcast axis that keeps
// one element stays one, expanded to the new size. A UserError as of infer(), which calls them.
using InferView = InferredType(Fusion& fusion, OpKind op, std::span<Val* const> operands, const Attributes& attributes);
InferView inferSlice, inferPad, inferCat, inferReshape, inferRepeat;

// What is wrong with every run, as far as numbers say so: a negative size, a reshape to another number of elements. A
// UserError of the builders alone: a rewrite may find such a number too late to blame the program.
void checkViewSizes(Fusion& fusion, OpKind op, std::span<Val* const> operands, const Attributes& attributes);

// PyTorch's bounds of a slice: negative ones count from the end, both are clamped to [0, size], and an end before the
// start is the start.
struct SliceBounds {
  IntExpr start;
  IntExpr size;  // of the result
};
SliceBounds sliceBounds(IntExprArena& ints, IntExpr size, const Attributes& attributes);

// What pad adds before and behind an axis of an operand of this rank; negative: removes. Both 0 where it says nothing.
struct Padding {
  IntExpr low;
  IntExpr high;
};
Padding paddingOf(IntExprArena& ints, const std::vector<IntExpr>& pad, size_t axis, size_t rank);

// Axes of a reshape that hold the same elements: [from, fromEnd) of the operand, [to, toEnd) of the result, in
// row-major order. The groups cover all axes of both from left to right.
struct ReshapeGroup {
  size_t from, fromEnd;
  size_t to, toEnd;
  bool isSame = false;  // one axis of one size on both sides
};
std::vector<ReshapeGroup> reshapeGroups(IntExprArena& ints, const std::vector<IntExpr>& from,
                                        const std::vector<IntExpr>& to);
// The sizes of a reshape's result: its -1 worked out. Elements that are left over are the run's error, as is a -1
// beside a size of 0.
std::vector<IntExpr> reshapedSizes(IntExprArena& ints, const std::vector<IntExpr>& from, std::vector<IntExpr> shape);

// Sizes of a tensor's axes() in PyTorch's eyes.
std::vector<IntExpr> sizesOf(const TensorView* tensor);

}  // namespace fuser
