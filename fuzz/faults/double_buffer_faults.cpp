// Faults in what a loop loads one turn ahead: a register buffer that a load outside of a loop and one inside of it
// fill, and that the loop's turns read.

#include <algorithm>
#include <optional>

#include "fuzz/faults/fault_list.h"
#include "fuzz/faults/kernel_edit.h"

namespace fuser::fuzz::faults {
namespace {

// The first move of these statements from, or to, a register buffer; look into loops and ifs.
const Move* firstMove(const Statement& statement) {
  if (const Move* move = std::get_if<Move>(&statement.node)) return move;
  const If* guarded = std::get_if<If>(&statement.node);
  const For* loop = std::get_if<For>(&statement.node);
  const Body* inner = guarded ? &guarded->body : loop ? &loop->body : nullptr;
  return inner && !inner->empty() ? firstMove(inner->front()) : nullptr;
}

// In the body of a loop: registers are read, and right behind that filled for the next turn.
bool isRefilled(const Kernel& kernel, const Statement& read, const Statement& load) {
  const Move *from = firstMove(read), *to = firstMove(load);
  if (!from || !to) return false;
  return isLocal(kernel, from->source) && isLocal(kernel, from->target) && from->source.buffer == to->target.buffer &&
         isGlobal(kernel, to->source);
}

bool editRefills(Kernel& kernel, const std::function<void(For&, Statement& read, Statement& load)>& edit) {
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    for (Statement& statement : body) {
      For* loop = std::get_if<For>(&statement.node);
      for (size_t i = 1; loop && i < loop->body.size(); ++i) {
        if (!isRefilled(kernel, loop->body[i - 1], loop->body[i])) continue;
        edit(*loop, loop->body[i - 1], loop->body[i]);
        changed = true;
      }
    }
  });
  return changed;
}

}  // namespace

bool refillTooEarly(Kernel& kernel) {
  return editRefills(kernel, [](For&, Statement& read, Statement& load) { std::swap(read, load); });
}

bool refillOneTurnLess(Kernel& kernel) {
  IntExprArena& ints = *kernel.ints;
  return editRefills(kernel, [&](For& loop, Statement&, Statement& load) {
    const IntExpr lastButOne = ints.less(ints.add(loop.index, ints.constant(2)), loop.extent);
    load = Statement{If{lastButOne, {load}}};
  });
}

// A turn loads what the turn after the next one needs.
bool refillOneTurnTooFar(Kernel& kernel) {
  IntExprArena& ints = *kernel.ints;
  bool changed = false;
  editRefills(kernel, [&](For& loop, Statement&, Statement& load) {
    Body loading{load};
    forEachBody(loading, [&](Body& body) {
      for (Statement& statement : body) {
        Move* move = std::get_if<Move>(&statement.node);
        if (!move || !isGlobal(kernel, move->source)) continue;
        const IntExpr later =
            substitute(kernel, move->source.index, loop.index, ints.add(loop.index, ints.constant(1)));
        changed |= later != move->source.index;
        move->source.index = later;
      }
    });
    load = loading.front();
  });
  return changed;
}

}  // namespace fuser::fuzz::faults
