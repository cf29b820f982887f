#pragma once
// Which scalars are kernel arguments and which a kernel computes. Segmenter, lowering and host program follow this one
// rule, so that they agree on each kernel's arguments:
//   - A literal is printed into the kernel.
//   - An extent (the symbol i0 of an input's axis) is an integer argument. Dim expressions, which combine extents and
//     scalars with + - * //, are index arithmetic: the kernel computes them for loops, indices and predicates, and for
//     the elements of arange and the divisor of a mean or variance.
//   - Any other scalar is an argument. A computed one (the result of an op, such as size or item) is evaluated once, on
//     the host, never in a kernel, however cheap it is. A scalar that an extent names is an integer argument, any other
//     one is a scalar argument.

#include "fuser/ir/fusion.h"

namespace fuser {

// Whether the value is a literal, which is neither an argument nor a segment input.
inline bool staysInKernel(const Val* val) { return val->isScalar() && val->as<Scalar>()->isConstant(); }

// Whether the value is a computed scalar. The scalar group evaluates it on the host; other segments take it as input.
inline bool isHostScalar(const Val* val) { return val->isScalar() && val->definition() != nullptr; }

// Whether the op's kernel statements compute integers from extents: arange's elements, the divisor of a mean.
inline bool computesIntegers(const Expr* expr) {
  return familyInfo(expr->family()).integers == KernelIntegers::Computed ||
         expr->info().finish == Finish::DivideByCount;
}

}  // namespace fuser
