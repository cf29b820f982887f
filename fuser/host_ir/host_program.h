#pragma once
// HostProgram: what the host does to run a segmented fusion: allocate, evaluate host scalars, launch, free. Made by
// HostIrLower, run by HostIrEvaluator; there is no other way to run a segmented fusion.
//
//   host f(%x: f32[i0, i1], %n: i64) {
//     evaluate %m                                             # segment 0, ExprEval
//     allocate %t: f32[i0]
//     launch k1_reduction(%x, %t; i0, i1; )                   # segment 1, Reduction
//     allocate %y: f32[i0]
//     launch k2_pointwise(%t, %y; i0; %m)                     # segment 2, PointWise
//     free %t
//     return %y
//   }

#include <string>
#include <variant>
#include <vector>

#include "fuser/analysis/scheduler.h"
#include "fuser/ir/fusion.h"
#include "fuser/kernel/kernel.h"

namespace fuser {

namespace hir {

// Memory for a tensor: row-major in its allocation order, stride 0 on broadcast axes, filled with poison.
struct Allocate {
  const TensorView* tensor = nullptr;
};

// The tensor is not read again.
struct Deallocate {
  const TensorView* tensor = nullptr;
};

// Scalar expressions, in topological order.
struct EvaluateScalars {
  std::vector<const Expr*> exprs;
};

// Arguments as the kernel declares them.
struct LaunchKernel {
  int kernel = 0;                            // index in HostProgram::kernels
  std::vector<const TensorView*> tensors;
  std::vector<IntExpr> ints;                 // over the program's fusion; null: a stride, bound at the launch
  std::vector<const Val*> scalars;
};

using Node = std::variant<Allocate, Deallocate, EvaluateScalars, LaunchKernel>;

// A segment, as a run's record shows it.
struct Segment {
  int index = 0;
  SchedulerType scheduler = SchedulerType::None;
  std::vector<const Val*> inputs;   // literals excluded
  std::vector<const Val*> outputs;
  std::vector<size_t> nodes;        // what it does, in HostProgram::nodes
  int kernel = -1;                  // index in HostProgram::kernels; -1: none
};

}  // namespace hir

struct HostProgram {
  const Fusion* fusion = nullptr;  // the segmented one; it and the kernels must outlive the program
  std::vector<const Kernel*> kernels;
  std::vector<hir::Node> nodes;
  std::vector<hir::Segment> segments;
};

std::string toString(const HostProgram& program);

// A CheckError unless every value is there when it is read and not freed before, every output is there at the end, and
// each scalar expression is evaluated once.
void verifyHostProgram(const HostProgram& program);

}  // namespace fuser
