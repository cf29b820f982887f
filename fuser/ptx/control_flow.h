#pragma once
// What may run after an operation, in the graph of operations that analyses of a program walk.

#include "fuser/ptx/program.h"

namespace fuser::ptx {

// visit(operation) for each; the number of operations stands for the end.
template <class Visit>
void forEachSuccessor(const std::vector<Operation>& operations, uint32_t operation, Visit visit) {
  const Operation& each = operations[operation];
  const auto end = static_cast<uint32_t>(operations.size());
  const bool mayPass = each.guard != kNoPlace;
  switch (each.kind) {
    case Operation::Kind::NoTarget: return;  // it is a fault: the branches before it meet where their targets do
    case Operation::Kind::Branch: visit(each.target); break;
    case Operation::Kind::Exit:
    case Operation::Kind::Trap: visit(end); break;
    default: return visit(operation + 1);
  }
  if (mayPass) visit(operation + 1);
}

}  // namespace fuser::ptx
