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
#include <limits>
#include <set>
#include <unordered_map>

#include "fuser/host_passes/host_ir_pass.h"
#include "fuser/host_passes/stream_loops.h"

namespace fuser {
namespace {

// A step of the program: a top-level node, or the caller before and after it.
struct Step {
  hir::HostExpr* expr = nullptr;  // null: the caller, who made the inputs and reads the outputs
  std::vector<MemoryAccess> accesses;
  std::optional<StreamLoop> loop;
  bool serial = false;                // a loop whose turns stay in order
  bool waits = true;                  // a loop whose turns wait for the stream outside
  size_t size = 0;                    // a loop: which of the sizes
  std::vector<size_t> before, after;  // the steps that it conflicts with
};

// A wait of the outer stream for the streams of a loop.
struct Join {
  size_t loop = 0;    // which step
  size_t behind = 0;  // which step it follows
  bool kept = true;
};

// A loop's size, and what orders iterations of loops of that size: they and the outer stream wait for each other.
struct LoopSize {
  IntExpr size = nullptr;
  std::vector<size_t> loops;    // the steps that are loops of that size
  std::multiset<size_t> joins;  // behind which steps the outer stream waits for their streams
  std::set<size_t> waits;       // which steps are loops whose iterations wait on (some of) all their streams
};

// The program as a list of steps, and the analysis of which waits it needs. Two steps conflict where accesses of theirs
// meet; only those are looked at, so that programs of many steps cost little.
class Orders {
 public:
  explicit Orders(HostIrContainer& program) : program_(program), owners_(program) {}

  // False if the program has no loop over streams, or uses streams in other ways.
  bool read() {
    addCaller(program_.inputs(), true);
    // The caller's earlier accesses of output buffers count as work of the outer stream.
    for (const hir::HostExpr* takeOutput : hostExprsOf<hir::TakeOutput>(program_)) {
      steps_.front().accesses.push_back({std::get<hir::TakeOutput>(takeOutput->node).tensor, true, std::nullopt});
    }
    for (hir::HostExpr* expr : program_.topLevel()) {
      if (!add(expr)) return false;
    }
    addCaller(program_.outputs(), false);
    if (std::none_of(steps_.begin(), steps_.end(), [](const Step& step) { return step.loop.has_value(); })) {
      return false;
    }
    findConflicts();
    findSizes();
    return !joins_.empty() && allIsOrdered();
  }

  // Drops the waits that order nothing.
  void reduce() {
    for (Join& join : joins_) dropUnlessNeeded(join);
    for (size_t at = 0; at < steps_.size(); ++at) {
      if (steps_[at].loop && !steps_[at].serial) dropWaitUnlessNeeded(at);
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
  // Null: what another device has.
  void addCaller(const std::vector<const Val*>& vals, bool write) {
    Step caller;
    for (const Val* val : vals) {
      if (val && val->isTensor())
        caller.accesses.push_back({owners_.owner(val->as<TensorView>()), write, std::nullopt});
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

  // Each access is held against the earlier ones of its memory. What only reads conflicts with writes alone, and two
  // steps that are no loops have their order.
  void findConflicts() {
    using Accesses = std::vector<std::pair<size_t, MemoryAccess>>;  // with their steps
    struct Earlier {
      Accesses ofLoops[2], ofOthers[2];  // reads, writes
    };
    std::unordered_map<const TensorView*, Earlier> byMemory;  // look-ups only
    for (size_t at = 0; at < steps_.size(); ++at) {
      for (const MemoryAccess& access : steps_[at].accesses) {
        Earlier& earlier = byMemory[access.owner];
        (steps_[at].loop ? earlier.ofLoops : earlier.ofOthers)[access.write].emplace_back(at, access);
        const auto compare = [&](const Accesses& others) {
          for (const auto& [before, other] : others) noteConflict(before, other, at, access);
        };
        for (int write = access.write ? 0 : 1; write < 2; ++write) {
          compare(earlier.ofLoops[write]);
          if (steps_[at].loop) compare(earlier.ofOthers[write]);
        }
      }
    }
    for (Step& step : steps_) {
      for (std::vector<size_t>* conflicts : {&step.before, &step.after}) {
        std::sort(conflicts->begin(), conflicts->end());
        conflicts->erase(std::unique(conflicts->begin(), conflicts->end()), conflicts->end());
      }
    }
  }

  void noteConflict(size_t before, const MemoryAccess& a, size_t at, const MemoryAccess& b) {
    // Iterations with the same index run on one stream.
    const bool turns = steps_[before].loop && steps_[at].loop;
    if (turns ? !mayMeetInOtherTurns(a, b) : !mayMeet(a, b)) return;
    if (before == at) {
      steps_[at].serial = steps_[at].loop.has_value();
      return;
    }
    steps_[at].before.push_back(before);
    steps_[before].after.push_back(at);
  }

  // The loops by size, and what orders them at first: all waits.
  void findSizes() {
    std::unordered_map<IntExpr, size_t> known;  // look-ups only
    for (size_t at = 0; at < steps_.size(); ++at) {
      Step& step = steps_[at];
      if (!step.loop) continue;
      const auto [place, isNew] = known.emplace(step.loop->size, sizes_.size());
      if (isNew) sizes_.push_back({step.loop->size, {}, {}, {}});
      step.size = place->second;
      sizes_[step.size].loops.push_back(at);
      if (!step.serial) joins_.push_back({at, lastBeforeANeed(at), true});
    }
    for (size_t at = 0; at < steps_.size(); ++at) {
      if (!steps_[at].loop) continue;
      forEachSizeWithin(at, [&](LoopSize& size) {
        size.waits.insert(at);
        if (steps_[at].serial) size.joins.insert(at);
      });
    }
    for (const Join& join : joins_)
      forEachSizeWithin(join.loop, [&](LoopSize& size) { size.joins.insert(join.behind); });
  }

  // The sizes of loops that use only streams which the loop uses, too.
  template <class Visit>
  void forEachSizeWithin(size_t loop, const Visit& visit) {
    const IntExpr most = steps_[loop].loop->size;
    for (LoopSize& size : sizes_) {
      if (program_.fusion().ints().provablyAtMost(size.size, most)) visit(size);
    }
  }

  // The latest position for the wait for a loop: before the first step that needs it, which may be a waiting loop.
  size_t lastBeforeANeed(size_t loop) const {
    const std::vector<size_t>& after = steps_[loop].after;
    return (after.empty() ? steps_.size() - 1 : after.front()) - 1;
  }

  // Behind which step the outer stream is ordered after the step; kNever.
  size_t outsideFrom(size_t step) const {
    if (!steps_[step].loop) return step;
    const std::multiset<size_t>& joins = sizes_[steps_[step].size].joins;
    const auto join = joins.lower_bound(step);
    return join == joins.end() ? kNever : *join;
  }

  bool isOrdered(size_t before, size_t at) const {
    const size_t outside = outsideFrom(before);
    if (outside >= at) return false;
    if (!steps_[at].loop) return true;
    const std::set<size_t>& waits = sizes_[steps_[at].size].waits;
    const auto wait = waits.upper_bound(outside);
    return wait != waits.end() && *wait <= at;
  }
  bool isOrderedBeforeAll(size_t step) const {
    const std::vector<size_t>& after = steps_[step].after;
    return std::all_of(after.begin(), after.end(), [&](size_t at) { return isOrdered(step, at); });
  }
  bool isOrderedAfterAll(size_t step) const {
    const std::vector<size_t>& before = steps_[step].before;
    return std::all_of(before.begin(), before.end(), [&](size_t earlier) { return isOrdered(earlier, step); });
  }

  bool allIsOrdered() const {
    for (size_t at = 0; at < steps_.size(); ++at) {
      if (!isOrderedAfterAll(at)) return false;
    }
    return true;
  }

  // Without it, the loops that it was the first join of have the next one.
  void dropUnlessNeeded(Join& join) {
    bool needed = false;
    forEachSizeWithin(join.loop, [&](LoopSize& size) { size.joins.erase(size.joins.find(join.behind)); });
    forEachSizeWithin(join.loop, [&](const LoopSize& size) {
      const auto next = size.joins.lower_bound(join.behind);
      if (next != size.joins.end() && *next == join.behind) return;
      const size_t first = next == size.joins.begin() ? 0 : *std::prev(next) + 1;
      needed = needed || !allOf(size, first, join.behind + 1, [&](size_t loop) { return isOrderedBeforeAll(loop); });
    });
    join.kept = needed;
    if (needed) forEachSizeWithin(join.loop, [&](LoopSize& size) { size.joins.insert(join.behind); });
  }

  // Without it, the loops up to the next one that waits depend on an earlier one.
  void dropWaitUnlessNeeded(size_t wait) {
    bool needed = false;
    forEachSizeWithin(wait, [&](LoopSize& size) { size.waits.erase(wait); });
    forEachSizeWithin(wait, [&](const LoopSize& size) {
      const auto next = size.waits.lower_bound(wait);
      const size_t end = next == size.waits.end() ? steps_.size() : *next;
      needed = needed || !allOf(size, wait, end, [&](size_t loop) { return isOrderedAfterAll(loop); });
    });
    steps_[wait].waits = needed;
    if (needed) forEachSizeWithin(wait, [&](LoopSize& size) { size.waits.insert(wait); });
  }

  // Of the loops of a size in [first, end).
  template <class Holds>
  static bool allOf(const LoopSize& size, size_t first, size_t end, const Holds& holds) {
    auto loop = std::lower_bound(size.loops.begin(), size.loops.end(), first);
    for (; loop != size.loops.end() && *loop < end; ++loop) {
      if (!holds(*loop)) return false;
    }
    return true;
  }

  hir::HostExpr* insertJoin(const StreamLoop& loop, hir::HostExpr* place) {
    const auto& turns = std::get<hir::ForLoop>(loop.loop->node);
    const IntExpr index = program_.fusion().ints().symbol("StreamIdx");
    hir::HostExpr* join = program_.insertAfter(place, hir::ForLoop{index, turns.tensor, turns.axis, true});
    program_.append(hir::Synchronize{program_.newStream(index)}, join);
    return join;
  }

  static constexpr size_t kNever = std::numeric_limits<size_t>::max();

  HostIrContainer& program_;
  const MemoryOwners owners_;
  std::vector<Step> steps_;
  std::vector<LoopSize> sizes_;
  std::vector<Join> joins_;  // of the loops whose turns have no order
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
