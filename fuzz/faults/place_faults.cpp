// Faults in slices that are stored where they go (fuser/analysis/stored_slices.h).

#include <algorithm>

#include "fuzz/faults/fault_list.h"

namespace fuser::fuzz::faults {
namespace {

// Each place with other steps, where `change` finds some.
template <class Change>
bool changePlaces(HostIrContainer& program, Change change) {
  bool applied = false;
  for (hir::HostExpr* node : hostExprsOf<hir::Place>(program)) {
    for (PlaceStep& step : std::get<hir::Place>(node->node).steps) applied |= change(step);
  }
  return applied;
}

bool takes(const HostIrContainer& program, const hir::HostExpr* launch, const TensorView* tensor, bool written) {
  const auto& node = std::get<hir::LaunchKernel>(launch->node);
  const Kernel& kernel = *program.kernels.at(static_cast<size_t>(node.kernel));
  for (size_t i = 0; i < node.tensors.size(); ++i) {
    if (node.tensors[i] == tensor && kernel.tensors[i].written == written) return true;
  }
  return false;
}

}  // namespace

bool placeOneLate(HostIrContainer& program) {
  IntExprArena& ints = program.fusion().ints();
  return changePlaces(program, [&](PlaceStep& step) {
    if (step.op != OpKind::Slice) return false;
    step.start = ints.add(step.start, ints.constant(1));
    return true;
  });
}

bool placeWithoutStep(HostIrContainer& program) {
  const IntExpr one = program.fusion().ints().constant(1);
  return changePlaces(program, [&](PlaceStep& step) {
    if (step.op != OpKind::Slice || step.step == one) return false;
    step.step = one;
    return true;
  });
}

// Axes in their own order: a place in the transposed tensor becomes one in the tensor.
bool placeWithoutPermute(HostIrContainer& program) {
  return changePlaces(program, [](PlaceStep& step) {
    if (step.op != OpKind::Permute || std::is_sorted(step.dims.begin(), step.dims.end())) return false;
    std::sort(step.dims.begin(), step.dims.end());
    return true;
  });
}

bool storeBesides(HostIrContainer& program) {
  bool applied = false;
  for (hir::HostExpr* node : hostExprsOf<hir::Place>(program)) {
    program.replace(node, hir::Allocate{std::get<hir::Place>(node->node).tensor});
    applied = true;
  }
  return applied;
}

// The kernel that stores a slice runs before one that reads what was there.
bool storeTooEarly(HostIrContainer& program) {
  const std::vector<hir::HostExpr*> launches = hostExprsOf<hir::LaunchKernel>(program);
  for (const hir::HostExpr* node : hostExprsOf<hir::Place>(program)) {
    const auto& place = std::get<hir::Place>(node->node);
    for (const TensorView* base : program.aliasesOf(place.whole)) {
      for (size_t writer = 0; writer < launches.size(); ++writer) {
        if (!takes(program, launches[writer], place.tensor, true)) continue;
        for (size_t reader = 0; reader < writer; ++reader) {
          if (!takes(program, launches[reader], base, false)) continue;
          std::swap(launches[reader]->node, launches[writer]->node);
          return true;
        }
      }
    }
  }
  return false;
}

}  // namespace fuser::fuzz::faults
