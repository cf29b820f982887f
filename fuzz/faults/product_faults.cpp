// Faults in reductions over pairs: the sums that a thread keeps beside each other, what it holds of either side, and
// the tiles of one turn after the other in shared memory.

#include <algorithm>

#include "fuzz/faults/fault_list.h"
#include "fuzz/faults/kernel_edit.h"

namespace fuser::fuzz::faults {
namespace {

bool isSharedBarrier(const Statement& statement) {
  const Barrier* barrier = std::get_if<Barrier>(&statement.node);
  return barrier && !barrier->ofGrid();
}

// A loop whose threads wait for each other in each turn.
bool hasTurns(const For& loop) { return std::any_of(loop.body.begin(), loop.body.end(), isSharedBarrier); }

// Calls `edit` with each such loop.
bool editTurns(Kernel& kernel, const std::function<bool(For&)>& edit) {
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    for (Statement& statement : body) {
      For* loop = std::get_if<For>(&statement.node);
      if (loop && hasTurns(*loop)) changed |= edit(*loop);
    }
  });
  return changed;
}

bool isLocalArray(const Kernel& kernel, const Operand& operand) {
  if (operand.kind != Operand::Kind::Access) return false;
  const Buffer& buffer = kernel.buffers.at(static_cast<size_t>(operand.access.buffer));
  return buffer.memory == MemoryType::Local && !buffer.size->isConstant(1);
}

// Calls `edit` with the operands of what pairs two register arrays.
bool editPairs(Kernel& kernel, const std::function<bool(Operand&, Operand&)>& edit) {
  return editComputes(kernel, [&](Compute& compute) {
    if (isAccumulate(compute) || compute.operands.size() != 2) return false;
    Operand &a = compute.operands[0], &b = compute.operands[1];
    return isLocalArray(kernel, a) && isLocalArray(kernel, b) && edit(a, b);
  });
}

// What the statement, or the loop that it is, gives the register of a reduction to begin with.
bool begins(const Statement& statement) {
  if (const Compute* compute = std::get_if<Compute>(&statement.node)) return isInit(*compute);
  const For* loop = std::get_if<For>(&statement.node);
  return loop && !loop->body.empty() && std::all_of(loop->body.begin(), loop->body.end(), begins);
}

}  // namespace

// Of the sums that a thread keeps, the terms of all go to the first.
bool addToFirstSum(Kernel& kernel) {
  return editComputes(kernel, [&](Compute& compute) {
    if (!isAccumulate(compute) || compute.target.index->isConstant(0)) return false;
    const Buffer& buffer = kernel.buffers.at(static_cast<size_t>(compute.target.buffer));
    if (buffer.memory != MemoryType::Local) return false;
    compute.target.index = kernel.ints->constant(0);
    compute.operands[0].access.index = compute.target.index;
    return true;
  });
}

// The sums begin again in each turn of the loop over tiles.
bool beginInEachTurn(Kernel& kernel) {
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    Body first;
    for (Statement& statement : body) {
      if (begins(statement)) first.push_back(statement);
      For* loop = std::get_if<For>(&statement.node);
      if (!loop || !hasTurns(*loop) || first.empty()) continue;
      loop->body.insert(loop->body.begin(), first.begin(), first.end());
      changed = true;
    }
  });
  return changed;
}

// Each turn loads what the first one does. Its conditions stay.
bool loadFirstTile(Kernel& kernel) {
  return editTurns(kernel, [&](For& loop) {
    bool changed = false;
    forEachBody(loop.body, [&](Body& body) {
      for (Statement& statement : body) {
        Move* move = std::get_if<Move>(&statement.node);
        if (!move || !isGlobal(kernel, move->source)) continue;
        const IntExpr first = substitute(kernel, move->source.index, loop.index, kernel.ints->constant(0));
        changed |= first != move->source.index;
        move->source.index = first;
      }
    });
    return changed;
  });
}

// The tile that the first turn stores is kept in those behind it.
bool keepFirstTile(Kernel& kernel) {
  IntExprArena& ints = *kernel.ints;
  return editTurns(kernel, [&](For& loop) {
    bool changed = false;
    forEachBody(loop.body, [&](Body& body) {
      for (Statement& statement : body) {
        const Move* move = std::get_if<Move>(&statement.node);
        if (!move || !isShared(kernel, move->target)) continue;
        statement = Statement{If{ints.equal(loop.index, ints.constant(0)), {statement}}};
        changed = true;
      }
    });
    return changed;
  });
}

// What a thread holds of one side in the first place is paired with all of the other side.
bool pairFirstHeld(Kernel& kernel) {
  return editPairs(kernel, [&](Operand&, Operand& b) {
    if (b.access.index->isConstant(0)) return false;
    b.access.index = kernel.ints->constant(0);
    return true;
  });
}

// The places of what a thread holds of the two sides are exchanged.
bool exchangeHeld(Kernel& kernel) {
  return editPairs(kernel, [&](Operand& a, Operand& b) {
    const Buffer& mine = kernel.buffers.at(static_cast<size_t>(a.access.buffer));
    const Buffer& theirs = kernel.buffers.at(static_cast<size_t>(b.access.buffer));
    if (mine.size != theirs.size || a.access.index == b.access.index) return false;
    std::swap(a.access.index, b.access.index);
    return true;
  });
}

// Of a tile, a thread reads what the thread at its row and column exchanged should.
bool exchangeThreads(Kernel& kernel) {
  if (kernel.blockDim[0] != kernel.blockDim[1] || kernel.blockDim[0] == 1) return false;
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    for (Statement& statement : body) {
      Move* move = std::get_if<Move>(&statement.node);
      if (!move || !isShared(kernel, move->source)) continue;
      const IntExpr before = move->source.index;
      move->source.index = kernel.ints->import(before, [&](IntExpr each) {
        return each == kernel.threadIdx[0]   ? kernel.threadIdx[1]
               : each == kernel.threadIdx[1] ? kernel.threadIdx[0]
                                             : each;
      });
      changed |= move->source.index != before;
    }
  });
  return changed;
}

}  // namespace fuser::fuzz::faults
