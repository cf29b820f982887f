#pragma once
// Expressions that the host program runs one at a time, each as a kernel of its own, and their parts: one place of an
// axis of every tensor that has it.

#include <optional>
#include <string>

#include "fuser/host_ir/host_ir.h"
#include "fuser/ir/clone.h"

namespace fuser {

// Whether the host program may run the expression alone: a move of elements, a pointwise op, a reduction or a slice, of
// tensors. What is none of these runs in a kernel with others.
bool isLowerableAsStandaloneHostOp(const Expr* expr);

// The axis of an operand that has the coordinate of that axis of the results; nullopt where it has none (an operand
// that lacks the axis, or is a scalar). Axes are counted in axes().
std::optional<size_t> operandAxis(const Expr* expr, const Val* operand, size_t axis);

// Why the expression cannot be computed one place of that axis of its results after another; "" where it can.
std::string whyNoSlices(const Expr* expr, size_t axis);

// A tensor of the fusion, made by none of its expressions: the source at one place of an axis of its axes(), in the
// source's memory.
TensorView* newSlice(Fusion& fusion, const TensorView* source, size_t axis, const std::string& name);

// A tensor of the fusion, made by none of its expressions: one of equal parts of the source along an axis of its
// axes(). Dense: in memory of its own, which has the source's order; else where the source is, of whose strides nothing
// is known.
enum class PartMemory : uint8_t { Dense, InSource };
TensorView* newPart(Fusion& fusion, const TensorView* source, size_t axis, int64_t parts, PartMemory memory,
                    const std::string& name);

// The op as a fusion of its own, over what stands in its operands' and results' places.
// The fusion gains sizes, nothing else.
ClonedPart partOf(Fusion& fusion, const hir::StandaloneOp& op);

}  // namespace fuser
