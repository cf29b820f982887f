// Faults in the loops over streams of a host program.

#include <algorithm>

#include "fuzz/faults/fault_list.h"

namespace fuser::fuzz::faults {

bool loopNotAwaited(HostIrContainer& program) {
  bool applied = false;
  for (hir::HostExpr* wait : hostExprsOf<hir::Synchronize>(program)) {
    if (!std::get<hir::Synchronize>(wait->node).stream->index) continue;
    program.remove(wait);
    applied = true;
  }
  return applied;
}

bool loopDoesNotWait(HostIrContainer& program) {
  bool applied = false;
  for (hir::HostExpr* wait : hostExprsOf<hir::Synchronize>(program)) {
    if (std::get<hir::Synchronize>(wait->node).stream->index) continue;
    program.remove(wait);
    applied = true;
  }
  return applied;
}

bool waitForOwnStream(HostIrContainer& program) {
  bool applied = false;
  for (const hir::HostExpr* loop : hostExprsOf<hir::ForLoop>(program)) {
    const hir::Stream* outer = nullptr;
    for (hir::HostExpr* expr : program.body(loop)) {
      if (const auto* get = std::get_if<hir::GetCurrentStream>(&expr->node)) outer = get->stream;
      auto* wait = std::get_if<hir::Synchronize>(&expr->node);
      if (!wait || !wait->stream->index || !outer) continue;
      wait->stream = outer;
      applied = true;
    }
  }
  return applied;
}

// A turn sees a place of another tensor of that type.
bool sliceOfAnotherTensor(HostIrContainer& program) {
  bool applied = false;
  for (const hir::HostExpr* loop : hostExprsOf<hir::ForLoop>(program)) {
    std::vector<hir::HirAliasSelect*> selects;
    for (hir::HostExpr* expr : program.body(loop)) {
      if (auto* select = std::get_if<hir::HirAliasSelect>(&expr->node)) selects.push_back(select);
    }
    for (hir::HirAliasSelect* select : selects) {
      const auto other = std::find_if(selects.begin(), selects.end(), [&](const hir::HirAliasSelect* candidate) {
        return candidate->source != select->source && candidate->axis == select->axis && haveSameType(candidate->source, select->source);
      });
      if (other == selects.end()) continue;
      select->source = (*other)->source;
      applied = true;
      break;
    }
  }
  return applied;
}

// Before the loop that reads it last.
bool freeBeforeTheLoop(HostIrContainer& program) {
  bool applied = false;
  for (hir::HostExpr* freed : hostExprsOf<hir::Deallocate>(program)) {
    const TensorView* tensor = std::get<hir::Deallocate>(freed->node).tensor;
    const std::vector<hir::HostExpr*> loops = hostExprsOf<hir::ForLoop>(program);
    const auto reader = std::find_if(loops.rbegin(), loops.rend(), [&](hir::HostExpr* loop) {
      const hir::Body& body = program.body(loop);
      return std::any_of(body.begin(), body.end(), [&](const hir::HostExpr* expr) {
        const auto* select = std::get_if<hir::HirAliasSelect>(&expr->node);
        return select && select->source == tensor;
      });
    });
    if (reader == loops.rend()) continue;
    program.moveBefore(freed, *reader);
    applied = true;
  }
  return applied;
}

}  // namespace fuser::fuzz::faults
