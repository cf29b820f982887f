// Faults in what a kernel keeps between its passes over a row, and in who gets a reduction's result.

#include <map>
#include <set>

#include "fuzz/faults/fault_list.h"
#include "fuzz/faults/kernel_edit.h"

namespace fuser::fuzz::faults {
namespace {

// Changes where computations read a register buffer of several elements; `change` gets its size and the index.
bool changeKeptIndex(Kernel& kernel, const std::function<IntExpr(IntExprArena&, IntExpr, IntExpr)>& change) {
  return editComputes(kernel, [&](Compute& compute) {
    bool changed = false;
    for (Operand& operand : compute.operands) {
      if (operand.kind != Operand::Kind::Access) continue;
      const Buffer& buffer = kernel.buffers.at(static_cast<size_t>(operand.access.buffer));
      if (buffer.memory != MemoryType::Local || buffer.size->isConstant(1)) continue;
      const IntExpr index = change(*kernel.ints, buffer.size, operand.access.index);
      changed |= index != operand.access.index;
      operand.access.index = index;
    }
    return changed;
  });
}

// The number of a thread in its block.
IntExpr threadNumber(Kernel& kernel) {
  IntExprArena& ints = *kernel.ints;
  IntExpr number = ints.constant(0);
  for (size_t d = 3; d-- > 0;) {
    number = ints.add(ints.mul(number, ints.constant(kernel.blockDim[d])), kernel.threadIdx[d]);
  }
  return number;
}

// The accumulators whose partial results the statement passes between threads, or combines.
std::set<int> combinedIn(const Statement& statement, const std::vector<bool>& partials) {
  std::set<int> result;
  const auto note = [&](int own, int other) {
    if (partials[static_cast<size_t>(other)]) result.insert(own);
  };
  if (const Shuffle* shuffle = std::get_if<Shuffle>(&statement.node)) {
    result.insert(shuffle->source.buffer);
  } else if (const Move* move = std::get_if<Move>(&statement.node)) {
    note(move->source.buffer, move->target.buffer);
    note(move->target.buffer, move->source.buffer);
  } else if (const Compute* compute = std::get_if<Compute>(&statement.node)) {
    for (const Operand& operand : compute->operands) {
      if (operand.kind == Operand::Kind::Access) note(compute->target.buffer, operand.access.buffer);
    }
  } else if (const JoinWelford* join = std::get_if<JoinWelford>(&statement.node)) {
    note(join->mean.buffer, join->otherMean.buffer);
    note(join->squares.buffer, join->otherSquares.buffer);
    note(join->count.buffer, join->otherCount.buffer);
  } else if (const If* branch = std::get_if<If>(&statement.node)) {
    for (const Statement& inner : branch->body) result.merge(combinedIn(inner, partials));
  }
  return result;
}

}  // namespace

bool readFirstKept(Kernel& kernel) {
  return changeKeptIndex(kernel, [](IntExprArena& ints, IntExpr, IntExpr) { return ints.constant(0); });
}

bool reverseKept(Kernel& kernel) {
  return changeKeptIndex(kernel, [](IntExprArena& ints, IntExpr size, IntExpr index) {
    return ints.sub(ints.sub(size, ints.constant(1)), index);
  });
}

// t = a before the threads combine their a; after it, if (not the first thread) a = t.
bool keepResultInOneThread(Kernel& kernel) {
  const std::vector<bool> partials = partialsOfThreads(kernel);
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    std::map<int, std::pair<size_t, size_t>> places;  // by accumulator: the first and the last statement
    for (size_t i = 0; i < body.size(); ++i) {
      for (int accumulator : combinedIn(body[i], partials)) {
        places.try_emplace(accumulator, i, i).first->second.second = i;
      }
    }
    std::map<size_t, Body> before, after;
    for (const auto& [accumulator, place] : places) {
      const Access own{accumulator, kernel.ints->constant(0)};
      const DataType dtype = kernel.buffers.at(static_cast<size_t>(accumulator)).dtype;
      const Access kept = newRegister(kernel, dtype, before[place.first]);
      before[place.first].push_back({Move{kept, own, 1}});
      If others;
      others.condition = kernel.ints->less(kernel.ints->constant(0), threadNumber(kernel));
      others.body.push_back({Move{own, kept, 1}});
      after[place.second].push_back({std::move(others)});
      changed = true;
    }
    Body edited;
    for (size_t i = 0; i < body.size(); ++i) {
      edited.insert(edited.end(), before[i].begin(), before[i].end());
      edited.push_back(std::move(body[i]));
      edited.insert(edited.end(), after[i].begin(), after[i].end());
    }
    body = std::move(edited);
  });
  return changed;
}

}  // namespace fuser::fuzz::faults
