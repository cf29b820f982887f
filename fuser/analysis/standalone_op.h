#pragma once
// Expressions that the host program may run one at a time, each as a kernel of its own, and whether that kernel can
// compute one place of an axis after another: a turn of a loop over streams, or a device's part of a sharded axis. It
// stands in analysis, because the generator and the mutators draw stream axes and shardings by the same rules.
//
//   %y = slice(%x) {dim = 1, …}: axis 0 of %y is axis 0 of %x, so that its places can be computed apart; axis 1 cannot,
//   as the slice moves elements along it

#include <optional>
#include <string>

#include "fuser/ir/fusion.h"

namespace fuser {

// Whether the host program may run the expression alone: a move of elements, a pointwise op, a reduction or a slice, of
// tensors. What is none of these runs in a kernel with others.
bool isLowerableAsStandaloneHostOp(const Expr* expr);

// The axis of an operand that has the coordinate of that axis of the results; nullopt where it has none (an operand
// that lacks the axis, or is a scalar). Axes are counted in axes(); `axis` is one of the first result's. operand: one
// of the expression's inputs.
std::optional<size_t> operandAxis(const Expr* expr, const Val* operand, size_t axis);

// Why the expression cannot be computed one place of that axis of its results after another; "" where it can.
// `axis` is counted in axes() of the first result; one that it does not have is a reason, too.
std::string whyNoSlices(const Expr* expr, size_t axis);

}  // namespace fuser
