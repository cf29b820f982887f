// Faults in the reductions of a kernel.

#include <algorithm>

#include "fuzz/faults/fault_list.h"
#include "fuzz/faults/kernel_edit.h"

namespace fuser::fuzz::faults {
namespace {

// Changes the value that reductions of these ops start from.
bool changeIdentity(Kernel& kernel, const std::function<std::optional<double>(OpKind)>& startOf) {
  return editComputes(kernel, [&](Compute& compute) {
    if (!isInit(compute)) return false;
    const std::optional<double> start = startOf(compute.source->op());
    if (!start) return false;
    const ScalarValue value =
        isFloating(compute.computeDtype) ? ScalarValue(*start) : ScalarValue(static_cast<int64_t>(*start));
    if (compute.operands[0].literal == value) return false;
    compute.operands[0].literal = value;
    return true;
  });
}

// The accumulating statement inside, under conditions but in no further loop.
const Statement* accumulation(const Body& body) {
  for (const Statement& statement : body) {
    const Compute* compute = std::get_if<Compute>(&statement.node);
    if (compute && isAccumulate(*compute)) return &statement;
    const If* guarded = std::get_if<If>(&statement.node);
    if (!guarded) continue;
    if (const Statement* inner = accumulation(guarded->body)) return inner;
  }
  return nullptr;
}

bool insertAfterAccumulation(Body& body, const Body& added) {
  for (size_t i = 0; i < body.size(); ++i) {
    const Compute* compute = std::get_if<Compute>(&body[i].node);
    if (compute && isAccumulate(*compute)) {
      body.insert(body.begin() + static_cast<std::ptrdiff_t>(i) + 1, added.begin(), added.end());
      return true;
    }
    If* guarded = std::get_if<If>(&body[i].node);
    if (guarded && insertAfterAccumulation(guarded->body, added)) return true;
  }
  return false;
}

}  // namespace

bool dropInit(Kernel& kernel) {
  return replaceStatements(kernel, [](const Statement& statement) -> std::optional<Body> {
    const Compute* compute = std::get_if<Compute>(&statement.node);
    return compute && isInit(*compute) ? std::optional<Body>(Body{}) : std::nullopt;
  });
}

bool wrongSumIdentity(Kernel& kernel) {
  return changeIdentity(kernel, [](OpKind op) -> std::optional<double> {
    if (op == OpKind::Sum) return 1;
    if (op == OpKind::Prod) return 0;
    return std::nullopt;
  });
}

bool wrongMaxIdentity(Kernel& kernel) {
  return changeIdentity(kernel, [](OpKind op) -> std::optional<double> {
    if (op == OpKind::Amax || op == OpKind::Amin) return 0;
    return std::nullopt;
  });
}

bool accumulateTwice(Kernel& kernel) {
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    for (Statement& statement : body) {
      For* loop = std::get_if<For>(&statement.node);
      const Statement* once = loop ? accumulation(loop->body) : nullptr;
      if (!once) continue;
      If first;
      first.condition = kernel.ints->equal(loop->index, kernel.ints->constant(0));
      first.body.push_back(*once);
      changed |= insertAfterAccumulation(loop->body, {Statement{std::move(first)}});
    }
  });
  return changed;
}

bool accumulateNarrow(Kernel& kernel) {
  return replaceStatements(kernel, [&](const Statement& statement) -> std::optional<Body> {
    const Compute* compute = std::get_if<Compute>(&statement.node);
    if (!compute || !isAccumulate(*compute)) return std::nullopt;
    const DataType narrow = compute->source->output()->dtype();
    if (narrow == compute->computeDtype) return std::nullopt;
    Body body{statement};
    const Access rounded = newRegister(kernel, narrow, body);
    body.push_back(computeOf(OpKind::Set, narrow, rounded, {operandAt(compute->target)}, compute->source));
    body.push_back(
        computeOf(OpKind::Set, compute->computeDtype, compute->target, {operandAt(rounded)}, compute->source));
    return body;
  });
}

bool dropBlockReduce(Kernel& kernel) {
  return replaceStatements(kernel, [](const Statement& statement) -> std::optional<Body> {
    return std::holds_alternative<BlockReduce>(statement.node) ? std::optional<Body>(Body{}) : std::nullopt;
  });
}

bool wrongCorrection(Kernel& kernel) {
  IntExprArena& ints = *kernel.ints;
  return editComputes(kernel, [&](Compute& compute) {
    const bool divides = compute.source && isWelford(compute.source->op()) && compute.op == OpKind::Div &&
                         compute.operands[0].kind == Operand::Kind::Access &&
                         compute.operands[1].kind == Operand::Kind::Int;
    const int64_t correction = divides ? compute.source->attributes().correction() : 0;
    if (correction == 0) return false;
    compute.operands[1].integer = ints.add(compute.operands[1].integer, ints.constant(correction));
    return true;
  });
}

bool mergeCountsWrong(Kernel& kernel) {
  return replaceStatements(kernel, [](const Statement& statement) -> std::optional<Body> {
    const BlockWelford* join = std::get_if<BlockWelford>(&statement.node);
    if (!join) return std::nullopt;
    Statement one = computeOf(OpKind::Set, DataType::Int64, join->count, {literalOperand(ScalarValue(int64_t{1}))},
                              join->sourceExpr);
    return Body{std::move(one), statement};
  });
}

// squares += d * d in the place of squares += d * (x - mean).
bool squareDistance(Kernel& kernel) {
  return editComputes(kernel, [](Compute& compute) {
    const bool product = compute.source && isWelford(compute.source->op()) && compute.op == OpKind::Mul;
    if (!product) return false;
    compute.operands[1] = compute.operands[0];
    return true;
  });
}

// Lowering leaves block reductions whole. Here they are written out: each thread stores its part in shared memory, and
// reads the others' where a barrier should stand before:
//   t = A[0]; S[thread] = t; (barrier) A[0] = S[0]; for k < n - 1 { A[0] = combine(A[0], S[k + 1]) }
bool dropBarrier(Kernel& kernel) {
  IntExprArena& ints = *kernel.ints;
  return replaceStatements(kernel, [&](const Statement& statement) -> std::optional<Body> {
    const BlockReduce* reduce = std::get_if<BlockReduce>(&statement.node);
    if (!reduce) return std::nullopt;
    int64_t threads = 1;
    IntExpr thread = ints.constant(0);
    for (size_t dim = 3; dim-- > 0;) {
      if (!reduce->dims[dim] && kernel.blockDim[dim] > 1) return std::nullopt;  // several reductions side by side
      threads *= kernel.blockDim[dim];
      thread = ints.add(ints.mul(thread, ints.constant(kernel.blockDim[dim])), kernel.threadIdx[dim]);
    }
    if (threads < 2) return std::nullopt;
    Body body;
    const int shared = newRegister(kernel, reduce->dtype, body).buffer;
    kernel.buffers[static_cast<size_t>(shared)].memory = MemoryType::Shared;
    kernel.buffers[static_cast<size_t>(shared)].size = ints.constant(threads);
    body.push_back({Move{{shared, thread}, reduce->source, 1}});
    body.push_back({Move{reduce->target, {shared, ints.constant(0)}, 1}});
    For loop;
    loop.extent = ints.constant(threads - 1);
    loop.index = ints.index(concat("k", shared), loop.extent);
    const Access other{shared, ints.add(loop.index, ints.constant(1))};
    loop.body.push_back(computeOf(reduce->combine, reduce->dtype, reduce->target,
                                  {operandAt(reduce->target), operandAt(other)}, reduce->sourceExpr));
    if (threads == 2) {
      body.push_back(computeOf(reduce->combine, reduce->dtype, reduce->target,
                               {operandAt(reduce->target), operandAt({shared, ints.constant(1)})}, reduce->sourceExpr));
    } else {
      body.push_back({std::move(loop)});
    }
    return body;
  });
}

}  // namespace fuser::fuzz::faults
