#pragma once
// The map between the axes of an op's result and those of an operand: the only place that knows what an op does with
// coordinates. Segmentation, schedules, lowering and sharding follow axes through ops with these functions, so that a
// new family is mapped once. (Modelled on nvFuser's LogicalDomainMap.)
//
//   %y[j0, j1] = permute(%x[i0, i1]) {dims = [1, 0]}:  producerAxes = [1, 0], %y[a, b] is %x[b, a]
//   %s[j0, r1] = sum(%x[i0, i1]) {dims = [1]}:         producerAxes = [0, 1]: the reduction axis is an axis of %x

#include <functional>
#include <span>
#include <vector>

#include "fuser/ir/fusion.h"

namespace fuser {

// For each logical axis of the result, including reduction axes: the index in the operand's axes() of the axis with the
// same coordinate and size (or of a broadcast axis), or -1 if there is none. Empty for a scalar operand.
std::vector<int> producerAxes(const Expr* expr, const TensorView* producer);

// The same, but an axis along which elements change their coordinate (slice, pad, cat, repeat, flip) maps to the
// operand's axis instead of -1.
std::vector<int> axesBeside(const Expr* expr, const TensorView* producer);

// Whether each element of the result only needs the operand's elements at its own coordinates, as producerAxes maps
// them. Otherwise the operand must be in memory, where any element can be read.
bool readsInPlace(const Expr* expr, const TensorView* producer);

// The coordinates of the result of a reshape, one per logical axis, at which the operand's element at these coordinates
// of its axes() goes.
std::vector<IntExpr> reshapedCoordinates(const Expr* expr, std::span<const IntExpr> coordinates, IntExprArena& ints,
                                         const std::function<IntExpr(IntExpr)>& import);

// Whether each element of the result comes from a single operand that its coordinates select (pad, cat,
// slice_scatter). Otherwise every operand contributes to it.
bool choosesOperand(const Expr* expr);

// Whether the second operand holds indices along the axis `dim` of the first (gather, scatter).
bool takesIndices(const Expr* expr);

// Whether this operand is read along `dim` at any place, of which no coordinate of the result tells anything: what
// indices are of (gather), or indices and elements that may each be meant for it (scatter).
bool readsAnyAlong(const Expr* expr, size_t operand);

// The element of an operand that an element of the result reads.
struct OperandElement {
  std::vector<IntExpr> coordinates;  // one per axis of the operand's axes(); empty for a scalar
  IntExpr condition = nullptr;       // 1 when the operand is read; constant 1 unless choosesOperand(expr)
};
// `coordinates` are the coordinates of the result's logical axes in the arena `ints`, inside the result's sizes; those
// of broadcast axes are ignored. Where any place may be read along `dim`, the coordinate there is that place.
// `import` copies an expression over the fusion's extents into `ints`.
OperandElement operandElement(const Expr* expr, size_t operand, std::span<const IntExpr> coordinates,
                              IntExprArena& ints, const std::function<IntExpr(IntExpr)>& import);

}  // namespace fuser
