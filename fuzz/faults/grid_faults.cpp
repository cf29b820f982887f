// Faults in how blocks share memory and threads keep partial results: reductions over blocks, intermediates in global
// memory, semaphores, rFactor.

#include <algorithm>

#include "fuzz/faults/fault_list.h"
#include "fuzz/faults/kernel_edit.h"

namespace fuser::fuzz::faults {
namespace {

bool isWorkspace(const Kernel& kernel, const Access& access) {
  const Buffer& buffer = kernel.buffers.at(static_cast<size_t>(access.buffer));
  return buffer.memory == MemoryType::Global && buffer.tensor < 0;
}

bool isGridBarrier(const Statement& statement) {
  const Barrier* barrier = std::get_if<Barrier>(&statement.node);
  return barrier && barrier->ofGrid();
}

// Erases the statements for which `is` holds.
bool eraseWhere(Kernel& kernel, bool (*is)(const Statement&)) {
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) { changed |= std::erase_if(body, is) > 0; });
  return changed;
}

// Whether the statement joins a partial result that a block stored.
bool joinsBlock(const Kernel& kernel, const Statement& statement) {
  if (const JoinWelford* join = std::get_if<JoinWelford>(&statement.node)) return isWorkspace(kernel, join->otherCount);
  const Compute* compute = std::get_if<Compute>(&statement.node);
  return compute && isAccumulate(*compute) && compute->operands.size() == 2 &&
         compute->operands[1].kind == Operand::Kind::Access && isWorkspace(kernel, compute->operands[1].access);
}

// Calls `edit` with each loop over blocks that joins their partial results.
bool editJoinLoops(Kernel& kernel, const std::function<bool(For&)>& edit) {
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    for (Statement& statement : body) {
      For* loop = std::get_if<For>(&statement.node);
      if (loop && std::any_of(loop->body.begin(), loop->body.end(),
                              [&](const Statement& inner) { return joinsBlock(kernel, inner); })) {
        changed |= edit(*loop);
      }
    }
  });
  return changed;
}

// Whether the statement joins a partial result of the same thread: another element of its accumulator.
bool joinsOwn(const Statement& statement) {
  const auto apart = [](const Access& a, const Access& b) { return a.buffer == b.buffer && a.index != b.index; };
  if (const JoinWelford* join = std::get_if<JoinWelford>(&statement.node)) return apart(join->count, join->otherCount);
  const Compute* compute = std::get_if<Compute>(&statement.node);
  return compute && isAccumulate(*compute) && compute->operands.size() == 2 &&
         compute->operands[1].kind == Operand::Kind::Access && apart(compute->target, compute->operands[1].access);
}

bool isRelease(const Statement& statement) { return std::holds_alternative<Release>(statement.node); }

}  // namespace

bool dropGridBarrier(Kernel& kernel) { return eraseWhere(kernel, isGridBarrier); }

// store; barrier; load  ->  barrier; store; load
bool hastenGridBarrier(Kernel& kernel) {
  const auto stores = [&](const Statement& statement) {
    const If* branch = std::get_if<If>(&statement.node);
    const Move* move =
        std::get_if<Move>(branch && !branch->body.empty() ? &branch->body.front().node : &statement.node);
    return move && isWorkspace(kernel, move->target);
  };
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    for (auto barrier = body.begin(); barrier != body.end(); ++barrier) {
      if (!isGridBarrier(*barrier)) continue;
      const auto store = std::find_if(std::make_reverse_iterator(barrier), body.rend(), stores);
      if (store == body.rend()) continue;
      std::rotate(store.base() - 1, barrier, barrier + 1);
      changed = true;
    }
  });
  return changed;
}

// The threads of each block wait for each other, and not for other blocks.
bool weakenGridBarrier(Kernel& kernel) {
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    for (Statement& statement : body) {
      if (!isGridBarrier(statement)) continue;
      std::get<Barrier>(statement.node).semaphore = -1;
      changed = true;
    }
  });
  return changed;
}

bool losePartialOfABlock(Kernel& kernel) {
  return editJoinLoops(kernel, [&](For& loop) {
    loop.extent = kernel.ints->sub(loop.extent, kernel.ints->constant(1));
    return true;
  });
}

bool countFirstBlockAlone(Kernel& kernel) {
  return editJoinLoops(kernel, [&](For& loop) {
    bool changed = false;
    const auto first = [&](Access& access) {
      const IntExpr index = substitute(kernel, access.index, loop.index, kernel.ints->constant(0));
      changed |= index != access.index;
      access.index = index;
    };
    for (Statement& statement : loop.body) {
      if (JoinWelford* join = std::get_if<JoinWelford>(&statement.node)) {
        for (Access* part : {&join->otherMean, &join->otherSquares, &join->otherCount}) first(*part);
      } else if (joinsBlock(kernel, statement)) {
        first(std::get<Compute>(statement.node).operands[1].access);
      }
    }
    return changed;
  });
}

// The accumulators go on from the block's own partial result, which is among those of all blocks, too.
bool countOwnBlockTwice(Kernel& kernel) {
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    bool stored = false;
    for (size_t i = 0; i < body.size(); ++i) {
      const Move* store = std::get_if<Move>(&body[i].node);
      const If* branch = std::get_if<If>(&body[i].node);
      if (branch && !branch->body.empty()) store = std::get_if<Move>(&branch->body.front().node);
      stored |= store && isWorkspace(kernel, store->target);
      const Compute* compute = std::get_if<Compute>(&body[i].node);
      if (branch && !branch->body.empty()) compute = std::get_if<Compute>(&branch->body.front().node);
      if (!stored || !compute || !isInit(*compute)) continue;
      body.erase(body.begin() + static_cast<std::ptrdiff_t>(i--));
      changed = true;
    }
  });
  return changed;
}

// Each load of an intermediate in global memory is of the element before; of the first, the last.
bool readWorkspaceBefore(Kernel& kernel) {
  IntExprArena& ints = *kernel.ints;
  const auto before = [&](Access& access) {
    if (!isWorkspace(kernel, access)) return false;
    const IntExpr size = kernel.buffers.at(static_cast<size_t>(access.buffer)).size;
    const IntExpr index = ints.mod(ints.add(access.index, ints.sub(size, ints.constant(1))), size);
    const bool other = index != access.index;
    access.index = index;
    return other;
  };
  bool changed = editComputes(kernel, [&](Compute& compute) {
    bool edited = false;
    for (Operand& operand : compute.operands) {
      if (operand.kind == Operand::Kind::Access && !isAccumulate(compute)) edited |= before(operand.access);
    }
    return edited;
  });
  forEachBody(kernel.body, [&](Body& body) {
    for (Statement& statement : body) {
      if (Move* move = std::get_if<Move>(&statement.node)) changed |= before(move->source);
    }
  });
  return changed;
}

bool keepSemaphore(Kernel& kernel) { return eraseWhere(kernel, isRelease); }

LaunchFault poisonSemaphore() {
  return [](const Kernel& kernel, KernelArguments& arguments) {
    bool changed = false;
    for (size_t i = 0; i < kernel.workspaces.size(); ++i) {
      if (kernel.workspaces[i].kind != Workspace::Kind::Semaphore) continue;
      static_cast<int32*>(arguments.workspaces.at(i).data)[0] = 1;
      changed = true;
    }
    return changed;
  };
}

bool losePartialOfAThread(Kernel& kernel) {
  return replaceStatements(kernel, [](const Statement& statement) {
    return joinsOwn(statement) ? std::optional<Body>(Body{}) : std::nullopt;
  });
}

// Each partial result of a thread begins with what is no neutral element.
bool wrongPartialIdentity(Kernel& kernel) {
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    for (Statement& statement : body) {
      For* loop = std::get_if<For>(&statement.node);
      if (!loop) continue;
      for (Statement& inner : loop->body) {
        Compute* compute = std::get_if<Compute>(&inner.node);
        if (!compute || !isInit(*compute) || !isReduction(compute->source->op())) continue;
        const int64_t other = compute->source->op() == OpKind::Prod ? 0 : 1;
        ScalarValue& start = compute->operands[0].literal;
        if (compute->computeDtype == DataType::Bool) {
          start = ScalarValue(!start.as<bool>());
        } else {
          start = isFloating(compute->computeDtype) ? ScalarValue(static_cast<double>(other)) : ScalarValue(other);
        }
        changed = true;
      }
    }
  });
  return changed;
}

bool joinPartialOfAThreadTwice(Kernel& kernel) {
  return replaceStatements(kernel, [](const Statement& statement) {
    return joinsOwn(statement) ? std::optional<Body>(Body{statement, statement}) : std::nullopt;
  });
}

// What each block stores for the others goes where the first one stores it.
bool storeAtFirstBlocksPlace(Kernel& kernel) {
  bool changed = false;
  const auto move = [&](Access& target) {
    if (!isWorkspace(kernel, target)) return;
    const IntExpr before = target.index;
    for (IntExpr block : kernel.blockIdx) {
      if (block->isConstant()) continue;
      target.index = substitute(kernel, target.index, block, kernel.ints->constant(0));
    }
    changed |= target.index != before;
  };
  forEachBody(kernel.body, [&](Body& body) {
    for (Statement& statement : body) {
      if (Move* each = std::get_if<Move>(&statement.node)) move(each->target);
      if (Compute* each = std::get_if<Compute>(&statement.node)) move(each->target);
    }
  });
  return changed;
}

}  // namespace fuser::fuzz::faults
