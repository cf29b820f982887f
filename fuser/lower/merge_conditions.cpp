// MergeConditions: if (c) { a } if (c) { b }  ->  if (c) { a; b }
// This is sound because conditions read only indices and parameters, which no statement changes: statements of one body
// run in the same iteration of each loop, and a loaded index keeps its value whatever `a` stores.

#include "fuser/lower/merge_conditions.h"

#include "fuser/lower/step_list.h"

namespace fuser {
namespace {

void mergeConditions(Body& body) {
  mergeNeighbours(body);
  for (Statement& statement : body) {
    if (For* loop = std::get_if<For>(&statement.node)) mergeConditions(loop->body);
    if (If* guarded = std::get_if<If>(&statement.node)) mergeConditions(guarded->body);
  }
}

}  // namespace

void mergeNeighbours(Body& body) {
  Body merged;
  for (Statement& statement : body) {
    If* guarded = std::get_if<If>(&statement.node);
    If* last = merged.empty() ? nullptr : std::get_if<If>(&merged.back().node);
    if (guarded && last && last->condition == guarded->condition) {
      last->body.insert(last->body.end(), guarded->body.begin(), guarded->body.end());
    } else {
      merged.push_back(std::move(statement));
    }
  }
  body = std::move(merged);
}

void runMergeConditions(const Fusion&, Kernel& kernel, const ScheduleRules&) { mergeConditions(kernel.body); }

}  // namespace fuser
