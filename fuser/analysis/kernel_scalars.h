#pragma once
// THE rule about scalars at the border between host and kernels:
//
//   - A literal is printed into the kernel.
//   - An extent (the symbol i0 of an input's axis) is an integer argument. What the program's dims make of extents and
//     scalars with + - * // is index arithmetic: the kernel does it itself, where loops, indices and predicates need
//     it, and where an op is made of it: the numbers of arange, the count that a mean or a variance divides by.
//   - Every other scalar is an argument: an input as it is; a computed one (an op's result: size and item among them)
//     is evaluated once, on the host, and no kernel computes it again, however cheap it is. Where an extent names it,
//     it is an integer argument, else a scalar argument.

#include "fuser/ir/fusion.h"

namespace fuser {

// Neither an argument nor an input of a segment.
inline bool staysInKernel(const Val* val) { return val->isScalar() && val->as<Scalar>()->isConstant(); }

// Evaluated on the host: a group of its own computes it, and segments take it as an argument.
inline bool isHostScalar(const Val* val) { return val->isScalar() && val->definition() != nullptr; }

// The op's own elements are integer expressions, so that its statements in a kernel compute them.
inline bool computesIntegers(const Expr* expr) {
  return familyInfo(expr->family()).integers == KernelIntegers::Computed ||
         expr->info().finish == Finish::DivideByCount;
}

}  // namespace fuser
