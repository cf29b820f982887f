// Faults in how a tile turns around in shared memory, and in what surrounds it: coordinates that an index takes apart,
// the two conditions at a tile's edge, barriers of a loop's turns, partial results beside each other.

#include <algorithm>

#include "fuzz/faults/fault_list.h"
#include "fuzz/faults/kernel_edit.h"

namespace fuser::fuzz::faults {
namespace {

bool editSharedReads(Kernel& kernel, const ReplaceExpr& replace) {
  return editReads(kernel.body, [&](Access& access) {
    if (!isShared(kernel, access)) return false;
    const IntExpr before = access.index;
    access.index = rewritten(*kernel.ints, before, replace);
    return access.index != before;
  });
}

const Access* storedIn(const Statement& statement) {
  if (const Move* move = std::get_if<Move>(&statement.node)) return &move->target;
  const Compute* compute = std::get_if<Compute>(&statement.node);
  return compute ? &compute->target : nullptr;
}

bool isBlockIndex(const Kernel& kernel, IntExpr expr) {
  return std::find(kernel.blockIdx.begin(), kernel.blockIdx.end(), expr) != kernel.blockIdx.end();
}

bool isBlockBarrier(const Statement& statement) {
  const Barrier* barrier = std::get_if<Barrier>(&statement.node);
  return barrier && !barrier->ofGrid();
}

bool replaceConjunctions(Kernel& kernel, IntExpr (*with)(IntExpr both)) {
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    for (Statement& statement : body) {
      If* branch = std::get_if<If>(&statement.node);
      if (!branch || branch->condition->op != IntOp::And) continue;
      branch->condition = with(branch->condition);
      changed = true;
    }
  });
  return changed;
}

}  // namespace

// if (a && b)  ->  if (a)
bool dropSecondCondition(Kernel& kernel) {
  return replaceConjunctions(kernel, [](IntExpr both) { return both->a; });
}

// if (a && b)  ->  if (b)
bool dropFirstCondition(Kernel& kernel) {
  return replaceConjunctions(kernel, [](IntExpr both) { return both->b; });
}

// t % 32 is t // 32, and the other way round, where an element in shared memory is read.
bool swapThreadCoordinates(Kernel& kernel) {
  IntExprArena& ints = *kernel.ints;
  return editSharedReads(kernel, [&](IntExpr expr) -> IntExpr {
    const bool takesApart =
        (expr->op == IntOp::FloorDiv || expr->op == IntOp::Mod) && expr->b->isConstant() &&
        std::find(kernel.threadIdx.begin(), kernel.threadIdx.end(), expr->a) != kernel.threadIdx.end();
    if (!takesApart) return nullptr;
    return expr->op == IntOp::FloorDiv ? ints.mod(expr->a, expr->b) : ints.floorDiv(expr->a, expr->b);
  });
}

// Of x + x // 32, x is read: the padding of a quotient is left out.
bool readWithoutPadding(Kernel& kernel) {
  IntExprArena& ints = *kernel.ints;
  return editReads(kernel.body, [&](Access& access) {
    if (!isShared(kernel, access) || access.index->op != IntOp::Add) return false;
    const IntExpr before = access.index;
    access.index = rewritten(ints, before, [&](IntExpr expr) -> IntExpr {
      return expr->op == IntOp::FloorDiv ? ints.constant(0) : nullptr;
    });
    return access.index != before;
  });
}

// Of (i + j) % 32, j % 32 is read: a row is not shifted back.
bool readUnshifted(Kernel& kernel) {
  IntExprArena& ints = *kernel.ints;
  return editSharedReads(kernel, [&](IntExpr expr) -> IntExpr {
    if (expr->op != IntOp::Mod || expr->a->op != IntOp::Add) return nullptr;
    return ints.mod(expr->a->b, expr->b);
  });
}

// The threads of the first half store nothing in shared memory.
bool storeInHalfOfTheThreads(Kernel& kernel) {
  IntExprArena& ints = *kernel.ints;
  const auto first = std::max_element(kernel.blockDim.begin(), kernel.blockDim.end());
  if (*first < 2) return false;
  const IntExpr thread = kernel.threadIdx[static_cast<size_t>(first - kernel.blockDim.begin())];
  const std::vector<bool> partial = partialsOfThreads(kernel);
  return replaceStatements(kernel, [&](const Statement& statement) -> std::optional<Body> {
    const Access* stored = storedIn(statement);
    if (!stored || !isShared(kernel, *stored) || partial[static_cast<size_t>(stored->buffer)]) return std::nullopt;
    If branch;
    branch.condition = ints.less(thread, ints.constant(*first / 2));
    branch.body.push_back(statement);
    Body body;
    body.push_back({std::move(branch)});
    return body;
  });
}

// A vector load takes twice its elements.
bool doubleVectors(Kernel& kernel) {
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    for (Statement& statement : body) {
      Move* move = std::get_if<Move>(&statement.node);
      if (!move || move->width == 1 || move->width > 8) continue;
      move->width *= 2;
      changed = true;
    }
  });
  return changed;
}

// The barriers at the ends of a loop's turns are lost: the next turn stores over what this one still reads.
bool dropTurnBarrier(Kernel& kernel) {
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    for (Statement& statement : body) {
      For* loop = std::get_if<For>(&statement.node);
      if (!loop || loop->body.size() < 2 || !isBlockBarrier(loop->body.back())) continue;
      loop->body.pop_back();
      changed = true;
    }
  });
  return changed;
}

// blockIdx % n is blockIdx // n, and the other way round, where results are stored.
bool swapBlockCoordinates(Kernel& kernel) {
  IntExprArena& ints = *kernel.ints;
  bool changed = false;
  const auto swap = [&](Access& target) {
    if (!isGlobal(kernel, target)) return;
    const IntExpr before = target.index;
    target.index = rewritten(ints, before, [&](IntExpr expr) -> IntExpr {
      const bool takesApart = expr->op == IntOp::FloorDiv || expr->op == IntOp::Mod;
      if (!takesApart || !isBlockIndex(kernel, expr->a)) return nullptr;
      return expr->op == IntOp::FloorDiv ? ints.mod(expr->a, expr->b) : ints.floorDiv(expr->a, expr->b);
    });
    changed |= target.index != before;
  };
  forEachBody(kernel.body, [&](Body& body) {
    for (Statement& statement : body) {
      if (Move* move = std::get_if<Move>(&statement.node)) swap(move->target);
      if (Compute* compute = std::get_if<Compute>(&statement.node)) swap(compute->target);
    }
  });
  return changed;
}

// A block joins the partial results that lie beside its own ones.
bool joinNextColumn(Kernel& kernel) {
  IntExprArena& ints = *kernel.ints;
  return editComputes(kernel, [&](Compute& compute) {
    if (!isAccumulate(compute) || compute.operands.size() != 2) return false;
    Operand& other = compute.operands[1];
    if (other.kind != Operand::Kind::Access) return false;
    const Buffer& buffer = kernel.buffers.at(static_cast<size_t>(other.access.buffer));
    if (buffer.memory != MemoryType::Global || buffer.tensor >= 0) return false;
    const IntExpr next = ints.mod(ints.add(other.access.index, ints.constant(1)), buffer.size);
    const bool moved = next != other.access.index;
    other.access.index = next;
    return moved;
  });
}

}  // namespace fuser::fuzz::faults
