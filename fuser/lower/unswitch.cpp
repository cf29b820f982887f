// Unswitch: an unswitched loop is there twice, the bulk without the predicates that its condition makes superfluous.
//   for i < 4 unswitch ((((b * 4) + 3) < n)) { if (((b * 4) + i) < n) { a } }
//   ->  if (((b * 4) + 3) < n) { for j < 4 { a } }
//       if ((((b * 4) + 3) < n) == 0) { for i < 4 { if (((b * 4) + i) < n) { a } } }
// The bulk has loops and buffers of its own. Threads may part here: rule 14 of a schedule.
#include "fuser/lower/unswitch.h"

#include <algorithm>
#include <map>

#include "fuser/kernel/shared_layout.h"
#include "fuser/lower/step_list.h"

namespace fuser {
namespace {

bool reads(IntExpr expr, const std::set<IntExpr>& symbols) {
  bool found = false;
  forEachSymbol(expr, [&](IntExpr symbol) { found |= symbols.count(symbol) != 0; });
  return found;
}

// Whether it does not decrease where an index of these loops grows.
bool grows(IntExpr expr, const std::set<IntExpr>& loops) {
  if (!reads(expr, loops)) return true;
  const auto factor = [&](IntExpr a, IntExpr b) { return !reads(a, loops) && a->range.low >= 0 && grows(b, loops); };
  switch (expr->op) {
    case IntOp::Symbol: return true;
    case IntOp::Add:
    case IntOp::Min:
    case IntOp::Max: return grows(expr->a, loops) && grows(expr->b, loops);
    case IntOp::Mul: return factor(expr->a, expr->b) || factor(expr->b, expr->a);
    case IntOp::FloorDiv: return factor(expr->b, expr->a);
    case IntOp::Constant:
    case IntOp::Mod:
    case IntOp::Less:
    case IntOp::Equal:
    case IntOp::And: return false;
  }
  FUSER_CHECK(false, "bad IntOp");
}

// Copies statements, with loops and buffers of their own, and without the conditions that `whole` implies.
class BulkCopy {
 public:
  BulkCopy(Kernel& kernel, IntExpr whole) : kernel_(kernel), ints_(*kernel.ints), implied_(partsOf(whole)) {}

  Body copy(const Body& body) {
    Body copied;
    for (const Statement& statement : body) {
      if (const If* guarded = std::get_if<If>(&statement.node)) {
        addWhere(remaining(guarded->condition), copy(guarded->body), copied);
      } else {
        copied.push_back(std::visit([&](const auto& node) { return Statement{copyOf(node)}; }, statement.node));
      }
    }
    return copied;
  }

 private:
  static void addWhere(IntExpr condition, Body inner, Body& body) {
    if (condition->isConstant(1)) {
      body.insert(body.end(), inner.begin(), inner.end());
    } else {
      body.push_back({If{condition, std::move(inner)}});
    }
  }

  IntExpr remaining(IntExpr condition) {
    IntExpr left = ints_.constant(1);
    for (IntExpr part : partsOf(condition)) {
      const IntExpr always = inAllIterations(ints_, part, loops_);
      const bool implied = always && std::find(implied_.begin(), implied_.end(), always) != implied_.end();
      if (!implied) left = ints_.conjunction(left, expr(part));
    }
    return left;
  }

  IntExpr expr(IntExpr of) {
    return ints_.import(of, [&](IntExpr symbol) {
      const auto own = indices_.find(symbol);
      return own == indices_.end() ? symbol : own->second;
    });
  }

  Access access(const Access& of) {
    const auto own = buffers_.find(of.buffer);
    return {own == buffers_.end() ? of.buffer : own->second, expr(of.index)};
  }

  Allocate copyOf(const Allocate& node) {
    Buffer buffer = kernel_.buffers[static_cast<size_t>(node.buffer)];
    buffer.id = static_cast<int>(kernel_.buffers.size());
    buffer.name = concat("T", buffer.id);
    buffers_[node.buffer] = buffer.id;
    kernel_.buffers.push_back(buffer);
    return {buffer.id};
  }

  For copyOf(const For& node) {
    For loop;
    loop.extent = expr(node.extent);
    loop.index = ints_.index(ints_.symbolOf(node.index).name, loop.extent);
    loop.unroll = node.unroll;
    indices_[node.index] = loop.index;
    loops_.insert(node.index);
    loop.body = copy(node.body);
    return loop;
  }

  Move copyOf(const Move& node) { return {access(node.target), access(node.source), node.width}; }

  Compute copyOf(Compute node) {
    node.target = access(node.target);
    for (Operand& operand : node.operands) {
      if (operand.kind == Operand::Kind::Access) operand.access = access(operand.access);
      if (operand.kind == Operand::Kind::Int) operand.integer = expr(operand.integer);
    }
    return node;
  }

  LoadIndex copyOf(LoadIndex node) {
    node.source = access(node.source);
    const IntExpr own = ints_.loaded(ints_.symbolOf(node.index).name, node.low, node.extent);
    indices_[node.index] = own;
    node.index = own;
    return node;
  }

  JoinWelford copyOf(JoinWelford node) {
    for (Access* part : {&node.mean, &node.squares, &node.count}) *part = access(*part);
    for (Access* part : {&node.otherMean, &node.otherSquares, &node.otherCount}) *part = access(*part);
    return node;
  }

  // Rule 14 has refused what all threads must reach; ifs are taken apart above.
  template <class Node>
  Node copyOf(const Node&) {
    FUSER_CHECK(false, "a statement of all threads in an unswitched loop");
  }

  Kernel& kernel_;
  IntExprArena& ints_;
  std::vector<IntExpr> implied_;
  std::set<IntExpr> loops_;             // around this place; look-ups only
  std::map<IntExpr, IntExpr> indices_;  // of loops and loads, to the copy's; look-ups only
  std::map<int, int> buffers_;
};

void refuseBarriers(const Body& body) {
  forEachStatement(body, [](const Statement& statement) {
    const bool meets =
        std::holds_alternative<Barrier>(statement.node) || std::holds_alternative<Shuffle>(statement.node);
    FUSER_USER_CHECK(!meets, "rule 14: threads wait for each other in an unswitched loop");
  });
}

void unswitch(Kernel& kernel, Body& body) {
  Body made;
  for (Statement& statement : body) {
    For* loop = std::get_if<For>(&statement.node);
    if (If* guarded = std::get_if<If>(&statement.node)) unswitch(kernel, guarded->body);
    if (loop) unswitch(kernel, loop->body);
    if (!loop || !loop->whole) {
      made.push_back(std::move(statement));
      continue;
    }
    const IntExpr whole = loop->whole;
    loop->whole = nullptr;
    const Body tail{std::move(statement)};
    refuseBarriers(tail);
    made.push_back({If{whole, BulkCopy(kernel, whole).copy(tail)}});
    made.push_back({If{kernel.ints->equal(whole, kernel.ints->constant(0)), tail}});
  }
  body = std::move(made);
}

}  // namespace

std::vector<IntExpr> partsOf(IntExpr condition) {
  if (condition->op != IntOp::And) return {condition};
  std::vector<IntExpr> parts = partsOf(condition->a);
  const std::vector<IntExpr> others = partsOf(condition->b);
  parts.insert(parts.end(), others.begin(), others.end());
  return parts;
}

IntExpr inAllIterations(IntExprArena& ints, IntExpr condition, const std::set<IntExpr>& loops) {
  if (condition->op != IntOp::Less || !grows(condition->a, loops) || reads(condition->b, loops)) return nullptr;
  return ints.import(condition, [&](IntExpr symbol) {
    if (loops.count(symbol) == 0) return symbol;
    return ints.sub(ints.symbolOf(symbol).extent, ints.constant(1));
  });
}

void runUnswitch(const Fusion&, Kernel& kernel) { unswitch(kernel, kernel.body); }

}  // namespace fuser
