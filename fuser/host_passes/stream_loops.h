#pragma once
// Loops over streams as passes see them: what nodes touch, in whose memory, and what orders them.

#include <optional>
#include <set>
#include <vector>

#include "fuser/host_ir/host_ir_container.h"

namespace fuser {

// In whose memory tensors of a program are seen; programs with streams have no ways of an if that say different things.
class MemoryOwners {
 public:
  explicit MemoryOwners(const HostIrContainer& program) : program_(&program) {}
  // What the tensor is a view or a place of, or is written over; null: it has memory of its own.
  const TensorView* source(const TensorView* tensor) const {
    const std::vector<const TensorView*> sources = program_->aliasesOf(tensor);
    return sources.empty() ? nullptr : sources.front();
  }
  // Of the tensor, whichever it is seen through.
  const TensorView* owner(const TensorView* tensor) const { return program_->ownersOf(tensor).front(); }

 private:
  const HostIrContainer* program_;
};

// What a node and all that stands in it touches: ids of values. Memory counts as its owner's; host scalars, which sizes
// need too, and the names of views and places count as values that are written once.
struct Footprint {
  std::set<uint32_t> reads, writes;
};
Footprint footprintOf(const HostIrContainer& program, const MemoryOwners& owners, const hir::HostExpr* expr);
// Whether their order matters.
bool conflict(const Footprint& a, const Footprint& b);

// A loop whose turns each run on the stream of their number, wait for the stream outside before, and are awaited by it:
//   for index0 in %t {axis = 0} {
//     get stream saved0
//     set stream by index0
//     synchronize saved0
//     …
//     set stream saved0
//     synchronize by index0
//   }
struct StreamLoop {
  hir::HostExpr* loop = nullptr;
  hir::HostExpr *get = nullptr, *set = nullptr, *wait = nullptr, *restore = nullptr, *join = nullptr;
  hir::Body work;  // what stands between, with neither bodies nor streams
  IntExpr index = nullptr, size = nullptr;
};
// Whether the node or one in it sets, finds or awaits a stream.
bool touchesStreams(const HostIrContainer& program, const hir::HostExpr* expr);
std::optional<StreamLoop> asStreamLoop(const HostIrContainer& program, hir::HostExpr* expr);

// What work touches: memory of the owner, and, in a turn of a loop, of which axis the place of the turn's index alone.
struct MemoryAccess {
  const TensorView* owner = nullptr;
  bool write = false;
  std::optional<size_t> axis;  // nullopt: all of it
};
// Of work on streams: what names memory (allocations, views, selects) and host scalars touches none.
// index: of the turn; null outside loops.
std::vector<MemoryAccess> accessesOf(const HostIrContainer& program, const MemoryOwners& owners,
                                     const hir::HostExpr* expr, IntExpr index = nullptr);

// Whether two of them may touch an element that one writes; in turns of loops: in turns of different numbers, for those
// of one number run on one stream, whichever their loops.
bool mayMeet(const MemoryAccess& a, const MemoryAccess& b);
bool mayMeetInOtherTurns(const MemoryAccess& a, const MemoryAccess& b);

}  // namespace fuser
