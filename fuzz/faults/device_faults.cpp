// Faults in the programs of several devices. Each device's program gets the same one.

#include <algorithm>
#include <numeric>

#include "fuzz/faults/fault_list.h"

namespace fuser::fuzz::faults {
namespace {

std::vector<hir::Communication*> communicationsOf(HostIrContainer& program) {
  std::vector<hir::Communication*> found;
  for (hir::HostExpr* expr : hostExprsOf<hir::Communication>(program)) {
    found.push_back(&std::get<hir::Communication>(expr->node));
  }
  return found;
}

}  // namespace

bool teamInWrongOrder(HostIrContainer& program) {
  bool applied = false;
  for (hir::Communication* each : communicationsOf(program)) {
    if (each->team.size() < 2) continue;
    std::reverse(each->team.begin(), each->team.end());
    applied = true;
  }
  return applied;
}

bool waitForgotten(HostIrContainer& program) {
  const std::vector<hir::HostExpr*> waits = hostExprsOf<hir::Wait>(program);
  for (hir::HostExpr* wait : waits) program.remove(wait);
  return !waits.empty();
}

// Behind the last node of the body.
bool waitTooLate(HostIrContainer& program) {
  bool applied = false;
  for (hir::HostExpr* wait : hostExprsOf<hir::Wait>(program)) {
    applied |=
        std::any_of(std::find(program.topLevel().begin(), program.topLevel().end(), wait), program.topLevel().end(),
                    [](const hir::HostExpr* expr) { return !std::holds_alternative<hir::Wait>(expr->node); });
    const hir::Wait node = std::get<hir::Wait>(wait->node);
    program.remove(wait);
    program.append(node);
  }
  return applied;
}

bool partOfAnotherDevice(HostIrContainer& program) {
  bool applied = false;
  for (hir::HostExpr* expr : hostExprsOf<hir::HirAliasShard>(program)) {
    auto& shard = std::get<hir::HirAliasShard>(expr->node);
    if (shard.parts < 2) continue;
    shard.part = (shard.part + 1) % shard.parts;
    applied = true;
  }
  return applied;
}

bool joinedByAnotherOp(HostIrContainer& program) {
  bool applied = false;
  for (hir::Communication* each : communicationsOf(program)) {
    if (!reduces(each->kind)) continue;
    each->reduction = each->reduction == Reduction::Max ? Reduction::Min : Reduction::Max;
    applied = true;
  }
  return applied;
}

// What is received is read as if the axis that the parts are joined along stood in its place.
bool shardAxisNotOutermost(HostIrContainer& program) {
  bool applied = false;
  for (const hir::Communication* each : communicationsOf(program)) {
    if (!each->receive) continue;
    std::vector<int>& order =
        program.fusion().allVals().at(each->receive->id())->as<TensorView>()->domain().allocationOrder;
    if (std::is_sorted(order.begin(), order.end())) continue;
    std::iota(order.begin(), order.end(), 0);
    applied = true;
  }
  return applied;
}

bool sentFreedBeforeTheWait(HostIrContainer& program) {
  bool applied = false;
  for (hir::HostExpr* wait : hostExprsOf<hir::Wait>(program)) {
    const TensorView* sent =
        std::get<hir::Communication>(std::get<hir::Wait>(wait->node).communication->node).send;
    for (hir::HostExpr* freed : hostExprsOf<hir::Deallocate>(program)) {
      if (std::get<hir::Deallocate>(freed->node).tensor != sent || program.parent(freed) != program.parent(wait)) {
        continue;
      }
      program.moveBefore(freed, wait);
      applied = true;
    }
  }
  return applied;
}

}  // namespace fuser::fuzz::faults
