#pragma once
// HostIrContainer: what the host does to run a segmented fusion: allocate, evaluate host scalars, launch, free. Made by
// HostIrLower, edited by host passes, run by HostIrEvaluator; there is no other way to run a segmented fusion.
//
//   host f(%x: f32[i0, i1], %n: i64) {
//     tensor %y: f32[i0] {allocation_order = [0], contiguity = [false]}   what differs from the types, or what no
//                                                                         expression makes
//     kernel k0_reduction
//     kernel k1_pointwise
//     segment 0 ExprEval (%n) -> (%m) {
//       evaluate %k, %m
//     }
//     segment 1 Reduction (%x) -> (%t) {
//       allocate %t: f32[i0]
//       launch k0_reduction(%x, %t; i0, i1, stride(%x, 0); )
//     }
//     segment 2 PointWise (%t, %m) -> (%y) {
//       allocate %y: f32[i0]
//       launch k1_pointwise(%t, %y; i0; %m)
//     }
//     free %t
//     segment 3 None (%y) -> (%z) {
//       allocate %z: f32[i0]
//       run cache 0(%y) -> (%z)
//     }
//     return %z
//   }

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fuser/host_ir/host_ir.h"
#include "fuser/kernel/kernel.h"

namespace fuser {

class HostIrContainer {
 public:
  // The segmented fusion; it and the kernels must outlive the program. Host passes add tensors and sizes to it.
  explicit HostIrContainer(Fusion& fusion) : fusion_(&fusion) {}

  Fusion& fusion() const { return *fusion_; }
  std::vector<const Kernel*> kernels;

  // --- what it is given and what it gives, in the order of the fusion's inputs and outputs ---
  // The fusion's own; or, on one of several devices, what that one has of them. Null: nothing.
  std::vector<const Val*> inputs() const;
  std::vector<const Val*> outputs() const;
  bool isInput(const Val* val) const;
  bool isOutput(const Val* val) const;
  // The program of one of the devices of the fusion's mesh.
  struct Device {
    int number = 0;
    std::vector<const Val*> inputs;
    std::vector<const Val*> outputs;
  };
  std::optional<Device> device;

  // --- structure ---
  const hir::Body& topLevel() const { return topLevel_; }
  // A node's body; branch 1: IfThenElse's other one.
  const hir::Body& body(const hir::HostExpr* expr, size_t branch = 0) const {
    return places_.at(expr->id).bodies.at(branch);
  }
  // The node in whose body it stands; null at the top level, and for a removed one.
  hir::HostExpr* parent(const hir::HostExpr* expr) const { return places_.at(expr->id).parent; }
  // False for what was removed, or stands in something that was.
  bool isPlaced(const hir::HostExpr* expr) const;

  // --- aliases: in whose memory a tensor is, as the View, Reuse and HirAliasSelect nodes of the program say ---
  // One step, in order of making; several only where the ways of an if say different things; none: it is in its own.
  std::vector<const TensorView*> aliasesOf(const TensorView* tensor) const;
  // All: a tensor and the one in whose memory it is, as often as nodes say so, by the tensors' ids.
  std::vector<std::pair<const TensorView*, const TensorView*>> aliases() const;
  // Where the chains end: who may hold the memory that reading or writing the tensor touches. Often itself.
  std::vector<const TensorView*> ownersOf(const TensorView* tensor) const;
  // Why the node cannot stand in the program: it would close a circle of aliases. "" where it can.
  std::string whyNoAlias(const hir::Node& node) const;

  // --- edits: each changes its place and nothing else ---
  // A CheckError where an edit is impossible (a place that was removed, neighbours that are none, aliases in a circle,
  // a communication removed that is waited for, a wait for one that was removed), before any change. What a node says
  // of aliases changes by replace alone.
  // A removed node stays valid until the container dies, with its node as it was and no place; what stood in its bodies
  // is removed with it. (Streams are shared: fuseLoops gives those of the second loop the first one's index.)
  hir::HostExpr* append(hir::Node node, hir::HostExpr* parent = nullptr, size_t branch = 0);
  hir::HostExpr* insertBefore(hir::HostExpr* place, hir::Node node);
  hir::HostExpr* insertAfter(hir::HostExpr* place, hir::Node node);
  // The new node has the old one's place. Neither may have bodies.
  hir::HostExpr* replace(hir::HostExpr* old, hir::Node node);
  void remove(hir::HostExpr* expr);
  void moveBefore(hir::HostExpr* expr, hir::HostExpr* place);
  // To the end of the loop's body.
  void moveInto(hir::HostExpr* expr, hir::HostExpr* loop);
  // Everything from first to last, which stand in one body in this order, becomes the body of a new loop in their
  // place.
  hir::HostExpr* wrapInLoop(hir::HostExpr* first, hir::HostExpr* last, hir::ForLoop loop);
  // The second loop, which follows the first, gives it its body, whose index becomes the first one's, and is removed.
  // Sizes are the caller's to compare.
  void fuseLoops(hir::HostExpr* first, hir::HostExpr* second);

  // Null: to be filled by GetCurrentStream.
  const hir::Stream* newStream(IntExpr index = nullptr);
  size_t streamCount() const { return streams_.size(); }

 private:
  struct Place {
    hir::HostExpr* parent = nullptr;
    size_t branch = 0;
    bool placed = false;
    std::array<hir::Body, 2> bodies;
  };
  struct Alias {
    const TensorView* source = nullptr;
    size_t nodes = 0;  // that say so
  };

  // That it may stand in the program: it closes no circle of aliases, and waits for nothing that was removed.
  void checkNode(const hir::Node& node) const;
  // That no wait outside it names a communication that it is or holds.
  void checkNotAwaited(const hir::HostExpr* expr) const;
  // "%a -> %b -> %c" from here to the wanted one; "" where no chain leads there.
  std::string chainTo(const TensorView* from, const TensorView* wanted) const;
  hir::Body& bodyOf(const hir::HostExpr* parent, size_t branch);
  // Where it stands in its parent's body.
  hir::Body::iterator positionOf(const hir::HostExpr* expr);
  hir::HostExpr* make(hir::Node node, hir::HostExpr* parent, size_t branch);
  hir::HostExpr* insertAt(hir::HostExpr* place, std::ptrdiff_t offset, hir::Node node);
  void detach(hir::HostExpr* expr);
  void detachAll(hir::HostExpr* expr);  // what stands in its bodies, too
  void attach(hir::HostExpr* expr, hir::HostExpr* parent, size_t branch, hir::Body::iterator at);
  bool isInside(const hir::HostExpr* expr, const hir::HostExpr* outer) const;

  Fusion* fusion_;
  hir::Body topLevel_;
  std::vector<std::unique_ptr<hir::HostExpr>> exprs_;  // by id
  std::vector<Place> places_;                          // by id
  std::vector<std::unique_ptr<hir::Stream>> streams_;  // by number
  std::unordered_map<uint32_t, std::vector<Alias>> aliases_;  // by the tensor's id; look-ups only
};

// The tensor that a node says is in another one's memory, and that one; nulls where it says nothing of that.
std::pair<const TensorView*, const TensorView*> aliasIn(const hir::Node& node);

// --- tensor_uses.cpp ---
// The tensors that a node itself reads and writes, in the order in which it names them; memory that it makes or gives
// back counts as written. What only looks at sizes, and a node's bodies, do not count.
struct TensorUses {
  std::vector<const TensorView*> reads;
  std::vector<const TensorView*> writes;
};
TensorUses usesOf(const HostIrContainer& program, const hir::Node& node);

// --- host_ir_container.cpp ---
// Calls see for each node in the order of the program, a node with bodies before what stands in it. What see removes is
// not visited, nor is what it inserts beside the nodes of the body that is being visited.
void forEachHostExpr(const HostIrContainer& program, const std::function<void(hir::HostExpr*)>& see);
void forEachHostExpr(const HostIrContainer& program, const hir::Body& body,
                     const std::function<void(hir::HostExpr*)>& see);

// The nodes of one kind, in that order.
template <class Node>
std::vector<hir::HostExpr*> hostExprsOf(const HostIrContainer& program) {
  std::vector<hir::HostExpr*> found;
  forEachHostExpr(program, [&](hir::HostExpr* expr) {
    if (std::holds_alternative<Node>(expr->node)) found.push_back(expr);
  });
  return found;
}

// --- print_host_ir.cpp ---
// The full form, which parseHostIr reads.
std::string toString(const HostIrContainer& program);
// --- host_ir_summary.cpp ---
// The field's short form: tensors by number ("T1_g_float[iS0{i0}]"), expressions, streams.
std::string toSummary(const HostIrContainer& program);

// --- parse_host_ir.cpp ---
// What toString printed for a program over this fusion, whose values' names are unique, or over one that has no tensors
// of host passes yet: it gains those that the text declares, and their layouts. The kernels are those declared. Not
// verified. A UserError names the line and what is wrong with it.
HostIrContainer parseHostIr(std::string_view text, Fusion& fusion, std::span<const Kernel* const> kernels);

// A CheckError unless the program keeps the constraints of verify_host_ir.cpp: all, or all but 4.
enum class HostLeaks : uint8_t { Forbidden, Allowed };
void verifyHostIr(const HostIrContainer& program, HostLeaks leaks = HostLeaks::Forbidden);

}  // namespace fuser
