#pragma once
// Analyses of loops over streams that host passes share: which memory a node accesses, and what orders nodes.

#include <optional>
#include <set>
#include <vector>

#include "fuser/host_ir/host_ir_container.h"

namespace fuser {

// Resolves aliases to the owner of memory. In programs with streams, the branches of an if never differ in aliases.
class MemoryOwners {
 public:
  explicit MemoryOwners(const HostIrContainer& program) : program_(&program) {}
  // The tensor whose memory this one uses directly, as a view, slice or in-place output; null if it has its own.
  const TensorView* source(const TensorView* tensor) const {
    const std::vector<const TensorView*> sources = program_->aliasesOf(tensor);
    return sources.empty() ? nullptr : sources.front();
  }
  // The tensor that owns the memory, at the end of the alias chain.
  const TensorView* owner(const TensorView* tensor) const { return program_->ownersOf(tensor).front(); }

 private:
  const HostIrContainer* program_;
};

// The ids of the values that a node, including its bodies, accesses. An access of memory counts for its owner. Host
// scalars (also in sizes) and the tensors that views and selects define count as values that are written once.
// Communications have an order, the same on all devices, and a wait comes behind its own.
struct Footprint {
  std::set<uint32_t> reads, writes;
};
Footprint footprintOf(const HostIrContainer& program, const MemoryOwners& owners, const hir::HostExpr* expr);
// Whether the order of the two matters: both access a value and one writes it.
bool conflict(const Footprint& a, const Footprint& b);

// A loop in which each iteration runs on its own stream, waits for the outer stream first, and is waited for by it:
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
  hir::Body work;  // the nodes between them, which have no bodies and use no streams
  IntExpr index = nullptr, size = nullptr;
};
// Whether the node, including its bodies, gets, sets or synchronizes a stream.
bool touchesStreams(const HostIrContainer& program, const hir::HostExpr* expr);
std::optional<StreamLoop> asStreamLoop(const HostIrContainer& program, hir::HostExpr* expr);  // nullopt: another node

// An access of memory. In a loop iteration, `axis` restricts it to the slice at the loop index along that axis.
struct MemoryAccess {
  const TensorView* owner = nullptr;
  bool write = false;
  std::optional<size_t> axis;  // nullopt: all of it
};
// The accesses of a node as work on a stream; nodes that only define memory (allocations, views, selects) or host
// scalars have none. `index` is the loop's; null outside of loops.
std::vector<MemoryAccess> accessesOf(const HostIrContainer& program, const MemoryOwners& owners,
                                     const hir::HostExpr* expr, IntExpr index = nullptr);

// Whether two accesses may conflict: on one element, at least one of them writing. mayMeetInOtherTurns: in iterations
// with different indices, since iterations with the same index run on one stream, in whichever loop.
bool mayMeet(const MemoryAccess& a, const MemoryAccess& b);
bool mayMeetInOtherTurns(const MemoryAccess& a, const MemoryAccess& b);

}  // namespace fuser
