// Faults in what reads at indices: checks of the indices, what becomes of a bad one, and which element is read.

#include <set>

#include "fuser/kernel/shared_layout.h"
#include "fuzz/faults/fault_list.h"
#include "fuzz/faults/kernel_edit.h"

namespace fuser::fuzz::faults {
namespace {

// Changes the comparisons of indices with 0, or with the size.
bool changeChecks(Kernel& kernel, OpKind comparison, const std::function<void(Compute&)>& change) {
  return editComputes(kernel, [&](Compute& compute) {
    const bool isCheck = compute.source && compute.source->family() == Family::Gather && compute.op == comparison;
    if (isCheck) change(compute);
    return isCheck;
  });
}

}  // namespace

bool admitAnyIndex(Kernel& kernel) { return changeChecks(kernel, OpKind::BitwiseAnd, alwaysTrue); }

bool admitNegativeIndex(Kernel& kernel) { return changeChecks(kernel, OpKind::Ge, alwaysTrue); }

bool admitIndexAtEnd(Kernel& kernel) {
  return changeChecks(kernel, OpKind::Lt, [](Compute& compute) { compute.op = OpKind::Le; });
}

bool refuseLastIndex(Kernel& kernel) {
  return changeChecks(kernel, OpKind::Lt, [&](Compute& compute) {
    IntExpr& size = compute.operands.at(1).integer;
    size = kernel.ints->sub(size, kernel.ints->constant(1));
  });
}

bool loseReports(Kernel& kernel) {
  return replaceStatements(kernel, [](const Statement& statement) {
    return std::holds_alternative<Report>(statement.node) ? std::optional<Body>(Body{}) : std::nullopt;
  });
}

// The element after the one that the index names, round the axis: nothing is out of its range.
bool readNextIndexed(Kernel& kernel) {
  IntExprArena& ints = *kernel.ints;
  std::vector<std::pair<IntExpr, IntExpr>> nexts;
  forEachStatement(kernel.body, [&](const Statement& statement) {
    const LoadIndex* load = std::get_if<LoadIndex>(&statement.node);
    if (load && ints.symbolOf(load->index).name != "inside") {
      nexts.emplace_back(load->index, ints.mod(ints.add(load->index, ints.constant(1)), load->extent));
    }
  });
  return editReads(kernel.body, [&](Access& access) {
    const IntExpr before = access.index;
    for (const auto& [index, next] : nexts) access.index = substitute(kernel, access.index, index, next);
    return access.index != before;
  });
}

bool readFirstIndex(Kernel& kernel) {
  std::set<int> loaded;  // what indices are loaded from
  forEachStatement(kernel.body, [&](const Statement& statement) {
    if (const LoadIndex* load = std::get_if<LoadIndex>(&statement.node)) loaded.insert(load->source.buffer);
  });
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    for (Statement& statement : body) {
      Move* move = std::get_if<Move>(&statement.node);
      const bool isIndex = move && loaded.count(move->target.buffer) != 0 && isGlobal(kernel, move->source);
      if (!isIndex || move->width != 1 || move->source.index->isConstant(0)) continue;
      move->source.index = kernel.ints->constant(0);
      changed = true;
    }
  });
  return changed;
}

LaunchFault poisonErrorWord() {
  return [](const Kernel& kernel, KernelArguments& arguments) {
    bool changed = false;
    for (size_t i = 0; i < kernel.workspaces.size(); ++i) {
      if (kernel.workspaces[i].kind != Workspace::Kind::ErrorWord) continue;
      static_cast<int64*>(arguments.workspaces.at(i).data)[0] = noteOf(0, -1);
      changed = true;
    }
    return changed;
  };
}

}  // namespace fuser::fuzz::faults
