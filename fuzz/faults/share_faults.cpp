// Faults in what threads and blocks share of a tensor: the bounds of its axes, axes that are merged, the parts of one
// reduction, and the terms of several reductions in one loop.

#include <algorithm>

#include "fuzz/faults/fault_list.h"
#include "fuzz/faults/kernel_edit.h"

namespace fuser::fuzz::faults {
namespace {

bool storesTensor(const Kernel& kernel, Body& body) {
  bool found = false;
  forEachBody(body, [&](Body& inner) {
    for (const Statement& statement : inner) {
      const Move* move = std::get_if<Move>(&statement.node);
      const Compute* compute = std::get_if<Compute>(&statement.node);
      const Access* target = move ? &move->target : compute ? &compute->target : nullptr;
      found |= target && kernel.buffers.at(static_cast<size_t>(target->buffer)).tensor >= 0;
    }
  });
  return found;
}

// The block's index, if the condition is that it is the first one.
IntExpr firstOfBlocks(const Kernel& kernel, IntExpr condition) {
  for (IntExpr block : kernel.blockIdx) {
    if (!block->isConstant() && condition == kernel.ints->equal(block, kernel.ints->constant(0))) return block;
  }
  return nullptr;
}

// Calls `edit` with each condition under which tensors are stored.
bool editStoreConditions(Kernel& kernel, const std::function<IntExpr(IntExpr)>& edit) {
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    for (Statement& statement : body) {
      If* branch = std::get_if<If>(&statement.node);
      if (!branch || !storesTensor(kernel, branch->body)) continue;
      const IntExpr before = branch->condition;
      branch->condition = edit(before);
      changed |= branch->condition != before;
    }
  });
  return changed;
}

}  // namespace

// if (i < n && j < m)  ->  if (i < m && j < n)
bool exchangeBounds(Kernel& kernel) {
  IntExprArena& ints = *kernel.ints;
  return editStoreConditions(kernel, [&](IntExpr condition) {
    std::vector<IntExpr> parts = partsOf(condition);
    std::vector<size_t> bounds;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (parts[i]->op == IntOp::Less) bounds.push_back(i);
    }
    if (bounds.size() < 2) return condition;
    IntExpr &one = parts[bounds[0]], &other = parts[bounds[1]];
    const IntExpr first = ints.less(one->a, other->b), second = ints.less(other->a, one->b);
    one = first;
    other = second;
    IntExpr result = ints.constant(1);
    for (IntExpr part : parts) result = ints.conjunction(result, part);
    return result;
  });
}

// Not the first alone of the blocks that share a reduction stores its result.
bool storeByEachPart(Kernel& kernel) {
  return editStoreConditions(kernel, [&](IntExpr condition) {
    return withoutParts(*kernel.ints, condition, [&](IntExpr part) { return firstOfBlocks(kernel, part) != nullptr; });
  });
}

// Each of the blocks that share a reduction loads the terms of the first.
bool loadFirstPart(Kernel& kernel) {
  std::vector<IntExpr> shared;
  editStoreConditions(kernel, [&](IntExpr condition) {
    for (IntExpr part : partsOf(condition)) {
      if (const IntExpr block = firstOfBlocks(kernel, part)) shared.push_back(block);
    }
    return condition;
  });
  return editReads(kernel.body, [&](Access& access) {
    if (kernel.buffers.at(static_cast<size_t>(access.buffer)).tensor < 0) return false;
    const IntExpr before = access.index;
    for (IntExpr block : shared) access.index = substitute(kernel, access.index, block, kernel.ints->constant(0));
    return access.index != before;
  });
}

// x // n is x % n, and the other way round, where a load takes a merged axis apart.
bool exchangeMerged(Kernel& kernel) {
  IntExprArena& ints = *kernel.ints;
  return editReads(kernel.body, [&](Access& access) {
    if (!isGlobal(kernel, access)) return false;
    const IntExpr before = access.index;
    access.index = rewritten(ints, before, [&](IntExpr expr) -> IntExpr {
      const bool takesApart = expr->op == IntOp::FloorDiv || expr->op == IntOp::Mod;
      if (!takesApart || expr->b->isConstant()) return nullptr;
      return expr->op == IntOp::FloorDiv ? ints.mod(expr->a, expr->b) : ints.floorDiv(expr->a, expr->b);
    });
    return access.index != before;
  });
}

// Of two reductions in one loop, each gets the terms of the other.
bool exchangeTerms(Kernel& kernel) {
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    Compute* first = nullptr;
    for (Statement& statement : body) {
      Compute* second = std::get_if<Compute>(&statement.node);
      if (!second || !isAccumulate(*second)) continue;
      const bool pairs = first && first->op == second->op && first->computeDtype == second->computeDtype &&
                         first->target.buffer != second->target.buffer;
      if (!pairs) {
        first = second;
        continue;
      }
      const Operand &a = first->operands[1], &b = second->operands[1];
      const bool same = a.kind == Operand::Kind::Access && b.kind == Operand::Kind::Access &&
                        a.access.buffer == b.access.buffer && a.access.index == b.access.index;
      if (a.kind == Operand::Kind::Access && b.kind == Operand::Kind::Access && !same) {
        std::swap(first->operands[1], second->operands[1]);
        changed = true;
      }
      first = nullptr;
    }
  });
  return changed;
}

}  // namespace fuser::fuzz::faults
