#pragma once
// HostIrContainer (nvFuser's name): a host program, the steps that run a segmented fusion: allocate, evaluate scalars,
// launch, free. HostIrLower creates it, host passes edit it, HostIrEvaluator runs it; there is no other way to run one.
//
//   host f(%x: f32[i0, i1], %n: i64) {
//     tensor %y: f32[i0] {allocation_order = [0], contiguity = [false]}   tensors and layouts that the types of
//                                                                         the fusion do not show
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
  // The segmented fusion, to which host passes add tensors and sizes; it and the kernels must outlive the program.
  explicit HostIrContainer(Fusion& fusion) : fusion_(&fusion) {}

  Fusion& fusion() const { return *fusion_; }
  std::vector<const Kernel*> kernels;

  // --- inputs and outputs, in the order of the fusion's ---
  // The fusion's; in the program of one of several devices, that device's parts of them. Null: it holds no part.
  std::vector<const Val*> inputs() const;
  std::vector<const Val*> outputs() const;
  bool isInput(const Val* val) const;
  bool isOutput(const Val* val) const;
  // Set if this is the program of one device of the fusion's mesh.
  struct Device {
    int number = 0;
    std::vector<const Val*> inputs;
    std::vector<const Val*> outputs;
  };
  std::optional<Device> device;

  // --- structure ---
  const hir::Body& topLevel() const { return topLevel_; }
  // A body of a node; branch 1 is the second body of IfThenElse.
  const hir::Body& body(const hir::HostExpr* expr, size_t branch = 0) const {
    return places_.at(expr->id).bodies.at(branch);
  }
  // The node whose body contains it; null at the top level and for a removed node.
  hir::HostExpr* parent(const hir::HostExpr* expr) const { return places_.at(expr->id).parent; }
  // False for a removed node and for a node inside a removed one.
  bool isPlaced(const hir::HostExpr* expr) const;

  // --- aliases: which tensor's memory a tensor uses, by the program's View, Reuse, HirAliasSelect, … nodes ---
  // The direct sources, in order of creation; several if the branches of an if differ; none if it has its own memory.
  std::vector<const TensorView*> aliasesOf(const TensorView* tensor) const;
  // All (tensor, source) pairs, one per node, ordered by the tensors' ids.
  std::vector<std::pair<const TensorView*, const TensorView*>> aliases() const;
  // The tensors at the ends of the alias chains, one of which owns the memory that the tensor uses. Often the tensor
  // itself.
  std::vector<const TensorView*> ownersOf(const TensorView* tensor) const;
  // The reason why the node cannot be added: it would create a cycle of aliases. "" if it can.
  std::string whyNoAlias(const hir::Node& node) const;

  // --- edits: each one changes a single position ---
  // An invalid edit is a CheckError, before any change: a removed position, nodes that are not adjacent, a cycle of
  // aliases, removing a communication that has a wait, a wait for a removed communication. Only replace changes the
  // aliases of a node.
  // A removed node stays valid until the container is destroyed; the nodes in its bodies are removed with it. (Streams
  // are shared: fuseLoops changes the index of the second loop's streams to the first one's.)
  hir::HostExpr* append(hir::Node node, hir::HostExpr* parent = nullptr, size_t branch = 0);
  hir::HostExpr* insertBefore(hir::HostExpr* place, hir::Node node);
  hir::HostExpr* insertAfter(hir::HostExpr* place, hir::Node node);
  // Puts a new node in the position of the old one. Neither may have bodies.
  hir::HostExpr* replace(hir::HostExpr* old, hir::Node node);
  void remove(hir::HostExpr* expr);
  void moveBefore(hir::HostExpr* expr, hir::HostExpr* place);
  // Moves a node to the end of the loop's body.
  void moveInto(hir::HostExpr* expr, hir::HostExpr* loop);
  // Replaces the nodes from first to last, which are in one body in this order, by a new loop with these nodes as its
  // body.
  hir::HostExpr* wrapInLoop(hir::HostExpr* first, hir::HostExpr* last, hir::ForLoop loop);
  // Appends the body of the second loop, which directly follows the first, to the first one's, replaces its index and
  // removes it. The caller must know that the sizes are equal.
  void fuseLoops(hir::HostExpr* first, hir::HostExpr* second);

  // Creates a stream. A null index: GetCurrentStream sets it.
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
    size_t nodes = 0;  // the number of nodes that create this alias
  };

  // Checks that the node creates no cycle of aliases and does not wait for a removed communication.
  void checkNode(const hir::Node& node) const;
  // Checks that no wait outside of the node refers to a communication that it is or contains.
  void checkNotAwaited(const hir::HostExpr* expr) const;
  // The alias chain "%a -> %b -> %c" between two tensors; "" if there is none.
  std::string chainTo(const TensorView* from, const TensorView* wanted) const;
  hir::Body& bodyOf(const hir::HostExpr* parent, size_t branch);
  // The position of a node in its parent's body.
  hir::Body::iterator positionOf(const hir::HostExpr* expr);
  hir::HostExpr* make(hir::Node node, hir::HostExpr* parent, size_t branch);
  hir::HostExpr* insertAt(hir::HostExpr* place, std::ptrdiff_t offset, hir::Node node);
  void detach(hir::HostExpr* expr);
  void detachAll(hir::HostExpr* expr);  // including the nodes in its bodies
  void attach(hir::HostExpr* expr, hir::HostExpr* parent, size_t branch, hir::Body::iterator at);
  bool isInside(const hir::HostExpr* expr, const hir::HostExpr* outer) const;

  Fusion* fusion_;
  hir::Body topLevel_;
  std::vector<std::unique_ptr<hir::HostExpr>> exprs_;         // by id
  std::vector<Place> places_;                                 // by id
  std::vector<std::unique_ptr<hir::Stream>> streams_;         // by number
  std::unordered_map<uint32_t, std::vector<Alias>> aliases_;  // by the tensor's id; for lookups only
};

// The (tensor, source) pair of a node that creates an alias; nulls for any other node.
std::pair<const TensorView*, const TensorView*> aliasIn(const hir::Node& node);

// --- tensor_uses.cpp ---
// The tensors that a node itself reads and writes, in textual order. Allocating and freeing count as writes. Reads of
// sizes and the nodes in its bodies do not count.
struct TensorUses {
  std::vector<const TensorView*> reads;
  std::vector<const TensorView*> writes;
};
TensorUses usesOf(const HostIrContainer& program, const hir::Node& node);

// --- host_ir_container.cpp ---
// Calls `see` for each node in pre-order. Nodes that `see` removes are not visited, nor are those that it inserts into
// the body being visited.
void forEachHostExpr(const HostIrContainer& program, const std::function<void(hir::HostExpr*)>& see);
void forEachHostExpr(const HostIrContainer& program, const hir::Body& body,
                     const std::function<void(hir::HostExpr*)>& see);

// The node that computes these expressions, in topological order, from operands to results of the fusion: one
// expression with all that it reads and makes, or several with these.
hir::StandaloneOp standaloneOp(std::vector<const Expr*> exprs, std::vector<const Val*> operands,
                               std::vector<const TensorView*> results);

// All nodes of one kind, in that order.
template <class Node>
std::vector<hir::HostExpr*> hostExprsOf(const HostIrContainer& program) {
  std::vector<hir::HostExpr*> found;
  forEachHostExpr(program, [&](hir::HostExpr* expr) {
    if (std::holds_alternative<Node>(expr->node)) found.push_back(expr);
  });
  return found;
}

// --- print_host_ir.cpp ---
// The full text form, which parseHostIr parses.
std::string toString(const HostIrContainer& program);
// --- host_ir_summary.cpp ---
// The short form that nvFuser prints: tensors by number ("T1_g_float[iS0{i0}]"), expressions, streams.
std::string toSummary(const HostIrContainer& program);

// --- parse_host_ir.cpp ---
// Parses the output of toString. `fusion` is the program's fusion, with unique names; it may lack the tensors of host
// passes, which are then created as the text declares them. `kernels` are the kernels that the text declares, in that
// order. Does not verify the program. A UserError has the line number.
HostIrContainer parseHostIr(std::string_view text, Fusion& fusion, std::span<const Kernel* const> kernels);

// A CheckError if the program violates a constraint of verify_host_ir.cpp. Allowed: skips constraint 4.
enum class HostLeaks : uint8_t { Forbidden, Allowed };
void verifyHostIr(const HostIrContainer& program, HostLeaks leaks = HostLeaks::Forbidden);

}  // namespace fuser
