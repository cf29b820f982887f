// Faults in what a kernel computes inline, at the coordinates of a reader (fuser/analysis/inline_reads.h).

#include <algorithm>
#include <map>

#include "fuser/analysis/inline_reads.h"
#include "fuzz/faults/fault_list.h"
#include "fuzz/faults/kernel_edit.h"

namespace fuser::fuzz::faults {
namespace {

// Whether the register holds an element that is computed inline: its tensor has no loops.
bool isInline(const Kernel& kernel, const Access& access) {
  const TensorView* tensor = kernel.buffers.at(static_cast<size_t>(access.buffer)).source;
  if (!tensor || !tensor->definition() || isGlobal(kernel, access)) return false;
  return !InlineReads(tensor->fusion()).hasLoops(tensor->definition());
}

}  // namespace

bool readNextInline(Kernel& kernel) {
  bool changed = false;
  const auto shift = [&](const Access& target, Access& source) {
    if (!isGlobal(kernel, source) || !isInline(kernel, target)) return;
    source.index = kernel.ints->add(source.index, kernel.ints->constant(1));
    changed = true;
  };
  forEachBody(kernel.body, [&](Body& body) {
    for (Statement& statement : body) {
      if (Move* move = std::get_if<Move>(&statement.node)) shift(move->target, move->source);
    }
  });
  editComputes(kernel, [&](Compute& compute) {
    for (Operand& operand : compute.operands) {
      if (operand.kind == Operand::Kind::Access) shift(compute.target, operand.access);
    }
    return false;
  });
  return changed;
}

// Of the registers that hold elements of one tensor, the first that a body reads is read for all.
bool reuseInline(Kernel& kernel) {
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    std::map<const TensorView*, int> first;
    const auto replace = [&](Access& access) {
      if (!isInline(kernel, access)) return;
      const auto [found, isNew] =
          first.emplace(kernel.buffers[static_cast<size_t>(access.buffer)].source, access.buffer);
      changed |= found->second != access.buffer;
      access.buffer = found->second;
    };
    for (Statement& statement : body) {
      if (Move* move = std::get_if<Move>(&statement.node)) replace(move->source);
      if (Compute* compute = std::get_if<Compute>(&statement.node)) {
        for (Operand& operand : compute->operands) {
          if (operand.kind == Operand::Kind::Access) replace(operand.access);
        }
      }
    }
  });
  return changed;
}

// An output that is copied over an input at the end is written there at once, by a kernel whose threads compute inline
// from the input.
bool overwriteReadInline(HostIrContainer& program) {
  const auto readsInline = [&](const hir::LaunchKernel& launch, const hir::Copy& copy) {
    const Kernel& kernel = *program.kernels.at(static_cast<size_t>(launch.kernel));
    const TensorView* read = nullptr;
    bool writes = false;
    for (size_t i = 0; i < launch.tensors.size(); ++i) {
      const TensorParam& param = kernel.tensors.at(i);
      if (launch.tensors[i] == copy.input && !param.written) read = param.source;
      writes |= launch.tensors[i] == copy.tensor && param.written;
    }
    return writes && read && InlineReads(read->fusion()).readInline().count(read) != 0;
  };
  for (hir::HostExpr* node : hostExprsOf<hir::Copy>(program)) {
    const hir::Copy copy = std::get<hir::Copy>(node->node);
    const std::vector<hir::HostExpr*> launches = hostExprsOf<hir::LaunchKernel>(program);
    const bool found = std::any_of(launches.begin(), launches.end(), [&](const hir::HostExpr* launch) {
      return readsInline(std::get<hir::LaunchKernel>(launch->node), copy);
    });
    if (!found) continue;
    for (hir::HostExpr* allocate : hostExprsOf<hir::Allocate>(program)) {
      if (std::get<hir::Allocate>(allocate->node).tensor != copy.tensor) continue;
      program.replace(allocate, hir::Reuse{copy.tensor, copy.input});
      program.remove(node);
      return true;
    }
  }
  return false;
}

}  // namespace fuser::fuzz::faults
