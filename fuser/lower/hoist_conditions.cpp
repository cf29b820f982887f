// HoistConditions (loop unswitching): for i { alloc t; if (c) { a } }  ->  if (c) { for i { alloc t; a } }, where c
// does not read i; from the inside out, and ifs that become neighbours are one. Runs after MergeConditions, which makes
// the loop's body a single if behind its allocations. Since that is the whole body, any index that c reads was loaded
// outside of the loop and is the same in each iteration.

#include <algorithm>

#include "fuser/lower/merge_conditions.h"
#include "fuser/lower/step_list.h"

namespace fuser {
namespace {

bool reads(IntExpr expr, IntExpr symbol) {
  bool found = false;
  forEachSymbol(expr, [&](IntExpr other) { found |= other == symbol; });
  return found;
}

// The if that a body is, behind its allocations; null if it is more, or less.
If* onlyIf(Body& body) {
  if (body.empty()) return nullptr;
  const bool allocates = std::all_of(body.begin(), body.end() - 1, [](const Statement& statement) {
    return std::holds_alternative<Allocate>(statement.node);
  });
  return allocates ? std::get_if<If>(&body.back().node) : nullptr;
}

void hoistConditions(Body& body) {
  for (Statement& statement : body) {
    if (If* guarded = std::get_if<If>(&statement.node)) hoistConditions(guarded->body);
    For* loop = std::get_if<For>(&statement.node);
    if (!loop) continue;
    hoistConditions(loop->body);
    If* only = onlyIf(loop->body);
    if (!only || reads(only->condition, loop->index)) continue;
    If outer;
    outer.condition = only->condition;
    const Body guarded = std::move(only->body);
    loop->body.pop_back();
    loop->body.insert(loop->body.end(), guarded.begin(), guarded.end());
    outer.body.push_back(std::move(statement));
    statement.node = std::move(outer);
  }
  mergeNeighbours(body);
}

}  // namespace

void runHoistConditions(const Fusion&, Kernel& kernel, const ScheduleRules&) { hoistConditions(kernel.body); }

}  // namespace fuser
