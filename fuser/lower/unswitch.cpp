// Unswitch: an unswitched loop is there twice, the bulk without the predicates that its condition makes superfluous.
//   for i < 4 unswitch ((((b * 4) + 3) < n)) { if (((b * 4) + i) < n) { a } }
//   ->  if (((b * 4) + 3) < n) { for j < 4 { a } }
//       if ((((b * 4) + 3) < n) == 0) { for i < 4 { if (((b * 4) + i) < n) { a } } }
// The bulk has loops and buffers of its own. Threads may part here: rule 14 of a schedule.
#include "fuser/lower/unswitch.h"

#include <algorithm>

#include "fuser/kernel/shared_layout.h"
#include "fuser/lower/copy_statements.h"
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
    case IntOp::Meet:
    case IntOp::Less:
    case IntOp::Equal:
    case IntOp::And: return false;
  }
  FUSER_CHECK(false, "bad IntOp");
}

// Without the conditions that `whole` implies.
class BulkCopy final : public StatementCopy {
 public:
  BulkCopy(Kernel& kernel, IntExpr whole) : StatementCopy(kernel), implied_(partsOf(whole)) {}

 private:
  IntExpr condition(IntExpr of) override {
    IntExpr left = ints_.constant(1);
    for (IntExpr part : partsOf(of)) {
      const IntExpr always = inAllIterations(ints_, part, loops_);
      const bool implied = always && std::find(implied_.begin(), implied_.end(), always) != implied_.end();
      if (!implied) left = ints_.conjunction(left, expr(part));
    }
    return left;
  }

  std::vector<IntExpr> implied_;
};

void refuseBarriers(const Body& body, const ScheduleRules& rules) {
  forEachStatement(body, [&](const Statement& statement) {
    rules.require(!isMeeting(statement), 14, "threads wait for each other in an unswitched loop");
  });
}

void unswitch(Kernel& kernel, Body& body, const ScheduleRules& rules) {
  Body made;
  for (Statement& statement : body) {
    For* loop = std::get_if<For>(&statement.node);
    if (If* guarded = std::get_if<If>(&statement.node)) unswitch(kernel, guarded->body, rules);
    if (loop) unswitch(kernel, loop->body, rules);
    if (!loop || !loop->whole) {
      made.push_back(std::move(statement));
      continue;
    }
    const IntExpr whole = loop->whole;
    loop->whole = nullptr;
    const Body tail{std::move(statement)};
    refuseBarriers(tail, rules);
    made.push_back({If{whole, BulkCopy(kernel, whole).copy(tail)}});
    made.push_back({If{kernel.ints->equal(whole, kernel.ints->constant(0)), tail}});
  }
  body = std::move(made);
}

}  // namespace

IntExpr inAllIterations(IntExprArena& ints, IntExpr condition, const std::set<IntExpr>& loops) {
  if (condition->op != IntOp::Less || !grows(condition->a, loops) || reads(condition->b, loops)) return nullptr;
  return ints.import(condition, [&](IntExpr symbol) {
    if (loops.count(symbol) == 0) return symbol;
    return ints.sub(ints.symbolOf(symbol).extent, ints.constant(1));
  });
}

void runUnswitch(const Fusion&, Kernel& kernel, const ScheduleRules& rules) { unswitch(kernel, kernel.body, rules); }

}  // namespace fuser
