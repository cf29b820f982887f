// Faults in kernels whose blocks keep rows on chip: what a later pass reads, which threads store, where a row ends, and
// whose result a row reads.

#include <bit>

#include "fuzz/faults/fault_list.h"
#include "fuzz/faults/kernel_edit.h"
#include "fuzz/faults/rows_in_block.h"

namespace fuser::fuzz::faults {
namespace {

const Buffer& bufferOf(const Kernel& kernel, const Access& access) {
  return kernel.buffers.at(static_cast<size_t>(access.buffer));
}

// Changes where loads read what is kept of a row; `change` gets the buffer's size and the index.
bool changeKeptLoads(Kernel& kernel, const std::function<IntExpr(IntExprArena&, IntExpr, IntExpr)>& change) {
  const KeptRows rows(kernel);
  const auto edit = [&](Access& access) {
    const Buffer& buffer = bufferOf(kernel, access);
    if (!rows.isKept(buffer)) return false;
    const IntExpr before = access.index;
    access.index = change(*kernel.ints, buffer.size, before);
    return access.index != before;
  };
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    for (Statement& statement : body) {
      if (Move* move = std::get_if<Move>(&statement.node)) changed |= move->width == 1 && edit(move->source);
      Compute* compute = std::get_if<Compute>(&statement.node);
      if (!compute) continue;
      for (Operand& operand : compute->operands) {
        if (operand.kind == Operand::Kind::Access) changed |= edit(operand.access);
      }
    }
  });
  return changed;
}

// An index along a row that the block's threads and loops cover: its range ends before the row's bound.
std::optional<int64_t> rowBound(const Kernel& kernel, IntExpr index) {
  constexpr int64_t kShortest = 32, kLongest = int64_t{1} << 16;
  const int64_t bound = index->range.high + stepOf(index);  // of the last vector, if it counts vectors
  if (index->range.low != 0 || bound < kShortest || bound > kLongest) return std::nullopt;
  if (!std::has_single_bit(static_cast<uint64_t>(bound))) return std::nullopt;
  bool ofThreads = false, ofBlocks = false;
  kernel.ints->import(index, [&](IntExpr each) {
    for (size_t dim = 0; dim < 3; ++dim) {
      ofThreads |= each == kernel.threadIdx[dim];
      ofBlocks |= each == kernel.blockIdx[dim];
    }
    return each;
  });
  return ofThreads && !ofBlocks ? std::optional(bound) : std::nullopt;
}

IntExpr endBeforeBound(Kernel& kernel, IntExpr condition, bool& changed) {
  IntExprArena& ints = *kernel.ints;
  if (condition->op == IntOp::And) {
    const IntExpr a = endBeforeBound(kernel, condition->a, changed);
    return ints.conjunction(a, endBeforeBound(kernel, condition->b, changed));
  }
  if (condition->op != IntOp::Less) return condition;
  const std::optional<int64_t> bound = rowBound(kernel, condition->a);
  if (!bound) return condition;
  changed = true;
  return ints.conjunction(condition, ints.less(condition->a, ints.constant(*bound - stepOf(condition->a))));
}

// Whether a statement, or one inside it, stores to the buffer, and whether one loads from it.
struct Touched {
  bool stored = false, loaded = false;
};
Touched touchedIn(const Statement& statement, int buffer) {
  Touched touched;
  const auto store = [&](const Access& access) { touched.stored |= access.buffer == buffer; };
  const auto load = [&](const Access& access) { touched.loaded |= access.buffer == buffer; };
  const auto inside = [&](const Body& body) {
    for (const Statement& inner : body) {
      const Touched one = touchedIn(inner, buffer);
      touched.stored |= one.stored;
      touched.loaded |= one.loaded;
    }
  };
  if (const For* loop = std::get_if<For>(&statement.node)) inside(loop->body);
  if (const If* branch = std::get_if<If>(&statement.node)) inside(branch->body);
  if (const Shuffle* shuffle = std::get_if<Shuffle>(&statement.node)) {
    store(shuffle->target);
    load(shuffle->source);
  }
  if (const JoinWelford* join = std::get_if<JoinWelford>(&statement.node)) {
    for (const Access& access : {join->mean, join->squares, join->count}) store(access);
  }
  if (const Move* move = std::get_if<Move>(&statement.node)) {
    store(move->target);
    load(move->source);
  }
  if (const Compute* compute = std::get_if<Compute>(&statement.node)) {
    store(compute->target);
    for (const Operand& operand : compute->operands) {
      if (operand.kind == Operand::Kind::Access) load(operand.access);
    }
  }
  return touched;
}

// The dimension along which rows lie beside each other that a block reduces at once, each by threads of its own.
std::optional<size_t> dimensionOfRows(const Kernel& kernel, const Buffer& accumulator) {
  const bool isResult = accumulator.memory == MemoryType::Local && isOfReduction(accumulator);
  if (!isResult || !accumulator.size->isConstant(1)) return std::nullopt;
  const std::array<bool, 3> reduced = reducedThreads(accumulator.source);
  bool isOfThreads = false;
  for (size_t dim = 0; dim < 3; ++dim) isOfThreads |= reduced[dim] && kernel.blockDim[dim] > 1;
  for (size_t dim = 0; dim < 3; ++dim) {
    if (isOfThreads && !reduced[dim] && kernel.blockDim[dim] > 1) return dim;
  }
  return std::nullopt;
}

// barrier; if (first thread) { R = a } barrier; if (second row) { a = R }
Body handFirstRowOn(Kernel& kernel, Access accumulator, size_t rows) {
  IntExprArena& ints = *kernel.ints;
  Body body;
  const Access shared = newRegister(kernel, bufferOf(kernel, accumulator).dtype, body);
  kernel.buffers.back().memory = MemoryType::Shared;
  If first, second;
  first.condition = ints.constant(1);
  for (IntExpr thread : kernel.threadIdx)
    first.condition = ints.conjunction(first.condition, ints.equal(thread, ints.constant(0)));
  first.body.push_back({Move{shared, accumulator, 1}});
  second.condition = ints.equal(kernel.threadIdx[rows], ints.constant(1));
  second.body.push_back({Move{accumulator, shared, 1}});
  body.push_back({Barrier{}});
  body.push_back({std::move(first)});
  body.push_back({Barrier{}});
  body.push_back({std::move(second)});
  return body;
}

// Behind the last statement that stores the accumulator, of a body that all threads of the block run and that reads it
// later.
bool handFirstRowOn(Kernel& kernel, Body& body, int buffer, size_t rows) {
  std::optional<size_t> last;
  bool isRead = false;
  for (size_t i = 0; i < body.size(); ++i) {
    const Touched touched = touchedIn(body[i], buffer);
    if (touched.stored) last = i;
    isRead = touched.stored ? false : isRead || (last && touched.loaded);
  }
  if (!last) return false;
  if (!isRead) {
    For* loop = std::get_if<For>(&body[*last].node);
    return loop && handFirstRowOn(kernel, loop->body, buffer, rows);
  }
  Body exchange = handFirstRowOn(kernel, Access{buffer, kernel.ints->constant(0)}, rows);
  body.insert(body.begin() + static_cast<std::ptrdiff_t>(*last) + 1, exchange.begin(), exchange.end());
  return true;
}

}  // namespace

bool readTurnBefore(Kernel& kernel) {
  return changeKeptLoads(kernel, [](IntExprArena& ints, IntExpr, IntExpr index) {
    return ints.max(ints.sub(index, ints.constant(1)), ints.constant(0));
  });
}

bool readNextKept(Kernel& kernel) {
  return changeKeptLoads(kernel, [](IntExprArena& ints, IntExpr size, IntExpr index) {
    return ints.mod(ints.add(index, ints.constant(1)), size);
  });
}

// The last thread stores nothing.
bool keepBySomeThreads(Kernel& kernel) {
  IntExprArena& ints = *kernel.ints;
  IntExpr isLast = ints.constant(1);
  for (size_t dim = 0; dim < 3; ++dim)
    isLast = ints.conjunction(isLast, ints.equal(kernel.threadIdx[dim], ints.constant(kernel.blockDim[dim] - 1)));
  if (isLast->isConstant()) return false;
  const KeptRows rows(kernel);
  return replaceStatements(kernel, [&](const Statement& statement) -> std::optional<Body> {
    const Move* move = std::get_if<Move>(&statement.node);
    const Compute* compute = std::get_if<Compute>(&statement.node);
    if (!move && !compute) return std::nullopt;
    const Buffer& buffer = bufferOf(kernel, move ? move->target : compute->target);
    if (buffer.memory != MemoryType::Shared || !rows.isKept(buffer)) return std::nullopt;
    If others;
    others.condition = ints.less(isLast, ints.constant(1));
    others.body.push_back(statement);
    Body body;
    body.push_back({std::move(others)});
    return body;
  });
}

bool endRowBeforeBound(Kernel& kernel) {
  const KeptRows rows(kernel);
  if (!rows.in(MemoryType::Local) && !rows.in(MemoryType::Shared)) return false;
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    for (Statement& statement : body) {
      If* branch = std::get_if<If>(&statement.node);
      if (branch) branch->condition = endBeforeBound(kernel, branch->condition, changed);
    }
  });
  return changed;
}

bool readFirstRow(Kernel& kernel) {
  bool changed = false;
  const size_t count = kernel.buffers.size();
  for (size_t i = 0; i < count; ++i) {
    const std::optional<size_t> rows = dimensionOfRows(kernel, kernel.buffers[i]);
    if (rows) changed |= handFirstRowOn(kernel, kernel.body, static_cast<int>(i), *rows);
  }
  return changed;
}

// Of two computations of one value, the second is a copy of its first operand.
bool copyWhereRepeated(Kernel& kernel) {
  const auto isAgain = [](const Expr* expr) {
    for (const Expr* other : expr->output()->fusion().exprs()) {
      if (other == expr) return false;
      const bool same =
          other->op() == expr->op() && other->inputs() == expr->inputs() && other->attributes() == expr->attributes();
      if (same) return true;
    }
    return false;
  };
  return editComputes(kernel, [&](Compute& compute) {
    const bool computes = compute.source && compute.op != OpKind::Set && compute.op != OpKind::Cast &&
                          !isReduction(compute.source->op()) && !compute.operands.empty();
    if (!computes || compute.operands.front().kind != Operand::Kind::Access || !isAgain(compute.source)) return false;
    compute.op = OpKind::Cast;
    compute.operands.resize(1);
    compute.computeDtype = bufferOf(kernel, compute.target).dtype;
    return true;
  });
}

}  // namespace fuser::fuzz::faults
