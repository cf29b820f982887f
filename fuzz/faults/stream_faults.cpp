// Faults in the loops over streams of a host program.

#include <algorithm>

#include "fuzz/faults/fault_list.h"

namespace fuser::fuzz::faults {
namespace {

// Loops of turns, or of waits for the streams of turns.
std::vector<hir::HostExpr*> loopsOf(const HostIrContainer& program, bool overStreams) {
  std::vector<hir::HostExpr*> loops = hostExprsOf<hir::ForLoop>(program);
  std::erase_if(
      loops, [&](const hir::HostExpr* loop) { return std::get<hir::ForLoop>(loop->node).overStreams != overStreams; });
  return loops;
}

IntExpr sizeOf(const hir::HostExpr* loop) {
  const auto& turns = std::get<hir::ForLoop>(loop->node);
  return turns.tensor->axes().at(turns.axis)->size();
}

}  // namespace

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
  for (hir::HostExpr* expr : hostExprsOf<hir::Synchronize>(program)) {
    auto& wait = std::get<hir::Synchronize>(expr->node);
    if (!wait.stream->index) continue;
    const hir::Stream* stream = program.newStream();
    program.insertBefore(expr, hir::GetCurrentStream{stream});
    wait.stream = stream;
    applied = true;
  }
  return applied;
}

// A turn sees a place of another tensor of that type.
bool sliceOfAnotherTensor(HostIrContainer& program) {
  bool applied = false;
  for (const hir::HostExpr* loop : hostExprsOf<hir::ForLoop>(program)) {
    std::vector<hir::HostExpr*> selects;
    for (hir::HostExpr* expr : program.body(loop)) {
      if (std::holds_alternative<hir::HirAliasSelect>(expr->node)) selects.push_back(expr);
    }
    for (hir::HostExpr* expr : selects) {
      hir::HirAliasSelect select = std::get<hir::HirAliasSelect>(expr->node);
      const auto other = std::find_if(selects.begin(), selects.end(), [&](const hir::HostExpr* each) {
        const auto& candidate = std::get<hir::HirAliasSelect>(each->node);
        return candidate.source != select.source && candidate.axis == select.axis &&
               haveSameType(candidate.source, select.source);
      });
      if (other == selects.end()) continue;
      select.source = std::get<hir::HirAliasSelect>((*other)->node).source;
      program.replace(expr, select);
      applied = true;
      break;
    }
  }
  return applied;
}

// As if slices of it alone were allocated.
bool wrapSlice(HostIrContainer& program) {
  for (hir::HostExpr* expr : hostExprsOf<hir::HirAliasSelect>(program)) {
    auto& select = std::get<hir::HirAliasSelect>(expr->node);
    if (select.wraps) continue;
    select.wraps = true;
    return true;
  }
  return false;
}

bool swapStreams(HostIrContainer& program) {
  bool applied = false;
  for (const hir::HostExpr* loop : hostExprsOf<hir::ForLoop>(program)) {
    std::vector<hir::SetCurrentStream*> sets;
    for (hir::HostExpr* expr : program.body(loop)) {
      if (auto* set = std::get_if<hir::SetCurrentStream>(&expr->node)) sets.push_back(set);
    }
    if (sets.size() != 2) continue;
    std::swap(sets[0]->stream, sets[1]->stream);
    applied = true;
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

// Two loops of one size, with whatever stands between them behind both.
bool fuseOverADependence(HostIrContainer& program) {
  const std::vector<hir::HostExpr*> loops = loopsOf(program, false);
  for (size_t i = 1; i < loops.size(); ++i) {
    hir::HostExpr *first = loops[i - 1], *second = loops[i];
    const hir::Body body = program.topLevel();
    const auto begin = std::find(body.begin(), body.end(), first), end = std::find(body.begin(), body.end(), second);
    if (begin == body.end() || end == body.end() || sizeOf(first) != sizeOf(second)) continue;
    hir::HostExpr* behind = nullptr;
    for (auto at = begin + 1; at != end; ++at) {
      if (std::holds_alternative<hir::Allocate>((*at)->node)) {
        program.moveBefore(*at, first);
      } else if (!behind) {
        behind = *at;
      }
    }
    if (!behind) continue;
    program.moveBefore(second, behind);
    program.fuseLoops(first, second);
    return true;
  }
  return false;
}

// What something reads beside the selects of one loop, at one axis.
bool sliceWhatIsReadLater(HostIrContainer& program) {
  bool applied = false;
  for (hir::HostExpr* hostExpr : hostExprsOf<hir::Allocate>(program)) {
    auto& allocate = std::get<hir::Allocate>(hostExpr->node);
    std::vector<hir::HostExpr*> selects;
    bool whole = false, oneAxis = true;
    forEachHostExpr(program, [&](hir::HostExpr* expr) {
      const auto* select = std::get_if<hir::HirAliasSelect>(&expr->node);
      if (select && select->source == allocate.tensor) {
        selects.push_back(expr);
        oneAxis &= select->axis == std::get<hir::HirAliasSelect>(selects.front()->node).axis;
        whole |= program.parent(expr) != program.parent(selects.front());
      } else if (!std::holds_alternative<hir::Deallocate>(expr->node)) {
        const std::vector<const TensorView*> reads = usesOf(program, expr->node).reads;
        whole |= std::find(reads.begin(), reads.end(), allocate.tensor) != reads.end();
      }
    });
    if (allocate.slicedAxis || allocate.tensor->isFusionOutput() || selects.empty() || !whole || !oneAxis) continue;
    allocate.slicedAxis = std::get<hir::HirAliasSelect>(selects.front()->node).axis;
    for (hir::HostExpr* select : selects) std::get<hir::HirAliasSelect>(select->node).wraps = true;
    applied = true;
  }
  return applied;
}

// The last expression of a turn that reads a slice runs on the stream outside.
bool readSliceElsewhere(HostIrContainer& program) {
  bool applied = false;
  for (hir::HostExpr* loop : loopsOf(program, false)) {
    const hir::Body& body = program.body(loop);
    const auto* get = body.empty() ? nullptr : std::get_if<hir::GetCurrentStream>(&body.front()->node);
    std::vector<const TensorView*> slices;
    hir::HostExpr* reader = nullptr;
    for (hir::HostExpr* expr : body) {
      const auto* select = std::get_if<hir::HirAliasSelect>(&expr->node);
      if (select && select->wraps) slices.push_back(select->tensor);
      const auto* op = std::get_if<hir::StandaloneOp>(&expr->node);
      const bool reads = op && std::any_of(op->inputs.begin(), op->inputs.end(), [&](const Val* input) {
                           return std::find(slices.begin(), slices.end(), input) != slices.end();
                         });
      if (reads) reader = expr;
    }
    if (!get || !reader) continue;
    program.insertBefore(reader, hir::SetCurrentStream{get->stream});
    applied = true;
  }
  return applied;
}

// As if the turns of any two loops ran on the same streams.
bool awaitOtherSize(HostIrContainer& program) {
  bool applied = false;
  for (hir::HostExpr* wait : loopsOf(program, true)) {
    for (const hir::HostExpr* other : loopsOf(program, false)) {
      if (sizeOf(other) == sizeOf(wait)) continue;
      auto& loop = std::get<hir::ForLoop>(wait->node);
      loop.tensor = std::get<hir::ForLoop>(other->node).tensor;
      loop.axis = std::get<hir::ForLoop>(other->node).axis;
      applied = true;
      break;
    }
  }
  return applied;
}

// Behind the node that needs it.
bool awaitTooLate(HostIrContainer& program) {
  bool applied = false;
  for (hir::HostExpr* wait : loopsOf(program, true)) {
    const hir::Body& body = program.topLevel();
    const auto next = std::find(body.begin(), body.end(), wait) + 1;
    if (next == body.end()) continue;
    program.moveBefore(*next, wait);
    applied = true;
  }
  return applied;
}

}  // namespace fuser::fuzz::faults
