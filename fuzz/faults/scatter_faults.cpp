// Faults in what writes at indices: which of several counts, which are left out, and what they meet.

#include "fuser/kernel/shared_layout.h"
#include "fuzz/faults/fault_list.h"
#include "fuzz/faults/kernel_edit.h"

namespace fuser::fuzz::faults {
namespace {

bool isOfScatter(const Compute& compute) { return compute.source && compute.source->family() == Family::Scatter; }

// Whether the statements ask, of an index, if it is meant for the element's place.
bool asksForPlace(const Body& body) {
  bool found = false;
  forEachStatement(body, [&](const Statement& statement) {
    const Compute* compute = std::get_if<Compute>(&statement.node);
    found |= compute && isOfScatter(*compute) && compute->op == OpKind::Eq;
  });
  return found;
}

// Replaces the index of the loop in all that follows from it.
bool replaceIndex(Kernel& kernel, Body& body, IntExpr index, IntExpr with) {
  bool changed = false;
  const auto edit = [&](IntExpr& expr) {
    const IntExpr before = expr;
    expr = substitute(kernel, before, index, with);
    changed |= expr != before;
  };
  forEachBody(body, [&](Body& inner) {
    for (Statement& statement : inner) {
      if (Move* move = std::get_if<Move>(&statement.node)) edit(move->source.index);
      if (Report* report = std::get_if<Report>(&statement.node)) edit(report->place);
      Compute* compute = std::get_if<Compute>(&statement.node);
      for (size_t i = 0; compute && i < compute->operands.size(); ++i) {
        if (compute->operands[i].kind == Operand::Kind::Access) edit(compute->operands[i].access.index);
      }
    }
  });
  return changed;
}

// The innermost loops over indices.
bool editIndexLoops(Kernel& kernel, const std::function<bool(For&)>& change) {
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    for (Statement& statement : body) {
      For* loop = std::get_if<For>(&statement.node);
      if (!loop || loop->index->isConstant() || !asksForPlace(loop->body)) continue;
      bool isInner = true;
      forEachStatement(loop->body, [&](const Statement& inner) {
        const For* other = std::get_if<For>(&inner.node);
        isInner &= !other || !asksForPlace(other->body);
      });
      if (!isInner) continue;
      changed |= change(*loop);
    }
  });
  return changed;
}

}  // namespace

bool firstIndexWins(Kernel& kernel) {
  IntExprArena& ints = *kernel.ints;
  return editIndexLoops(kernel, [&](For& loop) {
    const IntExpr last = ints.sub(loop.extent, ints.constant(1));
    return replaceIndex(kernel, loop.body, loop.index, ints.sub(last, loop.index));
  });
}

bool loseLastIndex(Kernel& kernel) {
  return editIndexLoops(kernel, [&](For& loop) {
    loop.extent = kernel.ints->sub(loop.extent, kernel.ints->constant(1));
    return true;
  });
}

bool overwriteSum(Kernel& kernel) {
  return editComputes(kernel, [](Compute& compute) {
    if (!isOfScatter(compute) || compute.op != OpKind::Add) return false;
    compute.op = OpKind::Set;
    compute.operands.erase(compute.operands.begin());
    return true;
  });
}

// acc = acc + u, with acc rounded to 16 bits each time.
bool roundEachSum(Kernel& kernel) {
  return replaceStatements(kernel, [&](const Statement& statement) -> std::optional<Body> {
    const Compute* compute = std::get_if<Compute>(&statement.node);
    if (!compute || !isOfScatter(*compute) || compute->op != OpKind::Add) return std::nullopt;
    const DataType dtype = compute->source->output()->dtype();
    if (dtype != DataType::Half && dtype != DataType::BFloat16) return std::nullopt;
    Body body{statement};
    const Access rounded = newRegister(kernel, dtype, body);
    body.push_back(computeOf(OpKind::Set, dtype, rounded, {operandAt(compute->target)}, compute->source));
    body.push_back(
        computeOf(OpKind::Set, compute->computeDtype, compute->target, {operandAt(rounded)}, compute->source));
    return body;
  });
}

// The first element of a loop over indices meets 0 instead of what is there.
bool forgetWhatIsThere(Kernel& kernel) {
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    for (size_t i = 0; i + 1 < body.size(); ++i) {
      const For* loop = std::get_if<For>(&body[i + 1].node);
      const Move* move = std::get_if<Move>(&body[i].node);
      if (!loop || !move || !asksForPlace(loop->body)) continue;
      const DataType dtype = kernel.buffers[static_cast<size_t>(move->target.buffer)].dtype;
      const Expr* source = nullptr;
      forEachStatement(loop->body, [&](const Statement& inner) {
        const Compute* compute = std::get_if<Compute>(&inner.node);
        if (compute && isOfScatter(*compute)) source = compute->source;
      });
      body[i] = computeOf(OpKind::Set, dtype, move->target, {literalOperand(int64_t{0})}, source);
      changed = true;
    }
  });
  return changed;
}

bool addTwice(Kernel& kernel) {
  return replaceStatements(kernel, [](const Statement& statement) -> std::optional<Body> {
    if (!std::holds_alternative<AtomicAdd>(statement.node)) return std::nullopt;
    return Body{statement, statement};
  });
}

bool loseAddsAtZero(Kernel& kernel) {
  return replaceStatements(kernel, [&](const Statement& statement) -> std::optional<Body> {
    const AtomicAdd* add = std::get_if<AtomicAdd>(&statement.node);
    if (!add) return std::nullopt;
    return Body{{If{kernel.ints->less(kernel.ints->constant(0), add->target.index), {statement}}}};
  });
}

bool addWithoutAtomics(Kernel& kernel) {
  return replaceStatements(kernel, [&](const Statement& statement) -> std::optional<Body> {
    const AtomicAdd* add = std::get_if<AtomicAdd>(&statement.node);
    if (!add) return std::nullopt;
    const DataType dtype = kernel.buffers[static_cast<size_t>(add->target.buffer)].dtype;
    Body body;
    const Access sum = newRegister(kernel, dtype, body);
    body.push_back({Move{sum, add->target, 1}});
    body.push_back(computeOf(OpKind::Add, dtype, sum, {operandAt(sum), operandAt(add->source)}, add->sourceExpr));
    body.push_back({Move{add->target, sum, 1}});
    return body;
  });
}

// What is meant for a place goes to the one before it.
bool scatterOneEarly(Kernel& kernel) {
  return editComputes(kernel, [&](Compute& compute) {
    if (!isOfScatter(compute) || compute.op != OpKind::Eq) return false;
    IntExpr& place = compute.operands.at(1).integer;
    place = kernel.ints->add(place, kernel.ints->constant(1));
    return true;
  });
}

}  // namespace fuser::fuzz::faults
