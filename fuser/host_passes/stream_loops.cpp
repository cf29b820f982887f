// Computes the accesses of nodes and recognizes loops over streams.

#include "fuser/host_passes/stream_loops.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace fuser {
namespace {

template <class Node>
const Node* as(const hir::HostExpr* expr) {
  return std::get_if<Node>(&expr->node);
}

// In a footprint, beside the ids of values.
constexpr uint32_t kOrderOfCommunications = std::numeric_limits<uint32_t>::max();
uint32_t stateOf(const hir::HostExpr* communication) {
  return kOrderOfCommunications - 1 - static_cast<uint32_t>(communication->id);
}

bool isOfStreams(const hir::HostExpr* expr) {
  return as<hir::GetCurrentStream>(expr) || as<hir::SetCurrentStream>(expr) || as<hir::Synchronize>(expr);
}

// The select nodes of a body at the loop's index, by the tensor that they define. Look-ups only.
using Selects = std::unordered_map<const TensorView*, const hir::HirAliasSelect*>;
Selects selectsAt(const hir::Body& body, IntExpr index) {
  Selects selects;
  for (const hir::HostExpr* expr : body) {
    const auto* select = index ? as<hir::HirAliasSelect>(expr) : nullptr;
    if (select && select->index == index) selects.emplace(select->tensor, select);
  }
  return selects;
}

// `selects`: of the body that the node is in.
void addAccesses(const HostIrContainer& program, const MemoryOwners& owners, const hir::HostExpr* expr, IntExpr index,
                 const Selects& selects, std::vector<MemoryAccess>& accesses) {
  for (size_t branch = 0; branch < hir::bodyCount(expr->node); ++branch) {
    const hir::Body& body = program.body(expr, branch);
    const Selects inside = selectsAt(body, index);
    for (const hir::HostExpr* inner : body) addAccesses(program, owners, inner, index, inside, accesses);
  }
  const bool names = as<hir::Allocate>(expr) || as<hir::View>(expr) || as<hir::Reuse>(expr) || as<hir::Place>(expr) ||
                     as<hir::TakeOutput>(expr) || as<hir::HirAliasSelect>(expr) || as<hir::EvaluateScalars>(expr);
  if (names) return;
  const auto add = [&](const TensorView* tensor, bool write) {
    MemoryAccess access{owners.owner(tensor), write, std::nullopt};
    const auto found = selects.find(tensor);
    const hir::HirAliasSelect* select = found == selects.end() ? nullptr : found->second;
    // A broadcast axis has one element; slices of views are not analyzed.
    const bool ofAPlace =
        select && select->source == access.owner && !select->source->axes().at(select->axis)->isBroadcast();
    if (ofAPlace) access.axis = select->axis;
    accesses.push_back(access);
  };
  const TensorUses uses = usesOf(program, expr->node);
  for (const TensorView* tensor : uses.reads) add(tensor, false);
  for (const TensorView* tensor : uses.writes) add(tensor, true);
}

// The host scalars that a size needs.
void addScalars(const Fusion& fusion, IntExpr size, std::set<uint32_t>& ids) {
  if (!size) return;
  forEachSymbol(size, [&](IntExpr symbol) {
    if (const Val* scalar = fusion.scalarOf(symbol)) ids.insert(scalar->id());
  });
}

void addSizes(const Fusion& fusion, const TensorView* tensor, std::set<uint32_t>& ids) {
  for (const IterDomain* axis : tensor->domain().logical) {
    addScalars(fusion, axis->extent(), ids);
    addScalars(fusion, axis->expandedExtent(), ids);
  }
}

void addScalars(const std::vector<const Val*>& vals, std::set<uint32_t>& ids) {
  for (const Val* val : vals) {
    if (val->isScalar()) ids.insert(val->id());
  }
}

// The other values that a node itself accesses: host scalars, and tensors that views and selects define.
void addValues(const Fusion& fusion, const hir::HostExpr* expr, Footprint& footprint) {
  if (const auto* view = as<hir::View>(expr)) {
    footprint.writes.insert(view->tensor->id());
    addSizes(fusion, view->tensor, footprint.reads);
  } else if (const auto* reuse = as<hir::Reuse>(expr)) {
    footprint.writes.insert(reuse->tensor->id());
  } else if (const auto* place = as<hir::Place>(expr)) {
    footprint.writes.insert(place->tensor->id());
    addSizes(fusion, place->tensor, footprint.reads);
  } else if (const auto* select = as<hir::HirAliasSelect>(expr)) {
    footprint.writes.insert(select->tensor->id());
  } else if (const auto* shard = as<hir::HirAliasShard>(expr)) {
    footprint.writes.insert(shard->tensor->id());
  } else if (const auto* evaluate = as<hir::EvaluateScalars>(expr)) {
    for (const Expr* each : evaluate->exprs) {
      addScalars({each->inputs().begin(), each->inputs().end()}, footprint.reads);
      for (const Val* input : each->inputs()) {
        if (input->isTensor()) addSizes(fusion, input->as<TensorView>(), footprint.reads);
      }
      addScalars({each->outputs().begin(), each->outputs().end()}, footprint.writes);
    }
  } else if (const auto* launch = as<hir::LaunchKernel>(expr)) {
    addScalars(launch->scalars, footprint.reads);
    for (IntExpr extent : launch->ints) addScalars(fusion, extent, footprint.reads);
  } else if (const auto* run = as<hir::RunSegment>(expr)) {
    addScalars(run->inputs, footprint.reads);
  } else if (const auto* op = as<hir::StandaloneOp>(expr)) {
    addScalars(op->inputs, footprint.reads);
    for (const Expr* expr : op->exprs) {
      for (const Val* scalar : Fusion::extentScalars(expr)) footprint.reads.insert(scalar->id());
    }
  } else if (const auto* loop = as<hir::ForLoop>(expr)) {
    addSizes(fusion, loop->tensor, footprint.reads);
  } else if (const auto* branch = as<hir::IfThenElse>(expr)) {
    addScalars({branch->condition}, footprint.reads);
  } else if (as<hir::Communication>(expr)) {
    // All devices post their collectives in one order.
    footprint.writes.insert(kOrderOfCommunications);
    footprint.writes.insert(stateOf(expr));
  } else if (const auto* wait = as<hir::Wait>(expr)) {
    footprint.writes.insert(stateOf(wait->communication));
  }
}

void addTo(Footprint& footprint, const HostIrContainer& program, const MemoryOwners& owners,
           const hir::HostExpr* expr) {
  addValues(program.fusion(), expr, footprint);
  // The tensors on the alias chain count as read, because they must exist.
  const auto add = [&](const TensorView* tensor, std::set<uint32_t>& memory) {
    addSizes(program.fusion(), tensor, footprint.reads);
    for (; owners.source(tensor); tensor = owners.source(tensor)) footprint.reads.insert(tensor->id());
    memory.insert(tensor->id());
  };
  const TensorUses uses = usesOf(program, expr->node);
  for (const TensorView* tensor : uses.reads) add(tensor, footprint.reads);
  for (const TensorView* tensor : uses.writes) add(tensor, footprint.writes);
  for (size_t branch = 0; branch < hir::bodyCount(expr->node); ++branch) {
    for (const hir::HostExpr* inner : program.body(expr, branch)) addTo(footprint, program, owners, inner);
  }
}

bool meet(const std::set<uint32_t>& a, const std::set<uint32_t>& b) {
  return std::any_of(a.begin(), a.end(), [&](uint32_t id) { return b.count(id) != 0; });
}

}  // namespace

Footprint footprintOf(const HostIrContainer& program, const MemoryOwners& owners, const hir::HostExpr* expr) {
  Footprint footprint;
  addTo(footprint, program, owners, expr);
  return footprint;
}

bool conflict(const Footprint& a, const Footprint& b) {
  return meet(a.writes, b.reads) || meet(a.writes, b.writes) || meet(a.reads, b.writes);
}

bool touchesStreams(const HostIrContainer& program, const hir::HostExpr* expr) {
  bool found = isOfStreams(expr);
  for (size_t branch = 0; branch < hir::bodyCount(expr->node); ++branch) {
    for (const hir::HostExpr* inner : program.body(expr, branch)) found |= touchesStreams(program, inner);
  }
  return found;
}

std::optional<StreamLoop> asStreamLoop(const HostIrContainer& program, hir::HostExpr* expr) {
  const auto* loop = as<hir::ForLoop>(expr);
  if (!loop || loop->overStreams || program.body(expr).size() < 5) return std::nullopt;
  const hir::Body& body = program.body(expr);
  const size_t last = body.size() - 1;
  const auto* get = as<hir::GetCurrentStream>(body[0]);
  const auto* set = as<hir::SetCurrentStream>(body[1]);
  const auto* wait = as<hir::Synchronize>(body[2]);
  const auto* restore = as<hir::SetCurrentStream>(body[last - 1]);
  const auto* join = as<hir::Synchronize>(body[last]);
  if (!get || !set || !wait || !restore || !join) return std::nullopt;
  const bool ofTheTurn = set->stream->index == loop->index && join->stream->index == loop->index;
  if (!ofTheTurn || wait->stream != get->stream || restore->stream != get->stream) return std::nullopt;
  StreamLoop found{expr,
                   body[0],
                   body[1],
                   body[2],
                   body[last - 1],
                   body[last],
                   {body.begin() + 3, body.end() - 2},
                   loop->index,
                   loop->tensor->axes().at(loop->axis)->size()};
  const bool plain = std::all_of(found.work.begin(), found.work.end(), [](const hir::HostExpr* work) {
    return hir::bodyCount(work->node) == 0 && !isOfStreams(work);
  });
  return plain ? std::optional<StreamLoop>(std::move(found)) : std::nullopt;
}

std::vector<MemoryAccess> accessesOf(const HostIrContainer& program, const MemoryOwners& owners,
                                     const hir::HostExpr* expr, IntExpr index) {
  std::vector<MemoryAccess> accesses;
  const hir::HostExpr* loop = program.parent(expr);
  addAccesses(program, owners, expr, index, loop ? selectsAt(program.body(loop), index) : Selects(), accesses);
  return accesses;
}

bool mayMeet(const MemoryAccess& a, const MemoryAccess& b) { return a.owner == b.owner && (a.write || b.write); }

bool mayMeetInOtherTurns(const MemoryAccess& a, const MemoryAccess& b) {
  return mayMeet(a, b) && !(a.axis && a.axis == b.axis);
}

}  // namespace fuser
