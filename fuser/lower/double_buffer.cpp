// DoubleBuffer: a loop loads what its next turn needs of a double-buffered tensor before it computes with what the turn
// before has loaded, so that it need not wait for memory.
//   for i < n ahead T { alloc T; if (i < m) { T[0] = move x[i] }; y[i] = exp(T[0]) }
//   ->  alloc U; if (0 < n) { if (0 < m) { U[0] = move x[0] } }
//       for i < n { alloc T; if (i < m) { T[0] = move U[0] }
//                   if (i + 1 < n) { if (i + 1 < m) { U[0] = move x[i + 1] } }; y[i] = exp(T[0]) }
#include <algorithm>

#include "fuser/lower/copy_statements.h"
#include "fuser/lower/step_list.h"

namespace fuser {
namespace {

// Whether it does nothing but load elements of the buffer.
bool loads(const Statement& statement, int buffer) {
  const auto all = [&](const Body& body) {
    return !body.empty() &&
           std::all_of(body.begin(), body.end(), [&](const Statement& each) { return loads(each, buffer); });
  };
  if (const Move* move = std::get_if<Move>(&statement.node)) return move->target.buffer == buffer;
  if (const If* guarded = std::get_if<If>(&statement.node)) return all(guarded->body);
  if (const For* loop = std::get_if<For>(&statement.node)) return all(loop->body);
  return false;
}

void loadFrom(Body& body, int next) {
  for (Statement& statement : body) {
    if (Move* move = std::get_if<Move>(&statement.node)) move->source = {next, move->target.index};
    if (If* guarded = std::get_if<If>(&statement.node)) loadFrom(guarded->body, next);
    if (For* loop = std::get_if<For>(&statement.node)) loadFrom(loop->body, next);
  }
}

class DoubleBufferer {
 public:
  explicit DoubleBufferer(Kernel& kernel) : kernel_(kernel), ints_(*kernel.ints) {}

  void run(Body& body) {
    Body made;
    for (Statement& statement : body) {
      if (If* guarded = std::get_if<If>(&statement.node)) run(guarded->body);
      if (For* loop = std::get_if<For>(&statement.node)) {
        run(loop->body);
        for (int buffer : loop->ahead) loadAhead(*loop, buffer, made);
        loop->ahead.clear();
      }
      made.push_back(std::move(statement));
    }
    body = std::move(made);
  }

 private:
  // Appends what comes before the loop.
  void loadAhead(For& loop, int buffer, Body& before) {
    const auto load = std::find_if(loop.body.begin(), loop.body.end(),
                                   [&](const Statement& statement) { return loads(statement, buffer); });
    const Buffer& loaded = kernel_.buffers[static_cast<size_t>(buffer)];
    FUSER_USER_CHECK(load != loop.body.end(), "rule 18: %", loaded.source->name(),
                     " cannot be double-buffered: its loads are beside other statements");
    const Body loading{*load};
    const int next = addNext(loaded);
    before.push_back({Allocate{next}});
    appendWhere(ints_.less(ints_.constant(0), loop.extent), turn(loading, loop.index, ints_.constant(0), buffer, next),
                before);
    Body now{std::move(*load)};
    loadFrom(now, next);
    const IntExpr following = ints_.add(loop.index, ints_.constant(1));
    appendWhere(ints_.less(following, loop.extent), turn(loading, loop.index, following, buffer, next), now);
    const auto place = loop.body.erase(load);
    loop.body.insert(place, now.begin(), now.end());
  }

  int addNext(Buffer buffer) {
    buffer.id = static_cast<int>(kernel_.buffers.size());
    buffer.name += "_next";
    kernel_.buffers.push_back(buffer);
    return buffer.id;
  }

  // The loads of another turn of the loop.
  Body turn(const Body& loading, IntExpr index, IntExpr at, int buffer, int next) {
    StatementCopy copy(kernel_);
    copy.replaceIndex(index, at);
    copy.replaceBuffer(buffer, next);
    return copy.copy(loading);
  }

  static void appendWhere(IntExpr condition, Body statements, Body& body) {
    if (condition->isConstant(0)) return;
    if (condition->isConstant(1)) {
      body.insert(body.end(), statements.begin(), statements.end());
    } else {
      body.push_back({If{condition, std::move(statements)}});
    }
  }

  Kernel& kernel_;
  IntExprArena& ints_;
};

}  // namespace

void runDoubleBuffer(const Fusion&, Kernel& kernel, const ScheduleRules&) { DoubleBufferer(kernel).run(kernel.body); }

}  // namespace fuser
