// DelayWaitsPass: moves each wait for a communication down its body, to what first needs it: a node that touches what
// is received, or changes or frees what is sent. What stands between runs while the communication does. A wait stays
// above nodes with bodies, which may need it on one way only, and above those that set or await streams: it holds for
// the stream that is current. Communications keep their order, by which the ranks of a team match them.

#include <algorithm>

#include "fuser/host_passes/host_ir_pass.h"
#include "fuser/host_passes/stream_loops.h"

namespace fuser {
namespace {

bool isWait(const hir::HostExpr* expr) { return std::holds_alternative<hir::Wait>(expr->node); }

// Behind ways of an if that left a tensor in different memory, any of it may be touched.
bool mayTouchSeveral(const HostIrContainer& program, const hir::HostExpr* expr) {
  const auto several = [&](const TensorView* tensor) { return program.ownersOf(tensor).size() > 1; };
  const TensorUses uses = usesOf(program, expr->node);
  return std::any_of(uses.reads.begin(), uses.reads.end(), several) ||
         std::any_of(uses.writes.begin(), uses.writes.end(), several);
}

// What the wait goes before: the first node that has to stay behind it, or the waits that stand there already; the
// body's end where there is none.
hir::Body::const_iterator needOf(const HostIrContainer& program, const hir::Body& body, const hir::HostExpr* wait) {
  const MemoryOwners owners(program);
  const Footprint moved = footprintOf(program, owners, wait);
  const auto behind = std::find(body.begin(), body.end(), wait) + 1;
  auto need = std::find_if(behind, body.end(), [&](const hir::HostExpr* expr) {
    if (isWait(expr)) return false;
    return hir::bodyCount(expr->node) > 0 || touchesStreams(program, expr) || mayTouchSeveral(program, expr) ||
           conflict(moved, footprintOf(program, owners, expr));
  });
  while (need != behind && isWait(*(need - 1))) --need;
  return need;
}

}  // namespace

bool DelayWaitsPass::runPass(HostIrContainer& program, OwnRun) {
  bool changed = false;
  // From the last on: they keep their order where they meet.
  std::vector<hir::HostExpr*> waits = hostExprsOf<hir::Wait>(program);
  std::reverse(waits.begin(), waits.end());
  for (hir::HostExpr* wait : waits) {
    hir::HostExpr* parent = program.parent(wait);
    for (size_t branch = 0; branch < (parent ? hir::bodyCount(parent->node) : 1); ++branch) {
      const hir::Body& body = parent ? program.body(parent, branch) : program.topLevel();
      const auto place = std::find(body.begin(), body.end(), wait);
      if (place == body.end()) continue;
      const auto need = needOf(program, body, wait);
      if (need == place + 1) break;
      changed = true;
      if (need != body.end()) {
        program.moveBefore(wait, *need);
      } else {
        program.insertAfter(body.back(), wait->node);
        program.remove(wait);
      }
      break;
    }
  }
  return changed;
}

}  // namespace fuser
