// DelayWaitsPass: moves each wait for a communication down its body to the first node that needs it: one that accesses
// the received tensor, or writes or frees the sent one. So the nodes in between overlap with the communication. A wait
// stays above nodes with bodies, where only one branch may need it, and above nodes that set or synchronize streams,
// since it applies to the current stream. Communications keep their order, by which the ranks of a team match them.

#include <algorithm>

#include "fuser/host_passes/host_ir_pass.h"
#include "fuser/host_passes/stream_loops.h"

namespace fuser {
namespace {

bool isWait(const hir::HostExpr* expr) { return std::holds_alternative<hir::Wait>(expr->node); }

// After an if whose branches put a tensor in different memory, an access may touch any of it.
bool mayTouchSeveral(const HostIrContainer& program, const hir::HostExpr* expr) {
  const auto several = [&](const TensorView* tensor) { return program.ownersOf(tensor).size() > 1; };
  const TensorUses uses = usesOf(program, expr->node);
  return std::any_of(uses.reads.begin(), uses.reads.end(), several) ||
         std::any_of(uses.writes.begin(), uses.writes.end(), several);
}

// The position of the wait: before the first node that needs it, or before waits that are already there; the end of the
// body if no node does.
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
  // From the last one, so that waits that end up adjacent keep their order.
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
