// DoubleBuffer: a loop loads what a later turn needs of a tensor before it computes with what an earlier turn has
// loaded, so that it need not wait for memory. The next turn (doubleBuffer):
//   for i < n ahead T { alloc T; if (i < m) { T[0] = move x[i] }; y[i] = exp(T[0]) }
//   ->  alloc U; if (0 < n) { if (0 < m) { U[0] = move x[0] } }
//       for i < n { alloc T; if (i < m) { T[0] = move U[0] }
//                   if (i + 1 < n) { if (i + 1 < m) { U[0] = move x[i + 1] } }; y[i] = exp(T[0]) }
// One that comes p turns later (circularBuffer {prefetch = p}): turns go round p places, in groups of p, so that each
// place is a register that is known when the inner loop is unrolled.
//   ->  alloc U [p]; for k < p { if (k < n) { U[k] = move x[k] } }
//       for j < ceil(n / p) { for k < p { if (j * p + k < n) { as above, of i = j * p + k, U[k] and x[i + p] } } }
#include <algorithm>
#include <utility>

#include "fuser/kernel/shared_layout.h"
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

// Of the elements of one buffer: they lie `by` elements further.
void shift(IntExprArena& ints, Body& body, int buffer, IntExpr by) {
  const auto moved = [&](Access& access) {
    if (access.buffer == buffer) access.index = ints.add(access.index, by);
  };
  for (Statement& statement : body) {
    if (Move* move = std::get_if<Move>(&statement.node)) {
      moved(move->source);
      moved(move->target);
    }
    if (If* guarded = std::get_if<If>(&statement.node)) shift(ints, guarded->body, buffer, by);
    if (For* loop = std::get_if<For>(&statement.node)) shift(ints, loop->body, buffer, by);
  }
}

bool waits(const Body& body) {
  return std::any_of(body.begin(), body.end(), [](const Statement& statement) {
    if (const If* guarded = std::get_if<If>(&statement.node)) return waits(guarded->body);
    if (const For* loop = std::get_if<For>(&statement.node)) return waits(loop->body);
    return isMeeting(statement) || std::holds_alternative<Release>(statement.node);
  });
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
        if (!loop->ahead.empty()) loadAhead(*loop, made);
      }
      made.push_back(std::move(statement));
    }
    body = std::move(made);
  }

 private:
  // Appends what comes before the loop.
  void loadAhead(For& loop, Body& before) {
    const int64_t turns = std::exchange(loop.turnsAhead, 1);
    const IntExpr count = ints_.constant(turns);
    // The place of a turn: its number modulo `turns`. Of one place there is no index.
    const IntExpr place = turns == 1 ? ints_.constant(0) : ints_.index("k", count);
    for (int buffer : std::exchange(loop.ahead, {})) {
      FUSER_USER_CHECK(turns == 1 || !waits(loop.body), "rule 18: %",
                       kernel_.buffers[static_cast<size_t>(buffer)].source->name(),
                       " cannot be loaded several turns ahead: threads wait for each other in the loop");
      loadAhead(loop, buffer, place, count, before);
    }
    if (turns > 1) goRound(loop, place, count);
  }

  void loadAhead(For& loop, int buffer, IntExpr place, IntExpr count, Body& before) {
    const auto load = std::find_if(loop.body.begin(), loop.body.end(),
                                   [&](const Statement& statement) { return loads(statement, buffer); });
    const Buffer& loaded = kernel_.buffers[static_cast<size_t>(buffer)];
    FUSER_USER_CHECK(load != loop.body.end(), "rule 18: %", loaded.source->name(),
                     " cannot be double-buffered: its loads are beside other statements");
    const Body loading{*load};
    const IntExpr size = loaded.size;
    const int next = addNext(loaded, count);
    before.push_back({Allocate{next}});
    appendFirstTurns(loading, loop, buffer, next, size, count, before);
    Body now{std::move(*load)};
    loadFrom(now, next);
    const IntExpr following = ints_.add(loop.index, count);
    appendWhere(ints_.less(following, loop.extent), turn(loading, loop.index, following, buffer, next), now);
    shift(ints_, now, next, ints_.mul(place, size));
    const auto at = loop.body.erase(load);
    loop.body.insert(at, now.begin(), now.end());
  }

  void appendFirstTurns(const Body& loading, const For& loop, int buffer, int next, IntExpr size, IntExpr count,
                        Body& before) {
    if (count->isConstant(1)) {
      const IntExpr first = ints_.constant(0);
      return appendWhere(ints_.less(first, loop.extent), turn(loading, loop.index, first, buffer, next), before);
    }
    For places;
    places.index = ints_.index("p", count);
    places.extent = count;
    Body loads = turn(loading, loop.index, places.index, buffer, next);
    shift(ints_, loads, next, ints_.mul(places.index, size));
    appendWhere(ints_.less(places.index, loop.extent), std::move(loads), places.body);
    before.push_back({std::move(places)});
  }

  // The turns of the loop in groups of `count`.
  void goRound(For& loop, IntExpr place, IntExpr count) {
    const IntExpr groups = ints_.ceilDiv(loop.extent, count);
    const IntExpr group = groups->isConstant(1) ? ints_.constant(0) : ints_.index("j", groups);
    const IntExpr number = ints_.add(ints_.mul(group, count), place);
    StatementCopy copy(kernel_, StatementCopy::Buffers::Same);
    copy.replaceIndex(loop.index, number);
    For round;
    round.index = place;
    round.extent = count;
    appendWhere(ints_.less(number, loop.extent), copy.copy(loop.body), round.body);
    if (groups->isConstant(1)) {
      round.whole = loop.whole;
      loop = std::move(round);
      return;
    }
    loop.index = group;
    loop.extent = groups;
    loop.unroll = false;
    loop.body = {{std::move(round)}};
  }

  int addNext(Buffer buffer, IntExpr count) {
    buffer.id = static_cast<int>(kernel_.buffers.size());
    buffer.name += "_next";
    buffer.size = ints_.mul(buffer.size, count);
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
