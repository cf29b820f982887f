#pragma once
// HostProgram: what the host does to run a segmented fusion: allocate, evaluate host scalars, launch, free. Made by
// HostIrLower, run by HostIrEvaluator; there is no other way to run a segmented fusion.
//
//   host f(%x: f32[i0, i1], %n: i64) {
//     segment 0 ExprEval (%n) -> (%m) {
//       evaluate %k, %m
//     }
//     segment 1 Reduction (%x) -> (%t) {
//       allocate %t: f32[i0]
//       launch k0_reduction(%x, %t; i0, i1, stride(%x, 0); )
//     }
//     segment 2 PointWise (%t, %m) -> (%y) {
//       allocate %y: f32[i0]
//       launch k1_pointwise(%t, %y; i0; %m)
//     }
//     free %t
//     return %y
//   }

#include <span>
#include <string>
#include <string_view>
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

// The tensor is in the source's memory, as the ops that make it of the source see it: no kernel runs.
struct View {
  const TensorView* tensor = nullptr;
  const TensorView* source = nullptr;
};

// An output is written to the input's memory instead of its own: the input is not read after the launch that does.
struct Reuse {
  const TensorView* tensor = nullptr;
  const TensorView* input = nullptr;
};

// The output's elements are copied to the input's memory, where it is from then on.
struct Copy {
  const TensorView* tensor = nullptr;
  const TensorView* input = nullptr;
};

// Scalar expressions, in topological order.
struct EvaluateScalars {
  std::vector<const Expr*> exprs;
};

// Arguments as the kernel declares them.
struct LaunchKernel {
  int kernel = 0;  // index in HostProgram::kernels
  std::vector<const TensorView*> tensors;
  std::vector<IntExpr> ints;  // symbols of the program's fusion; null: a stride, bound at the launch
  std::vector<const Val*> scalars;
};

using Node = std::variant<Allocate, Deallocate, View, Reuse, Copy, EvaluateScalars, LaunchKernel>;

// A segment, as a run's record shows it.
struct Segment {
  int index = 0;
  SchedulerType scheduler = SchedulerType::None;
  std::vector<const Val*> inputs;  // literals excluded
  std::vector<const Val*> outputs;
  size_t firstNode = 0;  // what it does: HostProgram::nodes [firstNode, lastNode)
  size_t lastNode = 0;
  int kernel = -1;  // index in HostProgram::kernels; -1: none
};

}  // namespace hir

struct HostProgram {
  const Fusion* fusion = nullptr;  // the segmented one; it and the kernels must outlive the program
  std::vector<const Kernel*> kernels;
  std::vector<hir::Node> nodes;
  std::vector<hir::Segment> segments;
};

std::string toString(const HostProgram& program);

// What toString printed for a program over this fusion, whose values' names are unique; kernels are found by name. Not
// verified. A UserError names the line and what is wrong with it.
HostProgram parseHostProgram(std::string_view text, const Fusion& fusion, std::span<const Kernel* const> kernels);

// A CheckError unless every value is there when it is read, not freed and not overwritten before, every output is there
// at the end, and each scalar expression is evaluated once.
void verifyHostProgram(const HostProgram& program);

}  // namespace fuser
