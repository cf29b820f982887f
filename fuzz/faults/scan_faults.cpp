// Faults in scans: what a place has of the elements so far, and which they are.

#include <algorithm>
#include <set>

#include "fuser/kernel/shared_layout.h"
#include "fuzz/faults/fault_list.h"
#include "fuzz/faults/kernel_edit.h"

namespace fuser::fuzz::faults {
namespace {

bool isOfScan(const Compute& compute) { return compute.source && compute.source->family() == Family::Scan; }

bool isBuffer(const Operand& operand, int buffer) {
  return operand.kind == Operand::Kind::Access && operand.access.buffer == buffer;
}

// Whether it joins something to what is in this buffer.
bool joinsInto(const Compute& compute, int buffer) {
  return isOfScan(compute) && compute.operands.size() == 2 && compute.target.buffer == buffer &&
         isBuffer(compute.operands[0], buffer);
}

bool joinsTo(const Body& body, int buffer) {
  bool found = false;
  forEachStatement(body, [&](const Statement& statement) {
    const Compute* compute = std::get_if<Compute>(&statement.node);
    found |= compute && joinsInto(*compute, buffer);
  });
  return found;
}

// The scans of a kernel whose lines are those of several threads: each joins what it has behind what others have.
class SharedLines {
 public:
  explicit SharedLines(const Kernel& kernel) {
    forEachStatement(kernel.body, [&](const Statement& statement) {
      const Compute* compute = std::get_if<Compute>(&statement.node);
      if (compute && isBehind(*compute)) scans_.insert(compute->source);
    });
  }
  bool has(const Expr* scan) const { return scans_.count(scan) != 0; }

  static bool isBehind(const Compute& compute) {
    return isOfScan(compute) && compute.operands.size() == 2 && isBuffer(compute.operands[1], compute.target.buffer) &&
           !isBuffer(compute.operands[0], compute.target.buffer);
  }

 private:
  std::set<const Expr*> scans_;  // look-ups only
};

// The statement that joins an element to what a thread has of a line; null: it is another.
Compute* joinOfScan(Statement& statement, const SharedLines& shared) {
  Compute* compute = std::get_if<Compute>(&statement.node);
  const bool isJoin = compute && !shared.has(compute->source) && joinsInto(*compute, compute->target.buffer);
  return isJoin ? compute : nullptr;
}

bool hasScan(Body& body, const SharedLines& shared) {
  bool found = false;
  forEachBody(body, [&](Body& inner) {
    for (Statement& statement : inner) found |= joinOfScan(statement, shared) != nullptr;
  });
  return found;
}

// Calls `edit` with the innermost loop around each scan.
bool editScans(Kernel& kernel, const SharedLines& shared, const std::function<bool(For&)>& edit) {
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    for (Statement& statement : body) {
      For* loop = std::get_if<For>(&statement.node);
      if (!loop || !hasScan(loop->body, shared)) continue;
      const bool isInner = std::none_of(loop->body.begin(), loop->body.end(), [&](Statement& inner) {
        For* deeper = std::get_if<For>(&inner.node);
        return deeper && hasScan(deeper->body, shared);
      });
      if (isInner) changed |= edit(*loop);
    }
  });
  return changed;
}

// What a scan has at a place, and what it had before.
struct ScanTotals {
  Operand own, former;
  std::vector<int> copies;  // registers that hold the own one

  bool isOne(const Operand& operand) const {
    return operand.kind == Operand::Kind::Access &&
           std::find(copies.begin(), copies.end(), operand.access.buffer) != copies.end();
  }
};

// Calls `edit` with what reads a scan's result behind it in the same body; a register keeps what it was before.
bool editScanReaders(Kernel& kernel, const std::function<bool(Compute& reader, const ScanTotals&)>& edit) {
  bool changed = false;
  const SharedLines shared(kernel);
  forEachBody(kernel.body, [&](Body& body) {
    for (size_t i = 0; i < body.size(); ++i) {
      const Compute* join = joinOfScan(body[i], shared);
      if (!join) continue;
      const Access total = join->target;
      Body before;
      ScanTotals totals;
      totals.own = operandAt(total);
      totals.former.kind = Operand::Kind::Access;
      totals.former.access = {static_cast<int>(kernel.buffers.size()), kernel.ints->constant(0)};
      totals.copies.push_back(total.buffer);
      bool edited = false;
      for (size_t j = i + 1; j < body.size(); ++j) {
        const Move* move = std::get_if<Move>(&body[j].node);
        if (move && move->source.buffer == total.buffer && isLocal(kernel, move->target))
          totals.copies.push_back(move->target.buffer);
        Compute* compute = std::get_if<Compute>(&body[j].node);
        if (!compute || !isOwnOp(*compute)) continue;
        const auto isOne = [&](const Operand& operand) { return totals.isOne(operand); };
        if (std::any_of(compute->operands.begin(), compute->operands.end(), isOne)) edited |= edit(*compute, totals);
      }
      if (!edited) continue;
      const Access former = newRegister(kernel, kernel.buffers.at(static_cast<size_t>(total.buffer)).dtype, before);
      before.push_back({Move{former, total, 1}});
      body.insert(body.begin() + static_cast<std::ptrdiff_t>(i), before.begin(), before.end());
      i += before.size();
      changed = true;
    }
  });
  return changed;
}

// The statement by which a block joins what another one has of its line; null: it is another.
const If* joinOfBlock(const Kernel& kernel, const Statement& statement) {
  const If* guarded = std::get_if<If>(&statement.node);
  const Compute* join = guarded ? std::get_if<Compute>(&guarded->body.front().node) : nullptr;
  if (!join || !joinsInto(*join, join->target.buffer)) return nullptr;
  const Operand& total = join->operands[1];
  if (total.kind != Operand::Kind::Access || !isGlobal(kernel, total.access)) return nullptr;
  return kernel.buffers[static_cast<size_t>(total.access.buffer)].tensor < 0 ? guarded : nullptr;
}

// x < y becomes x < y + 1, in all parts of a condition.
IntExpr withOneMore(IntExprArena& ints, IntExpr condition) {
  if (condition->op == IntOp::And)
    return ints.conjunction(withOneMore(ints, condition->a), withOneMore(ints, condition->b));
  if (condition->op != IntOp::Less) return condition;
  return ints.less(condition->a, ints.add(condition->b, ints.constant(1)));
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

// Along an axis of one element, or of one that stands for all, results have other axes.
bool scanAnotherAxis(Fusion& fusion) {
  bool applied = false;
  for (Expr* scan : std::vector<Expr*>(fusion.exprs())) {
    if (scan->family() != Family::Scan) continue;
    const std::vector<IterDomain*> axes = scan->input(0)->as<TensorView>()->axes();
    const auto dim = static_cast<size_t>(scan->attributes().dim()), next = (dim + 1) % axes.size();
    if (next == dim || axes[dim]->isBroadcast() || axes[next]->isBroadcast()) continue;
    const OpKind op = scan->op();
    const std::vector<Val*> inputs = scan->inputs(), outputs = scan->outputs();
    fusion.removeExpr(scan);
    fusion.newExpr(op, inputs, outputs, Attributes().dim(static_cast<int64_t>(next)));
    applied = true;
  }
  return applied;
}

// Each place has what came before it alone.
bool excludeOwnElement(Kernel& kernel) {
  bool changed = false;
  const SharedLines shared(kernel);
  forEachBody(kernel.body, [&](Body& body) {
    for (size_t i = 0; i + 1 < body.size(); ++i) {
      const Statement& store = body[i + 1];
      const bool stores = std::holds_alternative<Compute>(store.node) || std::holds_alternative<Move>(store.node);
      if (!joinOfScan(body[i], shared) || !stores) continue;
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
  return editScans(kernel, SharedLines(kernel), [&](For& loop) {
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
  const SharedLines shared(kernel);
  return editScans(kernel, shared, [&](For& loop) {
    bool changed = false;
    forEachBody(loop.body, [&](Body& body) {
      Body edited;
      for (Statement& statement : body) {
        Compute* join = joinOfScan(statement, shared);
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

// A sum begins with 1, the others with 0.
bool wrongScanIdentity(Kernel& kernel) {
  return editComputes(kernel, [](Compute& compute) {
    const bool begins = compute.source && compute.source->family() == Family::Scan && compute.op == OpKind::Set &&
                        compute.operands[0].kind == Operand::Kind::Literal;
    if (!begins) return false;
    const int64_t other = compute.source->op() == OpKind::Cumsum ? 1 : 0;
    const ScalarValue start =
        isFloating(compute.computeDtype) ? ScalarValue(static_cast<double>(other)) : ScalarValue(other);
    if (compute.computeDtype == DataType::Bool || compute.operands[0].literal == start) return false;
    compute.operands[0].literal = start;
    return true;
  });
}

// What a scan has so far is rounded to its result's 16 bits.
bool roundEachScanned(Kernel& kernel) {
  const SharedLines shared(kernel);
  return replaceStatements(kernel, [&](const Statement& statement) -> std::optional<Body> {
    Statement copy = statement;
    const Compute* join = joinOfScan(copy, shared);
    const DataType narrow = join ? join->source->output()->dtype() : DataType::Float;
    if (!join || narrow == join->computeDtype) return std::nullopt;
    Body body{statement};
    const Access rounded = newRegister(kernel, narrow, body);
    body.push_back(computeOf(OpKind::Set, narrow, rounded, {operandAt(join->target)}, join->source));
    body.push_back(computeOf(OpKind::Set, join->computeDtype, join->target, {operandAt(rounded)}, join->source));
    return body;
  });
}

// Where an element is compared with the most extreme one so far, the answer is whether it took another one's place:
// of equal ones, the first is the place of the extreme.
bool reachFirstOfEqual(Kernel& kernel) {
  return editScanReaders(kernel, [](Compute& reader, const ScanTotals& totals) {
    if (opInfo(reader.op).result != Result::Bool || reader.operands.size() != 2) return false;
    reader.op = OpKind::Ne;
    reader.operands = {totals.former, totals.own};
    return true;
  });
}

// Each turn of a block begins anew: what it has of the turns before is lost.
bool forgetFormerTurns(Kernel& kernel) {
  bool changed = false;
  const SharedLines shared(kernel);
  forEachBody(kernel.body, [&](Body& body) {
    for (size_t i = 0; i < body.size(); ++i) {
      const Compute* begin = std::get_if<Compute>(&body[i].node);
      if (!begin || !shared.has(begin->source) || begin->operands[0].kind != Operand::Kind::Literal) continue;
      for (size_t j = i + 1; j < body.size(); ++j) {
        For* turns = std::get_if<For>(&body[j].node);
        if (!turns || !joinsTo(turns->body, begin->target.buffer)) continue;
        turns->body.insert(turns->body.begin(), body[i]);
        changed = true;
      }
    }
  });
  return changed;
}

// What is before a warp is taken when its own total has joined it already.
bool joinOwnWarpTwice(Kernel& kernel) {
  bool changed = false;
  const SharedLines shared(kernel);
  const auto reads = [](const Statement& statement, int carry) {
    if (const Compute* compute = std::get_if<Compute>(&statement.node))
      return SharedLines::isBehind(*compute) && isBuffer(compute->operands[0], carry);
    const If* own = std::get_if<If>(&statement.node);
    const Move* move = own ? std::get_if<Move>(&own->body.front().node) : nullptr;
    return move && move->source.buffer == carry;
  };
  forEachBody(kernel.body, [&](Body& body) {
    for (size_t i = 0; i + 1 < body.size(); ++i) {
      const Compute* join = std::get_if<Compute>(&body[i + 1].node);
      if (!join || !shared.has(join->source) || !joinsInto(*join, join->target.buffer)) continue;
      if (!reads(body[i], join->target.buffer)) continue;
      std::swap(body[i], body[i + 1]);
      changed = true;
      ++i;
    }
  });
  return changed;
}

// A block joins none of the totals of the blocks before it.
bool forgetBlocksBefore(Kernel& kernel) {
  return replaceStatements(kernel, [&](const Statement& statement) {
    return joinOfBlock(kernel, statement) ? std::optional<Body>(Body{}) : std::nullopt;
  });
}

// A block joins its own total, too.
bool joinOwnBlockTwice(Kernel& kernel) {
  IntExprArena& ints = *kernel.ints;
  return replaceStatements(kernel, [&](const Statement& statement) -> std::optional<Body> {
    const If* join = joinOfBlock(kernel, statement);
    if (!join) return std::nullopt;
    return Body{{If{withOneMore(ints, join->condition), join->body}}};
  });
}

// Of two lanes, the lower one joins what the upper one has, which joins nothing.
bool exchangeLanesOfScan(Kernel& kernel) {
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    for (size_t i = 0; i + 1 < body.size(); ++i) {
      If *upper = std::get_if<If>(&body[i].node), *lower = std::get_if<If>(&body[i + 1].node);
      const Compute* join = upper && lower ? std::get_if<Compute>(&upper->body.front().node) : nullptr;
      if (!join || !SharedLines::isBehind(*join)) continue;
      std::swap(upper->condition, lower->condition);
      changed = true;
      ++i;
    }
  });
  return changed;
}

// What is computed of a scan's result beside it gets the result of the place before.
bool readFormerTotal(Kernel& kernel) {
  return editScanReaders(kernel, [](Compute& reader, const ScanTotals& totals) {
    for (Operand& operand : reader.operands) {
      if (totals.isOne(operand)) operand = totals.former;
    }
    return true;
  });
}

}  // namespace fuser::fuzz::faults
