// FuseStreamLoopsPass: fuses two top-level loops over streams of equal size if dependences allow it. Nodes between them
// move before the first loop, or after the second one if they depend on the first. Each loop may access the other's
// memory only in the slice of the same index, so that iterations stay independent. A fused iteration gets and sets its
// stream once, synchronizes once, and selects each slice once:
//   for index0 in %a {axis = 0} { … select %a.s0 of %a …; compute into (%a.s0) … }
//   compute (%b) from (%x) as %b
//   for index1 in %c {axis = 0} { … select %a.s1 of %a …; compute into (%c.s2) from (%a.s1, %b) … }
// becomes
//   compute (%b) from (%x) as %b
//   for index0 in %a {axis = 0} {
//     … select %a.s0 of %a …; compute into (%a.s0) …; compute into (%c.s2) from (%a.s0, %b) …
//   }

#include <algorithm>

#include "fuser/host_passes/host_ir_pass.h"
#include "fuser/host_passes/stream_loops.h"

namespace fuser {
namespace {

class Fuser {
 public:
  explicit Fuser(HostIrContainer& program) : program_(program), owners_(program) {}

  bool run() {
    bool changed = false;
    for (size_t at = 0; at < program_.topLevel().size(); ++at) {
      hir::HostExpr* const first = program_.topLevel()[at];
      while (asStreamLoop(program_, first) && fuseWithALaterOne(first)) changed = true;
      // Nodes between the loops may have moved before the first one.
      while (program_.topLevel()[at] != first) ++at;
    }
    return changed;
  }

 private:
  bool fuseWithALaterOne(hir::HostExpr* first) {
    const hir::Body body = program_.topLevel();
    const auto begin = std::find(body.begin(), body.end(), first) + 1;
    const StreamLoop one = *asStreamLoop(program_, first);
    // The nodes in between that depend on the first loop, directly or not, and so must stay after it.
    std::vector<hir::HostExpr*> behind;
    std::vector<Footprint> touchedBehind{footprintOf(program_, owners_, first)};
    for (auto at = begin; at != body.end(); ++at) {
      const std::optional<StreamLoop> other = asStreamLoop(program_, *at);
      if (!other && touchesStreams(program_, *at)) return false;  // nothing moves past it
      const Footprint touched = footprintOf(program_, owners_, *at);
      const auto needs = [&](const Footprint& before) { return conflict(before, touched); };
      if (other && other->size == one.size && mayShareTurns(one, *other) &&
          std::none_of(touchedBehind.begin() + 1, touchedBehind.end(), needs)) {
        fuse(one, *other, {begin, at}, behind);
        return true;
      }
      if (std::none_of(touchedBehind.begin(), touchedBehind.end(), needs)) continue;
      behind.push_back(*at);
      touchedBehind.push_back(touched);
    }
    return false;
  }

  // Whether iterations with different indices have no conflicting accesses.
  bool mayShareTurns(const StreamLoop& one, const StreamLoop& other) const {
    for (const MemoryAccess& a : accesses(one)) {
      for (const MemoryAccess& b : accesses(other)) {
        if (mayMeetInOtherTurns(a, b)) return false;
      }
    }
    return true;
  }

  std::vector<MemoryAccess> accesses(const StreamLoop& loop) const {
    std::vector<MemoryAccess> all;
    for (const hir::HostExpr* work : loop.work) {
      const std::vector<MemoryAccess> more = accessesOf(program_, owners_, work, loop.index);
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }

  void fuse(const StreamLoop& one, const StreamLoop& other, const hir::Body& between,
            const std::vector<hir::HostExpr*>& behind) {
    for (hir::HostExpr* expr : between) {
      if (std::find(behind.begin(), behind.end(), expr) == behind.end()) program_.moveBefore(expr, one.loop);
    }
    if (!behind.empty()) program_.moveBefore(other.loop, behind.front());
    for (hir::HostExpr* expr : {other.get, other.set, other.wait, other.restore, other.join}) program_.remove(expr);
    program_.fuseLoops(one.loop, other.loop);
    for (hir::HostExpr* expr : {one.restore, one.join}) program_.moveInto(expr, one.loop);
    selectOnce(one.loop);
  }

  // Removes a second select of a slice in an iteration, if all readers of it are known.
  void selectOnce(hir::HostExpr* loop) {
    const StreamLoop turns = *asStreamLoop(program_, loop);
    for (const hir::HostExpr* expr : turns.work) {
      const bool plain = std::holds_alternative<hir::StandaloneOp>(expr->node) ||
                         std::holds_alternative<hir::HirAliasSelect>(expr->node);
      if (!plain) return;
    }
    std::vector<hir::HirAliasSelect> known;
    for (hir::HostExpr* expr : turns.work) {
      const auto* select = std::get_if<hir::HirAliasSelect>(&expr->node);
      if (!select || !program_.isPlaced(expr)) continue;  // one that reads another place stands in its place
      const auto same = std::find_if(known.begin(), known.end(), [&](const hir::HirAliasSelect& earlier) {
        return earlier.source == select->source && earlier.axis == select->axis && earlier.index == select->index;
      });
      if (same == known.end()) {
        known.push_back(*select);
        continue;
      }
      replaceTensor(loop, select->tensor, same->tensor);
      program_.remove(expr);
    }
  }

  void replaceTensor(hir::HostExpr* loop, const TensorView* from, const TensorView* to) {
    const auto replaceIn = [&](auto& vals) {
      for (auto& val : vals) {
        if (val == from) val = to;
      }
    };
    for (hir::HostExpr* expr : hir::Body(program_.body(loop))) {
      if (auto* op = std::get_if<hir::StandaloneOp>(&expr->node)) {
        replaceIn(op->inputs);
        replaceIn(op->outputs);
        replaceIn(op->launch.tensors);
      } else if (const auto* select = std::get_if<hir::HirAliasSelect>(&expr->node); select && select->source == from) {
        hir::HirAliasSelect other = *select;
        other.source = to;
        program_.replace(expr, std::move(other));
      }
    }
  }

  HostIrContainer& program_;
  const MemoryOwners owners_;
};

}  // namespace

bool FuseStreamLoopsPass::runPass(HostIrContainer& program, OwnRun) { return Fuser(program).run(); }

}  // namespace fuser
