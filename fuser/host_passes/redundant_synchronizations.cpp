// RedundantSynchronizationsPass: turns of a loop over streams overlap, and no synchronization is left that orders
// nothing. The turn that StreamParallelTypePass makes waits for the stream outside, which waited for the turn before.
// The wait for the turns goes behind the loop, once for each stream, before what first needs it:
//   for index0 in %t {axis = 0} {
//     get stream saved0
//     set stream by index0
//     synchronize saved0
//     …
//     set stream saved0
//   }
//   for index1 in streams of %t {axis = 0} {
//     synchronize by index1
//   }
// Then every wait without which all accesses that may meet still have an order is dropped. What has an order is known
// of a program as a whole, for all sizes and numbers of streams: work on the stream outside is in order; so are turns
// of one number, of whichever loops, which run on one stream; a wait in the turns of a loop orders what the stream
// outside did or awaited before them and every later loop of that size; a wait behind a loop orders what loops of its
// size did and what the stream outside does next. A loop whose turns touch each other's memory stays as it is. A
// program that sets or awaits streams in other ways stays, too.

#include <algorithm>

#include "fuser/host_passes/host_ir_pass.h"
#include "fuser/host_passes/stream_loops.h"

namespace fuser {
namespace {

// Something at the top level, as far as order goes.
struct Step {
  hir::HostExpr* expr = nullptr;  // null: the caller, who made the inputs and reads the outputs
  std::vector<MemoryAccess> accesses;
  std::optional<StreamLoop> loop;
  bool serial = false;  // a loop whose turns stay in order
  bool waits = true;    // a loop whose turns wait for the stream outside
};

// The stream outside waits for the streams of a loop's turns.
struct Join {
  size_t loop = 0;    // which step
  size_t behind = 0;  // which step it follows
  bool kept = true;
};

bool meet(const std::vector<MemoryAccess>& a, const std::vector<MemoryAccess>& b, bool inOtherTurns) {
  return std::any_of(a.begin(), a.end(), [&](const MemoryAccess& one) {
    return std::any_of(b.begin(), b.end(), [&](const MemoryAccess& other) {
      return inOtherTurns ? mayMeetInOtherTurns(one, other) : mayMeet(one, other);
    });
  });
}

// The program as steps, and which waits it needs.
class Orders {
 public:
  explicit Orders(HostIrContainer& program) : program_(program), owners_(program) {}

  // False where the program has no loop to work on, or sets or awaits streams in other ways than loops do.
  bool read() {
    addCaller(program_.fusion().inputs(), true);
    // Whatever was in the memory for outputs is the caller's work, too.
    for (const hir::HostExpr* take : hostExprsOf<hir::TakeOutput>(program_)) {
      steps_.front().accesses.push_back({std::get<hir::TakeOutput>(take->node).tensor, true, std::nullopt});
    }
    for (hir::HostExpr* expr : program_.topLevel()) {
      if (!add(expr)) return false;
    }
    addCaller(program_.fusion().outputs(), false);
    meets_.assign(steps_.size(), std::vector<bool>(steps_.size(), false));
    for (size_t at = 0; at < steps_.size(); ++at) {
      for (size_t before = 0; before <= at; ++before) {
        // Turns of one number run on one stream.
        const bool turns = steps_[before].loop && steps_[at].loop;
        meets_[before][at] = meet(steps_[before].accesses, steps_[at].accesses, turns);
      }
      steps_[at].serial = steps_[at].loop && meets_[at][at];
    }
    for (size_t at = 0; at < steps_.size(); ++at) {
      if (steps_[at].loop && !steps_[at].serial) joins_.push_back({at, lastBeforeANeed(at), true});
    }
    return !joins_.empty() && allIsOrdered();
  }

  // Without what orders nothing.
  void reduce() {
    for (Join& join : joins_) dropUnlessNeeded(join.kept);
    for (Step& step : steps_) {
      if (step.loop && !step.serial) dropUnlessNeeded(step.waits);
    }
  }

  void write() {
    std::vector<hir::HostExpr*> place;
    for (const Step& step : steps_) place.push_back(step.expr);
    for (const Join& join : joins_) {
      const StreamLoop& loop = *steps_[join.loop].loop;
      program_.remove(loop.join);
      if (join.kept) place[join.behind] = insertJoin(loop, place[join.behind]);
    }
    for (const Step& step : steps_) {
      if (!step.waits) program_.remove(step.loop->wait);
    }
  }

 private:
  // Who knows that a step's work comes before theirs.
  struct Known {
    bool outside = false;        // the stream outside
    std::vector<IntExpr> sizes;  // the streams of turns of loops of these sizes
  };

  void addCaller(const std::vector<Val*>& vals, bool write) {
    Step caller;
    for (const Val* val : vals) {
      if (val->isTensor()) caller.accesses.push_back({owners_.owner(val->as<TensorView>()), write, std::nullopt});
    }
    steps_.push_back(std::move(caller));
  }

  bool add(hir::HostExpr* expr) {
    Step step;
    step.expr = expr;
    step.loop = asStreamLoop(program_, expr);
    if (!step.loop && touchesStreams(program_, expr)) return false;
    step.accesses = accessesOf(program_, owners_, expr, step.loop ? step.loop->index : nullptr);
    steps_.push_back(std::move(step));
    return true;
  }

  // Of the steps from a loop on, the last before one that needs it done, be it a loop whose turns then wait.
  size_t lastBeforeANeed(size_t loop) const {
    size_t at = loop + 1;
    while (at + 1 < steps_.size() && !meets_[loop][at]) ++at;
    return at - 1;
  }

  bool allIsOrdered() const {
    std::vector<Known> known(steps_.size());
    for (size_t at = 0; at < steps_.size(); ++at) {
      const Step& step = steps_[at];
      for (size_t before = 0; before < at && step.loop && step.waits; ++before) {
        if (known[before].outside) known[before].sizes.push_back(step.loop->size);
      }
      for (size_t before = 0; before < at; ++before) {
        if (meets_[before][at] && !comesAfter(step, known[before])) return false;
      }
      known[at].outside = !step.loop;
      if (step.serial) join(at, at, known);
      for (const Join& each : joins_) {
        if (each.kept && each.behind == at) join(each.loop, at, known);
      }
    }
    return true;
  }

  bool comesAfter(const Step& step, const Known& known) const {
    if (!step.loop) return known.outside;
    return std::any_of(known.sizes.begin(), known.sizes.end(),
                       [&](IntExpr size) { return usesStreamsOf(step.loop->size, size); });
  }

  // Whether turns of a loop of the first size all run on streams that turns of one of the second size run on.
  bool usesStreamsOf(IntExpr size, IntExpr other) const { return program_.fusion().ints().provablyAtMost(size, other); }

  // The stream outside waits for the streams of that loop: for all that was enqueued on them up to step `at`.
  void join(size_t loop, size_t at, std::vector<Known>& known) const {
    for (size_t i = 0; i <= at; ++i) {
      if (steps_[i].loop && usesStreamsOf(steps_[i].loop->size, steps_[loop].loop->size)) known[i].outside = true;
    }
  }

  void dropUnlessNeeded(bool& wait) {
    wait = false;
    wait = !allIsOrdered();
  }

  hir::HostExpr* insertJoin(const StreamLoop& loop, hir::HostExpr* place) {
    const auto& turns = std::get<hir::ForLoop>(loop.loop->node);
    const IntExpr index = program_.fusion().ints().symbol("StreamIdx");
    hir::HostExpr* join = program_.insertAfter(place, hir::ForLoop{index, turns.tensor, turns.axis, true});
    program_.append(hir::Synchronize{program_.newStream(index)}, join);
    return join;
  }

  HostIrContainer& program_;
  const MemoryOwners owners_;
  std::vector<Step> steps_;
  std::vector<Join> joins_;               // of the loops whose turns have no order
  std::vector<std::vector<bool>> meets_;  // [before][at]: whether accesses of theirs meet, of two loops in other turns
};

}  // namespace

bool RedundantSynchronizationsPass::runPass(HostIrContainer& program, OwnRun) {
  Orders orders(program);
  if (!orders.read()) return false;
  orders.reduce();
  orders.write();
  return true;
}

}  // namespace fuser
