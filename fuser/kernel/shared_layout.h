#pragma once
// The layout of a kernel's shared memory, and a traversal of its statements.

#include <variant>
#include <vector>

#include "fuser/kernel/kernel.h"

namespace fuser {

// Calls visit for every statement in pre-order: a For or If before the statements of its body.
template <class Visit>
void forEachStatement(const Body& body, const Visit& visit) {
  for (const Statement& statement : body) {
    visit(statement);
    if (const For* loop = std::get_if<For>(&statement.node)) forEachStatement(loop->body, visit);
    if (const If* branch = std::get_if<If>(&statement.node)) forEachStatement(branch->body, visit);
  }
}

// The size of a Local or Shared buffer, in elements.
int64_t constantElements(const Buffer& buffer);

// The offsets of the Shared buffers and, after them, of the scratch memory of block reductions; in bytes, multiples of
// 16.
struct SharedLayout {
  std::vector<size_t> offsets;  // by buffer id; only Shared buffers use theirs
  size_t scratch = 0;
  size_t end = 0;
};

SharedLayout sharedLayout(const Kernel& kernel);

// The dynamic shared memory of a block, in bytes: the layout's end.
size_t sharedMemoryBytes(const Kernel& kernel);

// Whether threads of a block wait for each other: at a Barrier, BlockReduce or BlockWelford.
bool hasBarrier(const Kernel& kernel);

// Whether the blocks of the grid wait for each other, so that all must run at once.
bool hasGridBarrier(const Kernel& kernel);

}  // namespace fuser
