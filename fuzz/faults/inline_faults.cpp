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

// Of the registers of one dtype that hold what is computed inline, the first that a body reads is read for all.
bool reuseInline(Kernel& kernel) {
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    std::map<DataType, int> first;
    const auto replace = [&](Access& access) {
      if (!isInline(kernel, access)) return;
      const DataType dtype = kernel.buffers[static_cast<size_t>(access.buffer)].dtype;
      const auto found = first.emplace(dtype, access.buffer).first;
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

// What is to go over an input once all have read it, by a copy or by a kernel that copies it, is written there at once,
// by a kernel whose threads compute inline from the input.
bool overwriteReadInline(HostIrContainer& program) {
  const std::vector<hir::HostExpr*> launches = hostExprsOf<hir::LaunchKernel>(program);
  const auto forEachTensor = [&](const hir::HostExpr* node, const auto& visit) {
    const hir::LaunchKernel& launch = std::get<hir::LaunchKernel>(node->node);
    const Kernel& kernel = *program.kernels.at(static_cast<size_t>(launch.kernel));
    for (size_t i = 0; i < launch.tensors.size(); ++i) visit(launch.tensors[i], kernel.tensors.at(i));
  };
  const auto writes = [&](const hir::HostExpr* launch, const TensorView* tensor) {
    bool found = false;
    forEachTensor(launch, [&](const TensorView* each, const TensorParam& param) {
      found |= each == tensor && param.written;
    });
    return found;
  };
  const auto readsInline = [&](const hir::HostExpr* launch, const TensorView* input) {
    bool found = false;
    forEachTensor(launch, [&](const TensorView* each, const TensorParam& param) {
      const TensorView* source = param.source;
      if (each != input || param.written) return;
      found |= InlineReads(source->fusion()).readInline().count(source) != 0;
    });
    return found;
  };
  // Writes the tensor over the input, if it has memory of its own and such a kernel makes it.
  const auto overwrite = [&](const TensorView* tensor, const TensorView* input) {
    const bool made = std::any_of(launches.begin(), launches.end(), [&](const hir::HostExpr* launch) {
      return writes(launch, tensor) && readsInline(launch, input);
    });
    for (hir::HostExpr* node : hostExprsOf<hir::Allocate>(program)) {
      if (!made || std::get<hir::Allocate>(node->node).tensor != tensor) continue;
      program.replace(node, hir::Reuse{tensor, input});
      for (hir::HostExpr* freed : hostExprsOf<hir::Deallocate>(program)) {
        if (std::get<hir::Deallocate>(freed->node).tensor == tensor) program.remove(freed);
      }
      return true;
    }
    return false;
  };
  for (hir::HostExpr* node : hostExprsOf<hir::Copy>(program)) {
    const hir::Copy copy = std::get<hir::Copy>(node->node);
    if (!overwrite(copy.tensor, copy.input)) continue;
    program.remove(node);
    return true;
  }
  // What such a kernel reads is written to the input's memory instead of `copied`.
  const auto overwriteBefore = [&](const TensorView* copied, const TensorView* input) {
    bool done = false;
    for (const hir::HostExpr* launch : launches) {
      if (done || !writes(launch, copied)) continue;
      forEachTensor(launch, [&](const TensorView* each, const TensorParam& param) {
        done = done || (!param.written && overwrite(each, input));
      });
    }
    return done;
  };
  for (const hir::HostExpr* node : hostExprsOf<hir::Reuse>(program)) {
    const hir::Reuse reuse = std::get<hir::Reuse>(node->node);
    if (overwriteBefore(reuse.tensor, reuse.input)) return true;
  }
  for (const hir::HostExpr* node : hostExprsOf<hir::Place>(program)) {
    const hir::Place place = std::get<hir::Place>(node->node);
    if (overwriteBefore(place.tensor, program.ownersOf(place.whole).front())) return true;
  }
  return false;
}

}  // namespace fuser::fuzz::faults
