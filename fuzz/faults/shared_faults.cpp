// Faults in how the threads of a block share memory. Barriers that lowering put are moved or lost; elements are read at
// another place, or two buffers share one.

#include <algorithm>

#include "fuser/kernel/shared_layout.h"
#include "fuzz/faults/fault_list.h"
#include "fuzz/faults/kernel_edit.h"

namespace fuser::fuzz::faults {
namespace {

bool isBarrier(const Statement& statement) {
  const Barrier* barrier = std::get_if<Barrier>(&statement.node);
  return barrier && !barrier->ofGrid();
}

// Calls `edit` with each load of an element in shared memory.
bool editLoads(Kernel& kernel, const std::function<bool(Access&)>& edit) {
  bool changed = editComputes(kernel, [&](Compute& compute) {
    bool edited = false;
    for (Operand& operand : compute.operands) {
      if (operand.kind != Operand::Kind::Access || !isShared(kernel, operand.access)) continue;
      edited |= edit(operand.access);
    }
    return edited;
  });
  forEachBody(kernel.body, [&](Body& body) {
    for (Statement& statement : body) {
      Move* move = std::get_if<Move>(&statement.node);
      if (move && isShared(kernel, move->source)) changed |= edit(move->source);
    }
  });
  return changed;
}

// The index with each stride one less.
IntExpr closerRows(IntExprArena& ints, IntExpr index) {
  if (index->op == IntOp::Add) return ints.add(closerRows(ints, index->a), closerRows(ints, index->b));
  if (index->op != IntOp::Mul) return index;
  const IntExpr factor = index->a->isConstant() ? index->a : index->b;
  const IntExpr other = factor == index->a ? index->b : index->a;
  if (!factor->isConstant() || factor->value < 2) return index;
  return ints.mul(other, ints.constant(factor->value - 1));
}

}  // namespace

bool readDenseRows(Kernel& kernel) {
  return editLoads(kernel, [&](Access& access) {
    const IntExpr before = access.index;
    access.index = closerRows(*kernel.ints, before);
    return access.index != before;
  });
}

bool dropSharedBarrier(Kernel& kernel) {
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    const auto end = std::remove_if(body.begin(), body.end(), isBarrier);
    changed |= end != body.end();
    body.erase(end, body.end());
  });
  return changed;
}

// store; barrier; load  ->  barrier; store; load
bool hastenSharedBarrier(Kernel& kernel) {
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    for (size_t i = 1; i < body.size(); ++i) {
      if (!isBarrier(body[i]) || isBarrier(body[i - 1]) || std::holds_alternative<Allocate>(body[i - 1].node)) continue;
      std::swap(body[i - 1], body[i]);
      changed = true;
    }
  });
  return changed;
}

// The first thread alone waits.
bool waitInOneBranch(Kernel& kernel) {
  IntExprArena& ints = *kernel.ints;
  IntExpr first = ints.constant(1);
  for (IntExpr thread : kernel.threadIdx) first = ints.conjunction(first, ints.equal(thread, ints.constant(0)));
  if (first->isConstant()) return false;
  return replaceStatements(kernel, [&](const Statement& statement) -> std::optional<Body> {
    if (!isBarrier(statement)) return std::nullopt;
    If branch;
    branch.condition = first;
    branch.body.push_back(statement);
    Body body;
    body.push_back({std::move(branch)});
    return body;
  });
}

// The first two buffers that are in use together lie at one place.
bool overlapShared(Kernel& kernel) {
  const SharedLives lives(kernel);
  for (Buffer& later : kernel.buffers) {
    if (later.offset < 0) continue;
    for (const Buffer& earlier : kernel.buffers) {
      const bool both = earlier.id < later.id && earlier.offset >= 0 && lives.together(earlier.id, later.id);
      if (!both || earlier.offset == later.offset) continue;
      later.offset = earlier.offset;
      return true;
    }
  }
  return false;
}

// Each load is of the next element; of the last one, the first.
bool readNextShared(Kernel& kernel) {
  IntExprArena& ints = *kernel.ints;
  return editLoads(kernel, [&](Access& access) {
    const IntExpr size = kernel.buffers.at(static_cast<size_t>(access.buffer)).size;
    const IntExpr next = ints.mod(ints.add(access.index, ints.constant(1)), size);
    const bool other = next != access.index;
    access.index = next;
    return other;
  });
}

// In the last turn of a loop, threads do not wait for each other.
bool dropBarrierOfLastTurn(Kernel& kernel) {
  IntExprArena& ints = *kernel.ints;
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    for (Statement& statement : body) {
      For* loop = std::get_if<For>(&statement.node);
      if (!loop) continue;
      const IntExpr isEarlier = ints.less(ints.add(loop->index, ints.constant(1)), loop->extent);
      for (Statement& inner : loop->body) {
        if (!isBarrier(inner)) continue;
        inner = Statement{If{isEarlier, {inner}}};
        changed = true;
      }
    }
  });
  return changed;
}

}  // namespace fuser::fuzz::faults
