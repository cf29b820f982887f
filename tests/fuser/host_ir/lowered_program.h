#pragma once
// A lowered program with a host scalar and two kernels, whose declarations are written by hand.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "fuser/host_ir/host_ir_lower.h"
#include "fuser/ir/builder.h"

namespace fuser {

// Declares a kernel over a part: its tensors, scalar inputs and these extents, and one stride per tensor.
inline std::unique_ptr<Kernel> declaredKernel(const std::string& name, const Fusion& part,
                                              const std::vector<IntExpr>& extents) {
  auto kernel = std::make_unique<Kernel>();
  kernel->name = name;
  kernel->gridDim.fill(kernel->ints->constant(1));
  kernel->blockIdx.fill(kernel->ints->constant(0));
  kernel->threadIdx.fill(kernel->ints->constant(0));
  const auto addTensor = [&](const Val* val, bool written) {
    const int index = static_cast<int>(kernel->tensors.size());
    const auto* tensor = val->as<TensorView>();
    kernel->buffers.push_back({index, tensor->name(), tensor->dtype(), MemoryType::Global, nullptr, -1, index, tensor});
    kernel->tensors.push_back({index, tensor->rank(), written, tensor});
  };
  for (const Val* input : part.inputs()) {
    if (input->isTensor()) {
      addTensor(input, false);
    } else {
      kernel->scalars.push_back({input->name(), input->dtype(), input});
    }
  }
  for (const Val* output : part.outputs()) addTensor(output, true);
  for (IntExpr extent : extents) kernel->intParams.push_back({kernel->ints->symbol("extent"), extent});
  kernel->intParams.push_back({kernel->ints->symbol("stride"), nullptr, 0, 0});
  return kernel;
}

// f(%x: f32[i0], %a: i64) { %n = size(%x) {dim = 0}; %m = add(%n, %a); %t = neg(%x); %y = mul(%t, %m); return %y, %m }
inline constexpr const char* kLoweredText =
    "host f(%x: f32[i0], %a: i64) {\n"
    "  kernel k1\n"
    "  kernel k2\n"
    "  segment 0 ExprEval (%a) -> (%m) {\n"
    "    evaluate %n, %m\n"
    "  }\n"
    "  segment 1 PointWise (%x) -> (%t) {\n"
    "    allocate %t: f32[i0]\n"
    "    launch k1(%x, %t; i0, stride(%x, 0); )\n"
    "  }\n"
    "  segment 2 PointWise (%t, %m) -> (%y) {\n"
    "    allocate %y: f32[i0]\n"
    "    launch k2(%t, %y; i0, stride(%t, 0); %m)\n"
    "  }\n"
    "  free %t\n"
    "  return %y, %m\n"
    "}\n";

struct LoweredProgram : testing::Test {
  LoweredProgram() {
    x = build::input(fusion, DataType::Float, {fusion.extentSymbol("i0")}, "x");
    fusion.addInput(a = fusion.newScalar(DataType::Int64, "a"));
    n = build::size(fusion, x, 0, "n");
    m = build::binary(fusion, OpKind::Add, n, a, "m");
    t = build::unary(fusion, OpKind::Neg, x, "t");
    y = build::binary(fusion, OpKind::Mul, t, m, "y");
    fusion.addOutput(y);
    fusion.addOutput(m);
    fusion.markOrigins();
  }

  HostGroup kernelGroup(int index, Val* result, std::vector<Val*> inputs) {
    parts.push_back(std::make_unique<ClonedPart>(clonePart(fusion, {result->definition()}, inputs, {result})));
    const ClonedPart& part = *parts.back();
    kernels.push_back(declaredKernel(concat("k", index), *part.fusion, {part.fusion->extentSymbol("i0")}));
    return {index, SchedulerType::PointWise, {result->definition()}, inputs, {result}, &part, kernels.back().get()};
  }

  std::vector<HostGroup> groups() {
    HostGroup scalars{0, SchedulerType::ExprEval, {n->definition(), m->definition()}, {a}, {m}, nullptr, nullptr};
    HostGroup first = kernelGroup(1, t, {x});
    HostGroup second = kernelGroup(2, y, {t, m});
    return {scalars, first, second};
  }

  // The lowered program of kLoweredText, with %t freed after its last use.
  std::unique_ptr<HostIrContainer> lowered() {
    std::unique_ptr<HostIrContainer> program = HostIrLower(fusion).lower(groups());
    program->append(hir::Deallocate{t->as<TensorView>()});
    return program;
  }

  Fusion fusion{"f"};
  TensorView* x;
  Scalar* a;
  Scalar* n;
  Val* m;
  Val* t;
  Val* y;
  std::vector<std::unique_ptr<ClonedPart>> parts;
  std::vector<std::unique_ptr<Kernel>> kernels;
};

}  // namespace fuser
