#pragma once
// The map of one op between the axes of its result and those of an operand: the only place that knows what an op does
// with coordinates. Segmentation, schedules, lowering and sharding all follow axes through ops by these functions, so
// that a new family is mapped once.
//
//   %y[j0, j1] = permute(%x[i0, i1]) {dims = [1, 0]}:  producerAxes = [1, 0], %y[a, b] is made of %x[b, a]
//   %s[j0, r1] = sum(%x[i0, i1]) {dims = [1]}:         producerAxes = [0, 1]: the reduction axis is an axis of %x

#include <functional>
#include <span>
#include <vector>

#include "fuser/ir/fusion.h"

namespace fuser {

// For each logical axis of the result (reductions included): the position in the operand's axes() that has the same
// coordinate and size (or is a broadcast axis), or -1 where the operand has none. Empty when the operand is a scalar.
std::vector<int> producerAxes(const Expr* expr, const TensorView* producer);

// The same, and where elements change their coordinate along an axis (slice, pad, cat, repeat), that axis of the
// operand.
std::vector<int> axesBeside(const Expr* expr, const TensorView* producer);

// Whether an element of the result is made of operands' elements at its own coordinates, axis by axis as producerAxes
// says. Else the operand must stand in memory, where any element can be read.
bool readsInPlace(const Expr* expr, const TensorView* producer);

// Whether each element of the result is that of one of the operands, which one depends on where it stands (pad, cat).
// Else all operands make it.
bool choosesOperand(const Expr* expr);

// What an operand gives to an element of the result.
struct OperandElement {
  std::vector<IntExpr> coordinates;  // of the operand's axes(); empty for a scalar
  IntExpr condition = nullptr;       // where it gives anything: 1 unless the expression chooses among its operands
};
// coordinates: of the result's logical axes (those of broadcast axes do not matter), over `ints`; they lie inside the
// result's sizes. import: an expression over the fusion's extents -> over `ints`.
OperandElement operandElement(const Expr* expr, size_t operand, std::span<const IntExpr> coordinates,
                              IntExprArena& ints, const std::function<IntExpr(IntExpr)>& import);

}  // namespace fuser
