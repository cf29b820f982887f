// Faults in what a kernel's threads touch: predicates, loops, places in memory, stores.

#include <algorithm>
#include <map>

#include "fuser/kernel/shared_layout.h"
#include "fuzz/faults/fault_list.h"
#include "fuzz/faults/kernel_edit.h"

namespace fuser::fuzz::faults {
namespace {

// a < b becomes a < b + off in every part of a condition; where a counts vectors, by as many fewer elements.
IntExpr shiftBounds(IntExprArena& ints, IntExpr condition, int64_t off, bool& changed) {
  if (condition->op == IntOp::And) {
    const IntExpr a = shiftBounds(ints, condition->a, off, changed), b = shiftBounds(ints, condition->b, off, changed);
    return ints.conjunction(a, b);
  }
  if (condition->op != IntOp::Less) return condition;
  changed = true;
  const int64_t elements = off < 0 ? off * std::max<int64_t>(stepOf(condition->a), 1) : off;
  return ints.less(condition->a, ints.add(condition->b, ints.constant(elements)));
}

bool shiftAllBounds(Kernel& kernel, int64_t off) {
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    for (Statement& statement : body) {
      if (If* guarded = std::get_if<If>(&statement.node)) {
        guarded->condition = shiftBounds(*kernel.ints, guarded->condition, off, changed);
      }
    }
  });
  return changed;
}

// The widest vector that an if guards, looked for in its loops, too; 1 if it guards none.
int widestVector(const Body& body) {
  int widest = 1;
  for (const Statement& statement : body) {
    if (const Move* move = std::get_if<Move>(&statement.node)) widest = std::max(widest, move->width);
    if (const For* loop = std::get_if<For>(&statement.node)) widest = std::max(widest, widestVector(loop->body));
  }
  return widest;
}

bool shiftVectorBounds(Kernel& kernel, const std::function<int64_t(int width)>& off) {
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    for (Statement& statement : body) {
      If* guarded = std::get_if<If>(&statement.node);
      const int width = guarded ? widestVector(guarded->body) : 1;
      if (width > 1) guarded->condition = shiftBounds(*kernel.ints, guarded->condition, off(width), changed);
    }
  });
  return changed;
}

bool changeLoops(Kernel& kernel, int64_t turns) {
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    for (Statement& statement : body) {
      For* loop = std::get_if<For>(&statement.node);
      if (!loop) continue;
      loop->extent = kernel.ints->add(loop->extent, kernel.ints->constant(turns));
      changed = true;
    }
  });
  return changed;
}

using VisitAccess = std::function<void(Access&, bool written)>;

void visitAccesses(Move& move, const VisitAccess& visit) {
  visit(move.target, true);
  visit(move.source, false);
}
void visitAccesses(Compute& compute, const VisitAccess& visit) {
  visit(compute.target, true);
  for (Operand& operand : compute.operands) {
    if (operand.kind == Operand::Kind::Access) visit(operand.access, false);
  }
}
void visitAccesses(LoadIndex& load, const VisitAccess& visit) { visit(load.source, false); }
void visitAccesses(AtomicAdd& add, const VisitAccess& visit) {
  visit(add.target, true);
  visit(add.source, false);
}
void visitAccesses(Shuffle&, const VisitAccess&) {}  // accumulators: a place that no thread shares
void visitAccesses(JoinWelford&, const VisitAccess&) {}
void visitAccesses(Mma&, const VisitAccess&) {}
void visitAccesses(Allocate&, const VisitAccess&) {}
void visitAccesses(For&, const VisitAccess&) {}
void visitAccesses(If&, const VisitAccess&) {}
void visitAccesses(Barrier&, const VisitAccess&) {}
void visitAccesses(Release&, const VisitAccess&) {}
void visitAccesses(Report&, const VisitAccess&) {}

// Every place in a tensor or a register that a statement reads or writes, with whether it is written.
void forEachAccess(Kernel& kernel, const VisitAccess& visit) {
  forEachBody(kernel.body, [&](Body& body) {
    for (Statement& statement : body) {
      std::visit([&](auto& node) { visitAccesses(node, visit); }, statement.node);
    }
  });
}

bool substituteEverywhere(Kernel& kernel, IntExpr symbol, IntExpr with) {
  bool changed = false;
  const auto apply = [&](IntExpr& expr) {
    const IntExpr before = expr;
    expr = substitute(kernel, expr, symbol, with);
    changed |= expr != before;
  };
  forEachAccess(kernel, [&](Access& access, bool) { apply(access.index); });
  forEachBody(kernel.body, [&](Body& body) {
    for (Statement& statement : body) {
      if (If* guarded = std::get_if<If>(&statement.node)) apply(guarded->condition);
    }
  });
  return changed;
}

}  // namespace

bool dropPredicates(Kernel& kernel) {
  return replaceStatements(kernel, [](const Statement& statement) -> std::optional<Body> {
    const If* guarded = std::get_if<If>(&statement.node);
    if (!guarded) return std::nullopt;
    return guarded->body;
  });
}

bool boundOneMore(Kernel& kernel) { return shiftAllBounds(kernel, 1); }
bool boundOneLess(Kernel& kernel) { return shiftAllBounds(kernel, -1); }
bool loopOneShort(Kernel& kernel) { return changeLoops(kernel, -1); }
bool loopOneMore(Kernel& kernel) { return changeLoops(kernel, 1); }

bool gridOneShort(Kernel& kernel) {
  IntExprArena& ints = *kernel.ints;
  if (kernel.gridDim[0]->isConstant()) return false;
  kernel.gridDim[0] = ints.max(ints.constant(1), ints.sub(kernel.gridDim[0], ints.constant(1)));
  return true;
}

bool oneBlockIndex(Kernel& kernel) {
  if (kernel.blockIdx[0]->isConstant()) return false;
  return substituteEverywhere(kernel, kernel.blockIdx[0], kernel.ints->constant(0));
}

bool reverseThreads(Kernel& kernel) {
  IntExprArena& ints = *kernel.ints;
  const IntExpr thread = kernel.threadIdx[0];
  if (thread->isConstant()) return false;
  const IntExpr reversed = ints.sub(ints.constant(kernel.blockDim[0] - 1), thread);
  bool changed = false;
  forEachAccess(kernel, [&](Access& access, bool written) {
    if (!written || !isGlobal(kernel, access)) return;
    const IntExpr before = access.index;
    access.index = substitute(kernel, before, thread, reversed);
    changed |= access.index != before;
  });
  return changed;
}

bool dropIndexTerm(Kernel& kernel) {
  bool changed = false;
  forEachAccess(kernel, [&](Access& access, bool written) {
    if (written || !isGlobal(kernel, access) || access.index->op != IntOp::Add) return;
    access.index = access.index->a;
    changed = true;
  });
  return changed;
}

bool halveVectors(Kernel& kernel) {
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    for (Statement& statement : body) {
      Move* move = std::get_if<Move>(&statement.node);
      if (!move || move->width == 1) continue;
      move->width /= 2;
      changed = true;
    }
  });
  return changed;
}

bool misalignVectors(Kernel& kernel) {
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    for (Statement& statement : body) {
      Move* move = std::get_if<Move>(&statement.node);
      if (!move || move->width == 1 || !isGlobal(kernel, move->source)) continue;
      move->source.index = kernel.ints->add(move->source.index, kernel.ints->constant(1));
      changed = true;
    }
  });
  return changed;
}

bool moveVectorPastTheEnd(Kernel& kernel) {
  return shiftVectorBounds(kernel, [](int) { return 1; });
}

bool dropLastVector(Kernel& kernel) {
  return shiftVectorBounds(kernel, [](int width) { return -width; });
}

// if (c) { bulk } if (c == 0) { tail }: one more element than there is makes a bulk, too.
bool unswitchTooFar(Kernel& kernel) {
  IntExprArena& ints = *kernel.ints;
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    for (size_t i = 1; i < body.size(); ++i) {
      If* bulk = std::get_if<If>(&body[i - 1].node);
      If* tail = std::get_if<If>(&body[i].node);
      if (!bulk || !tail || tail->condition != ints.equal(bulk->condition, ints.constant(0))) continue;
      bulk->condition = shiftBounds(ints, bulk->condition, 1, changed);
      tail->condition = ints.equal(bulk->condition, ints.constant(0));
    }
  });
  return changed;
}

// if (c) { bulk } if (c == 0) { tail }  ->  if (c) { bulk }
bool dropUnswitchedTail(Kernel& kernel) {
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    for (size_t i = 1; i < body.size(); ++i) {
      const If* bulk = std::get_if<If>(&body[i - 1].node);
      const If* tail = std::get_if<If>(&body[i].node);
      if (!bulk || !tail || tail->condition != kernel.ints->equal(bulk->condition, kernel.ints->constant(0))) continue;
      body.erase(body.begin() + static_cast<std::ptrdiff_t>(i));
      changed = true;
    }
  });
  return changed;
}

// Of registers that a vector is loaded to, each vector's first element is read for all.
bool readFirstOfVector(Kernel& kernel) {
  std::map<int, int> widths;  // by buffer
  forEachStatement(kernel.body, [&](const Statement& statement) {
    const Move* move = std::get_if<Move>(&statement.node);
    if (move && move->width > 1 && !isGlobal(kernel, move->target)) widths[move->target.buffer] = move->width;
  });
  IntExprArena& ints = *kernel.ints;
  bool changed = false;
  const auto read = [&](Access& access) {
    const auto found = widths.find(access.buffer);
    if (found == widths.end()) return;
    const IntExpr width = ints.constant(found->second), before = access.index;
    access.index = ints.mul(ints.floorDiv(before, width), width);
    changed |= access.index != before;
  };
  forEachBody(kernel.body, [&](Body& body) {
    for (Statement& statement : body) {
      if (Move* move = std::get_if<Move>(&statement.node); move && move->width == 1) read(move->source);
      Compute* compute = std::get_if<Compute>(&statement.node);
      if (!compute) continue;
      for (Operand& operand : compute->operands) {
        if (operand.kind == Operand::Kind::Access) read(operand.access);
      }
    }
  });
  return changed;
}

bool dropStore(Kernel& kernel) {
  const auto written = std::find_if(kernel.tensors.rbegin(), kernel.tensors.rend(),
                                    [](const TensorParam& tensor) { return tensor.written; });
  if (written == kernel.tensors.rend()) return false;
  const int buffer = written->buffer;
  return replaceStatements(kernel, [&](const Statement& statement) -> std::optional<Body> {
    const Move* move = std::get_if<Move>(&statement.node);
    const Compute* compute = std::get_if<Compute>(&statement.node);
    const bool stores = (move && move->target.buffer == buffer) || (compute && compute->target.buffer == buffer);
    return stores ? std::optional<Body>(Body{}) : std::nullopt;
  });
}

}  // namespace fuser::fuzz::faults
