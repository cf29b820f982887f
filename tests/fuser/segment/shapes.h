#pragma once
// Fusions of any length and a known structure, for counting and timing the segmenter.

#include <memory>
#include <string>

#include "fuser/ir/builder.h"

namespace fuser::shapes {

// A chain of pointwise ops with a sum every 10 expressions, whose result is broadcast along the reduced axis:
//   7 pointwise ops, sum (keepdim: a sum and an unsqueeze), sub …
inline std::unique_ptr<Fusion> chainWithReductions(size_t exprs) {
  auto fusion = std::make_unique<Fusion>("chain_with_reductions");
  Val* x = build::input(*fusion, DataType::Float, {fusion->extentSymbol("i0"), fusion->extentSymbol("i1")}, "x");
  Val* value = x;
  while (fusion->liveExprs().size() < exprs) {
    for (int i = 0; i < 7; ++i) value = build::unary(*fusion, i % 2 ? OpKind::Neg : OpKind::Tanh, value);
    Val* sum = build::reduction(*fusion, OpKind::Sum, value->as<TensorView>(), {1}, true);
    value = build::binary(*fusion, OpKind::Sub, value, sum);
  }
  fusion->setOutputs({value});
  return fusion;
}

// 32 chains of pointwise ops, each from its own input, added up at the end.
inline std::unique_ptr<Fusion> joinedChains(size_t exprs) {
  auto fusion = std::make_unique<Fusion>("joined_chains");
  const IntExpr extent = fusion->extentSymbol("i0");
  std::vector<Val*> ends;
  for (size_t chain = 0; chain < 32; ++chain) {
    Val* value = build::input(*fusion, DataType::Float, {extent}, concat("x", chain));
    for (size_t i = 0; i < std::max<size_t>(exprs / 32, 2) - 1; ++i) {
      value = build::unary(*fusion, i % 2 ? OpKind::Neg : OpKind::Tanh, value);
    }
    ends.push_back(value);
  }
  Val* joined = ends[0];
  for (size_t chain = 1; chain < ends.size(); ++chain) {
    joined = build::binary(*fusion, OpKind::Add, joined, ends[chain]);
  }
  fusion->setOutputs({joined});
  return fusion;
}

// Each op reads the results of the last two.
inline std::unique_ptr<Fusion> ladder(size_t exprs) {
  auto fusion = std::make_unique<Fusion>("ladder");
  const IntExpr extent = fusion->extentSymbol("i0");
  Val* before = build::input(*fusion, DataType::Float, {extent}, "x");
  Val* last = build::input(*fusion, DataType::Float, {extent}, "y");
  for (size_t i = 0; i < exprs; ++i) {
    Val* next = build::binary(*fusion, i % 2 ? OpKind::Mul : OpKind::Add, before, last);
    before = last;
    last = next;
  }
  fusion->setOutputs({last});
  return fusion;
}

// Layers of about 25 expressions: casts from and to bf16, a norm over the last axis, a gated activation, a residual.
inline std::unique_ptr<Fusion> transformerStack(size_t exprs) {
  auto fusion = std::make_unique<Fusion>("transformer_stack");
  const IntExpr rows = fusion->extentSymbol("i0"), columns = fusion->extentSymbol("i1");
  Val* residual = build::input(*fusion, DataType::BFloat16, {rows, columns}, "x");
  Val* epsilon = fusion->newConstant(1e-5);
  size_t layer = 0;
  while (fusion->liveExprs().size() < exprs) {
    Val* weight = build::input(*fusion, DataType::Float, {columns}, concat("w", layer));
    Val* gate = build::input(*fusion, DataType::BFloat16, {rows, columns}, concat("g", layer));
    Val* wide = build::cast(*fusion, residual, DataType::Float);
    Val* mean = build::reduction(*fusion, OpKind::Mean, wide->as<TensorView>(), {1}, true);
    Val* centred = build::binary(*fusion, OpKind::Sub, wide, mean);
    Val* square = build::binary(*fusion, OpKind::Mul, centred, centred);
    Val* variance = build::reduction(*fusion, OpKind::Mean, square->as<TensorView>(), {1}, true);
    Val* deviation = build::unary(*fusion, OpKind::Sqrt, build::binary(*fusion, OpKind::Add, variance, epsilon));
    Val* normal = build::binary(*fusion, OpKind::Div, centred, deviation);
    Val* scaled = build::binary(*fusion, OpKind::Mul, normal, weight);
    Val* narrow = build::cast(*fusion, scaled, DataType::BFloat16);
    Val* opened = build::unary(*fusion, OpKind::Sigmoid, build::cast(*fusion, gate, DataType::Float));
    Val* gated = build::binary(*fusion, OpKind::Mul, build::cast(*fusion, narrow, DataType::Float), opened);
    Val* shifted = build::unary(*fusion, OpKind::Tanh, gated);
    Val* sum = build::binary(*fusion, OpKind::Add, shifted, wide);
    residual = build::cast(*fusion, sum, DataType::BFloat16);
    ++layer;
  }
  fusion->setOutputs({residual});
  return fusion;
}

// A chain of pointwise ops with an element's neighbour added to it every 9 expressions: 7 pointwise ops, pad by one and
// minus one, add …
inline std::unique_ptr<Fusion> shiftedChain(size_t exprs) {
  auto fusion = std::make_unique<Fusion>("shifted_chain");
  Val* value = build::input(*fusion, DataType::Float, {fusion->extentSymbol("i0"), fusion->extentSymbol("i1")}, "x");
  while (fusion->liveExprs().size() < exprs) {
    for (int i = 0; i < 7; ++i) value = build::unary(*fusion, i % 2 ? OpKind::Neg : OpKind::Abs, value);
    auto* operand = value->as<TensorView>();
    const IntExpr none = fusion->ints().constant(0);
    const IntExpr one = fusion->ints().constant(1), back = fusion->ints().constant(-1);
    value = build::binary(*fusion, OpKind::Add, value,
                          build::pad(*fusion, operand, {one, back, none, none}, fusion->newConstant(0.0)));
  }
  fusion->setOutputs({value});
  return fusion;
}

struct Shape {
  const char* name;
  std::unique_ptr<Fusion> (*make)(size_t exprs);
};
constexpr Shape kAll[] = {
    {"chain_with_reductions", chainWithReductions},
    {"joined_chains", joinedChains},
    {"transformer_stack", transformerStack},
    {"ladder", ladder},
    {"shifted_chain", shiftedChain},
};

}  // namespace fuser::shapes
