// RedundantSynchronizationsPass: lets the iterations of a loop over streams overlap, and removes synchronizations
// without effect. After StreamParallelTypePass an iteration waits for the outer stream, which has waited for the
// iteration before. This pass moves the outer stream's wait behind the loop, once per stream, before the first node
// that needs it:
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
// Then it drops every wait without which all conflicting accesses are still ordered. The happens-before relation holds
// for all sizes and numbers of streams: work on the outer stream is ordered; so are iterations with the same index, in
// whichever loops, since they run on one stream; a wait inside a loop orders earlier work of the outer stream before
// the iterations and before every later loop of that size; a wait after a loop orders loops of its size before later
// work of the outer stream. Loops whose iterations conflict, and programs with other uses of streams, are left alone.

#include <algorithm>

#include "fuser/host_passes/host_ir_pass.h"
#include "fuser/host_passes/stream_loops.h"

namespace fuser {
namespace {

// A step of the program: a top-level node, or the caller before and after it.
struct Step {
  hir::HostExpr* expr = nullptr;  // null: the caller, who made the inputs and reads the outputs
  std::vector<MemoryAccess> accesses;
  std::optional<StreamLoop> loop;
  bool serial = false;  // a loop whose turns stay in order
  bool waits = true;    // a loop whose turns wait for the stream outside
};

// A wait of the outer stream for the streams of a loop.
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

// The program as a list of steps, and the analysis of which waits it needs.
class Orders {
 public:
  explicit Orders(HostIrContainer& program) : program_(program), owners_(program) {}

  // False if the program has no loop over streams, or uses streams in other ways.
  bool read() {
    addCaller(program_.fusion().inputs(), true);
    // The caller's earlier accesses of output buffers count as work of the outer stream.
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
        // Iterations with the same index run on one stream.
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

  // Drops the waits that order nothing.
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
  // Which streams a step is ordered before.
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

  // The latest position for the wait for a loop: before the first step that needs it, which may be a waiting loop.
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

  // Whether the streams used by a loop of the first size are a subset of those used by a loop of the second size.
  bool usesStreamsOf(IntExpr size, IntExpr other) const { return program_.fusion().ints().provablyAtMost(size, other); }

  // The outer stream waits for the streams of that loop: for all work enqueued on them up to step `at`.
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
