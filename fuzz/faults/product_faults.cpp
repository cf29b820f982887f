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

// Calls `edit` with each load of a tensor into a register, in kernels that have such loops.
bool editTileLoads(Kernel& kernel, const std::function<IntExpr(IntExpr)>& edit) {
  if (!editTurns(kernel, [](For&) { return true; })) return false;
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    for (Statement& statement : body) {
      Move* move = std::get_if<Move>(&statement.node);
      if (!move || !isGlobal(kernel, move->source) || !isLocal(kernel, move->target)) continue;
      const IntExpr before = move->source.index;
      move->source.index = edit(before);
      changed |= move->source.index != before;
    }
  });
  return changed;
}

// Calls `edit` with each loop over the terms of a tile: those in a turn that are not unrolled.
bool editTermLoops(Kernel& kernel, const std::function<bool(const For& turns, For& terms)>& edit) {
  return editTurns(kernel, [&](For& turns) {
    bool changed = false;
    forEachBody(turns.body, [&](Body& body) {
      for (Statement& statement : body) {
        For* loop = std::get_if<For>(&statement.node);
        if (loop && !loop->unroll) changed |= edit(turns, *loop);
      }
    });
    return changed;
  });
}

// The local buffers of the results that the loop adds terms to.
std::vector<int> sumsIn(const Kernel& kernel, For& loop) {
  std::vector<int> sums;
  forEachBody(loop.body, [&](Body& body) {
    for (const Statement& statement : body) {
      const Compute* compute = std::get_if<Compute>(&statement.node);
      if (compute && isAccumulate(*compute) && isLocal(kernel, compute->target)) sums.push_back(compute->target.buffer);
    }
  });
  return sums;
}

bool hasBuffer(const std::vector<int>& buffers, const Operand& operand) {
  return operand.kind == Operand::Kind::Access &&
         std::find(buffers.begin(), buffers.end(), operand.access.buffer) != buffers.end();
}

// The op of the program that is applied to these buffers, or to copies of them, and to nothing else but numbers.
std::optional<Compute> appliedTo(std::vector<int> sums, Body& body) {
  std::optional<Compute> applied;
  forEachBody(body, [&](Body& inner) {
    for (const Statement& statement : inner) {
      const Move* move = std::get_if<Move>(&statement.node);
      if (move && hasBuffer(sums, operandAt(move->source))) sums.push_back(move->target.buffer);
      const Compute* compute = std::get_if<Compute>(&statement.node);
      if (!compute || applied || !isOwnOp(*compute) || opInfo(compute->op).result != Result::Same) continue;
      const auto isNumber = [](const Operand& each) { return each.kind == Operand::Kind::Literal; };
      const bool isOne = hasBuffer(sums, compute->operands[0]) &&
                         std::all_of(compute->operands.begin() + 1, compute->operands.end(), isNumber);
      if (isOne) applied = *compute;
    }
  });
  return applied;
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

// The last turn has as many terms as the others.
bool sumBeyondTheEnd(Kernel& kernel) {
  IntExprArena& ints = *kernel.ints;
  return editTermLoops(kernel, [&](const For& turns, For& terms) {
    bool changed = false;
    forEachBody(terms.body, [&](Body& body) {
      for (Statement& statement : body) {
        If* branch = std::get_if<If>(&statement.node);
        if (!branch) continue;
        const IntExpr before = branch->condition;
        branch->condition = withoutParts(
            ints, before, [&](IntExpr part) { return contains(part, turns.index) && contains(part, terms.index); });
        changed |= branch->condition != before;
      }
    });
    return changed;
  });
}

// (n + 15) // 16 turns are n // 16.
bool roundTurnsDown(Kernel& kernel) {
  IntExprArena& ints = *kernel.ints;
  return editTurns(kernel, [&](For& loop) {
    const IntExpr before = loop.extent;
    if (before->op != IntOp::FloorDiv || !before->b->isConstant()) return false;
    loop.extent = ints.floorDiv(ints.sub(before->a, ints.constant(before->b->value - 1)), before->b);
    return loop.extent != before;
  });
}

// A block loads the tile of the block at its row and column exchanged.
bool loadMirroredBlock(Kernel& kernel) {
  if (kernel.blockIdx[0]->isConstant() || kernel.blockIdx[1]->isConstant()) return false;
  return editTileLoads(kernel, [&](IntExpr index) {
    return exchanged(kernel, index, {{kernel.blockIdx[0], kernel.blockIdx[1]}});
  });
}

// Of the terms of a tile, the first is read for each.
bool readFirstTerm(Kernel& kernel) {
  return editTermLoops(kernel, [&](const For&, For& terms) {
    return editReads(terms.body, [&](Access& access) {
      if (!isShared(kernel, access)) return false;
      const IntExpr before = access.index;
      access.index = substitute(kernel, before, terms.index, kernel.ints->constant(0));
      return access.index != before;
    });
  });
}

// What is loaded ahead of one side goes into the tile of the other.
bool exchangeAhead(Kernel& kernel) {
  return editTurns(kernel, [&](For& turns) {
    std::vector<int> ahead;
    forEachBody(turns.body, [&](Body& body) {
      for (const Statement& statement : body) {
        const Move* move = std::get_if<Move>(&statement.node);
        if (move && isGlobal(kernel, move->source) && isLocal(kernel, move->target))
          ahead.push_back(move->target.buffer);
      }
    });
    if (ahead.size() < 2 || ahead[0] == ahead[1]) return false;
    const Buffer& one = kernel.buffers.at(static_cast<size_t>(ahead[0]));
    const Buffer& other = kernel.buffers.at(static_cast<size_t>(ahead[1]));
    if (one.dtype != other.dtype || one.size != other.size) return false;
    bool changed = false;
    forEachBody(turns.body, [&](Body& body) {
      for (Statement& statement : body) {
        Move* move = std::get_if<Move>(&statement.node);
        if (!move || !isLocal(kernel, move->target)) continue;
        int& from = move->source.buffer;
        if (from != ahead[0] && from != ahead[1]) continue;
        from = from == ahead[0] ? ahead[1] : ahead[0];
        changed = true;
      }
    });
    return changed;
  });
}

// Of the sums that a thread keeps, row and column are exchanged where they are read behind the turns.
bool transposeSums(Kernel& kernel) {
  std::vector<int> sums;
  editTurns(kernel, [&](For& loop) {
    for (int each : sumsIn(kernel, loop)) sums.push_back(each);
    return false;
  });
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    for (Statement& statement : body) {
      For* rows = std::get_if<For>(&statement.node);
      For* columns = rows && !rows->body.empty() ? std::get_if<For>(&rows->body.front().node) : nullptr;
      if (!columns || rows->extent != columns->extent) continue;
      changed |= editReads(columns->body, [&](Access& access) {
        if (!hasBuffer(sums, operandAt(access))) return false;
        const IntExpr before = access.index;
        access.index = exchanged(kernel, before, {{rows->index, columns->index}});
        return access.index != before;
      });
    }
  });
  return changed;
}

// What is applied to the sums behind the turns is applied to them at the end of each turn, too.
bool activateInEachTurn(Kernel& kernel) {
  IntExprArena& ints = *kernel.ints;
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    for (size_t i = 0; i + 1 < body.size(); ++i) {
      For* turns = std::get_if<For>(&body[i].node);
      if (!turns || !hasTurns(*turns)) continue;
      const std::vector<int> sums = sumsIn(kernel, *turns);
      if (sums.empty()) continue;
      Body behind(body.begin() + static_cast<std::ptrdiff_t>(i) + 1, body.end());
      const std::optional<Compute> applied = appliedTo(sums, behind);
      if (!applied) continue;
      const IntExpr size = kernel.buffers.at(static_cast<size_t>(sums.front())).size;
      Compute early = *applied;
      early.target = {sums.front(), ints.index("sum", size)};
      early.operands[0] = operandAt(early.target);
      Body each{{early}};
      if (!size->isConstant(1)) each = {{For{early.target.index, size, true, std::move(each), nullptr, {}}}};
      turns->body.insert(turns->body.end(), each.begin(), each.end());
      changed = true;
    }
  });
  return changed;
}

// Each product is rounded to the 16 bits of what is multiplied.
bool roundProducts(Kernel& kernel) {
  const auto input = std::find_if(kernel.tensors.begin(), kernel.tensors.end(), [&](const TensorParam& tensor) {
    const DataType dtype = kernel.buffers.at(static_cast<size_t>(tensor.buffer)).dtype;
    return !tensor.written && isFloating(dtype) && dtypeSize(dtype) == 2;
  });
  if (input == kernel.tensors.end()) return false;
  const DataType narrow = kernel.buffers.at(static_cast<size_t>(input->buffer)).dtype;
  std::vector<int> terms;
  editComputes(kernel, [&](Compute& compute) {
    if (isAccumulate(compute) && compute.operands[1].kind == Operand::Kind::Access)
      terms.push_back(compute.operands[1].access.buffer);
    return false;
  });
  return replaceComputes(kernel, [&](const Compute& compute, Steps& steps) -> std::optional<Body> {
    const DataType result = kernel.buffers.at(static_cast<size_t>(compute.target.buffer)).dtype;
    if (compute.op != OpKind::Mul || compute.computeDtype != DataType::Float || result != DataType::Float)
      return std::nullopt;
    if (!hasBuffer(terms, operandAt(compute.target))) return std::nullopt;
    const Operand product = steps.step(OpKind::Mul, DataType::Float, compute.operands);
    return steps.last(OpKind::Set, DataType::Float, {steps.step(OpKind::Set, narrow, {product})});
  });
}

// What is added to the sums behind the turns is loaded from the place at row and column exchanged.
bool loadMirroredBias(Kernel& kernel) {
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    bool isBehind = false;
    for (Statement& statement : body) {
      For* loop = std::get_if<For>(&statement.node);
      if (isBehind) {
        Body one{statement};
        changed |= editReads(one, [&](Access& access) {
          if (!isGlobal(kernel, access) || kernel.buffers[static_cast<size_t>(access.buffer)].tensor < 0) return false;
          const IntExpr before = access.index;
          access.index = exchanged(
              kernel, before, {{kernel.blockIdx[0], kernel.blockIdx[1]}, {kernel.threadIdx[0], kernel.threadIdx[1]}});
          return access.index != before;
        });
        statement = one.front();
      }
      isBehind |= loop && hasTurns(*loop);
    }
  });
  return changed;
}

}  // namespace fuser::fuzz::faults
