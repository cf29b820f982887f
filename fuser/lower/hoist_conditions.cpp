// HoistConditions (loop unswitching): for i { if (c) { a } }  ->  if (c) { for i { a } }, where c does not read i.
// Runs after MergeConditions, which makes the loop's body a single if. Since the if is the whole body, any index that c
// reads was loaded outside of the loop and is the same in each iteration.

#include "fuser/lower/step_list.h"

namespace fuser {
namespace {

bool reads(IntExpr expr, IntExpr symbol) {
  bool found = false;
  forEachSymbol(expr, [&](IntExpr other) { found |= other == symbol; });
  return found;
}

void hoistConditions(Body& body) {
  for (Statement& statement : body) {
    if (If* guarded = std::get_if<If>(&statement.node)) hoistConditions(guarded->body);
    For* loop = std::get_if<For>(&statement.node);
    if (!loop) continue;
    hoistConditions(loop->body);
    If* only = loop->body.size() == 1 ? std::get_if<If>(&loop->body[0].node) : nullptr;
    if (!only || reads(only->condition, loop->index)) continue;
    If outer;
    outer.condition = only->condition;
    Body inner = std::move(only->body);
    loop->body = std::move(inner);
    outer.body.push_back(std::move(statement));
    statement.node = std::move(outer);
  }
}

}  // namespace

void runHoistConditions(const Fusion&, Kernel& kernel) { hoistConditions(kernel.body); }

}  // namespace fuser
