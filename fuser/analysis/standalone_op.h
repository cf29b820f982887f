#pragma once
// Decides which expressions the host program may run alone, each as its own kernel, and whether such a kernel can
// compute one slice of an axis at a time: an iteration of a loop over streams, or a device's part of a sharded axis. It
// is in analysis, because the generator and the mutators choose stream axes and shardings by the same rules.
//
//   %y = slice(%x) {dim = 1, …}: axis 0 of %y is axis 0 of %x, so it can be computed slice by slice; axis 1 cannot,
//   because the op moves elements along it

#include <optional>
#include <string>

#include "fuser/ir/fusion.h"

namespace fuser {

// Whether the host program may run the expression alone, by the `host` column of families.def: pointwise ops,
// reductions, slices, flips, and views that move no element. Any other op runs in a kernel together with others.
bool isLowerableAsStandaloneHostOp(const Expr* expr);

// The axis of `operand`, one of the expression's inputs, with the same coordinate as axis `axis` of the results;
// nullopt if there is none or the operand is a scalar. Axes are indices into axes(); `axis` is one of the first
// result's.
std::optional<size_t> operandAxis(const Expr* expr, const Val* operand, size_t axis);

// The reason why the expression cannot be computed slice by slice along axis `axis` of its results; "" when it can.
// `axis` is an index into axes() of the first result; an invalid one is a reason, too.
std::string whyNoSlices(const Expr* expr, size_t axis);

}  // namespace fuser
