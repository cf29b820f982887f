// StreamSlicesPass: shrinks a tensor that is only used inside one loop over streams to one slice per stream. Iterations
// i and i + numberOfStreams run on one stream, one after the other, and share a slice.
//   allocate %t: f32[i0, i1]
//   for index0 in %t {axis = 0} {
//     …
//     select %t.s0: f32[i1] of %t {axis = 0, index = index0}
// becomes
//   allocate %t: f32[i0, i1] {sliced_axis = 0}
//   for index0 in %t {axis = 0} {
//     …
//     select %t.s0: f32[i1] of %t {axis = 0, index = index0, wraps}
// The run record does not contain such a tensor; it shows the expressions of the loop as one. A run that must record
// every value (HostRunSettings::wholeTensors) allocates the tensor whole.

#include <algorithm>
#include <unordered_map>

#include "fuser/host_passes/host_ir_pass.h"
#include "fuser/host_passes/stream_loops.h"

namespace fuser {
namespace {

// The nodes that refer to a tensor's memory.
struct Mentions {
  hir::HostExpr* allocate = nullptr;
  std::vector<hir::HostExpr*> selects;
  bool otherwise = false;
};

// The loop that contains all the selects, if they select one non-broadcast axis at that loop's index;
// otherwise null.
hir::HostExpr* loopOf(const HostIrContainer& program, const Mentions& mentions) {
  hir::HostExpr* loop = program.parent(mentions.selects.front());
  const std::optional<StreamLoop> turns = loop ? asStreamLoop(program, loop) : std::nullopt;
  if (!turns) return nullptr;
  const auto& first = std::get<hir::HirAliasSelect>(mentions.selects.front()->node);
  const bool alike = std::all_of(mentions.selects.begin(), mentions.selects.end(), [&](const hir::HostExpr* expr) {
    const auto& select = std::get<hir::HirAliasSelect>(expr->node);
    return program.parent(expr) == loop && select.index == turns->index && select.axis == first.axis;
  });
  return alike && !first.source->axes().at(first.axis)->isBroadcast() ? loop : nullptr;
}

// Whether the first access of the tensor in the loop is a write: an iteration must not see another one's data.
bool isWrittenFirst(const HostIrContainer& program, const hir::HostExpr* loop, const TensorView* tensor) {
  const MemoryOwners owners(program);
  const IntExpr index = std::get<hir::ForLoop>(loop->node).index;
  for (const hir::HostExpr* expr : program.body(loop)) {
    bool touched = false, read = false;
    for (const MemoryAccess& access : accessesOf(program, owners, expr, index)) {
      touched |= access.owner == tensor;
      read |= access.owner == tensor && !access.write;
    }
    if (touched) return !read;
  }
  return false;
}

}  // namespace

bool StreamSlicesPass::runPass(HostIrContainer& program, OwnRun) {
  std::vector<const TensorView*> allocated;                  // in order
  std::unordered_map<const TensorView*, Mentions> mentions;  // look-ups only
  forEachHostExpr(program, [&](hir::HostExpr* expr) {
    if (const auto* allocate = std::get_if<hir::Allocate>(&expr->node)) {
      Mentions& of = mentions[allocate->tensor];
      of.otherwise |= of.allocate != nullptr;
      of.allocate = expr;
      allocated.push_back(allocate->tensor);
      return;
    }
    if (const auto* select = std::get_if<hir::HirAliasSelect>(&expr->node)) {
      mentions[select->source].selects.push_back(expr);
      return;
    }
    if (std::holds_alternative<hir::Deallocate>(expr->node)) return;
    const TensorUses uses = usesOf(program, expr->node);
    for (const TensorView* tensor : uses.reads) mentions[tensor].otherwise = true;
    for (const TensorView* tensor : uses.writes) mentions[tensor].otherwise = true;
    const auto* segment = std::get_if<hir::Segment>(&expr->node);
    if (!segment) return;
    for (const std::vector<const Val*>* vals : {&segment->inputs, &segment->outputs}) {
      for (const Val* val : *vals) {
        if (val->isTensor()) mentions[val->as<TensorView>()].otherwise = true;
      }
    }
  });
  bool changed = false;
  for (const TensorView* tensor : allocated) {
    const Mentions& of = mentions.at(tensor);
    const bool candidate = !program.isOutput(tensor) && !of.otherwise && !of.selects.empty() &&
                           !std::get<hir::Allocate>(of.allocate->node).slicedAxis;
    hir::HostExpr* loop = candidate ? loopOf(program, of) : nullptr;
    if (!loop || program.parent(of.allocate) != program.parent(loop) || !isWrittenFirst(program, loop, tensor))
      continue;
    std::get<hir::Allocate>(of.allocate->node).slicedAxis =
        std::get<hir::HirAliasSelect>(of.selects.front()->node).axis;
    for (hir::HostExpr* select : of.selects) std::get<hir::HirAliasSelect>(select->node).wraps = true;
    changed = true;
  }
  return changed;
}

}  // namespace fuser
