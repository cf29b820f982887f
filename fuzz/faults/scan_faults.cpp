// Faults in scans: what a place has of the elements so far, and which they are.

#include "fuzz/faults/fault_list.h"
#include "fuzz/faults/kernel_edit.h"

namespace fuser::fuzz::faults {
namespace {

// The statement that joins an element to what a scan has so far; null: it is another.
Compute* joinOfScan(Statement& statement) {
  Compute* compute = std::get_if<Compute>(&statement.node);
  const bool isJoin = compute && compute->source && compute->source->family() == Family::Scan &&
                      compute->operands.size() == 2 && compute->operands[0].kind == Operand::Kind::Access &&
                      compute->operands[0].access.buffer == compute->target.buffer;
  return isJoin ? compute : nullptr;
}

bool hasScan(Body& body) {
  bool found = false;
  forEachBody(body, [&](Body& inner) {
    for (Statement& statement : inner) found |= joinOfScan(statement) != nullptr;
  });
  return found;
}

// Calls `edit` with the innermost loop around each scan.
bool editScans(Kernel& kernel, const std::function<bool(For&)>& edit) {
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    for (Statement& statement : body) {
      For* loop = std::get_if<For>(&statement.node);
      if (!loop || !hasScan(loop->body)) continue;
      const bool isInner = std::none_of(loop->body.begin(), loop->body.end(), [](Statement& inner) {
        For* deeper = std::get_if<For>(&inner.node);
        return deeper && hasScan(deeper->body);
      });
      if (isInner) changed |= edit(*loop);
    }
  });
  return changed;
}

OpKind otherScan(OpKind op) {
  switch (op) {
    case OpKind::Cumsum: return OpKind::Cumprod;
    case OpKind::Cumprod: return OpKind::Cumsum;
    case OpKind::Cummax: return OpKind::Cummin;
    default: return OpKind::Cummax;
  }
}

}  // namespace

bool scanOfAnotherKind(Fusion& part) {
  bool applied = false;
  const std::vector<Expr*> exprs = part.exprs();
  for (Expr* scan : exprs) {
    if (scan->family() != Family::Scan) continue;
    const OpKind other = otherScan(scan->op());
    const std::vector<Val*> inputs = scan->inputs(), outputs = scan->outputs();
    Attributes attributes = scan->attributes();
    part.removeExpr(scan);
    part.newExpr(other, inputs, outputs, std::move(attributes));
    applied = true;
  }
  return applied;
}

// Each place has what came before it alone.
bool excludeOwnElement(Kernel& kernel) {
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    for (size_t i = 0; i + 1 < body.size(); ++i) {
      const Statement& store = body[i + 1];
      const bool stores = std::holds_alternative<Compute>(store.node) || std::holds_alternative<Move>(store.node);
      if (!joinOfScan(body[i]) || !stores) continue;
      std::swap(body[i], body[i + 1]);
      changed = true;
      ++i;
    }
  });
  return changed;
}

// The elements are read from the end.
bool scanBackwards(Kernel& kernel) {
  IntExprArena& ints = *kernel.ints;
  return editScans(kernel, [&](For& loop) {
    const IntExpr back = ints.sub(ints.sub(loop.extent, ints.constant(1)), loop.index);
    return editReads(loop.body, [&](Access& access) {
      if (!isGlobal(kernel, access)) return false;
      const IntExpr before = access.index;
      access.index = substitute(kernel, before, loop.index, back);
      return access.index != before;
    });
  });
}

// Every 16 places what a scan has so far is its first element again: as if blocks did not look back.
bool forgetFormerBlocks(Kernel& kernel) {
  IntExprArena& ints = *kernel.ints;
  return editScans(kernel, [&](For& loop) {
    bool changed = false;
    forEachBody(loop.body, [&](Body& body) {
      Body edited;
      for (Statement& statement : body) {
        Compute* join = joinOfScan(statement);
        if (!join) {
          edited.push_back(std::move(statement));
          continue;
        }
        const IntExpr isFirst = ints.equal(ints.mod(loop.index, ints.constant(16)), ints.constant(0));
        Statement anew = computeOf(OpKind::Set, join->computeDtype, join->target, {join->operands[1]}, join->source);
        edited.push_back({If{ints.equal(isFirst, ints.constant(0)), {statement}}});
        edited.push_back({If{isFirst, {std::move(anew)}}});
        changed = true;
      }
      body = std::move(edited);
    });
    return changed;
  });
}

}  // namespace fuser::fuzz::faults
