#pragma once
// Where a kernel's shared memory holds what, and walks over its statements.

#include <variant>
#include <vector>

#include "fuser/kernel/kernel.h"

namespace fuser {

// Calls visit for every statement, the ones inside a For or an If after it.
template <class Visit>
void forEachStatement(const Body& body, const Visit& visit) {
  for (const Statement& statement : body) {
    visit(statement);
    if (const For* loop = std::get_if<For>(&statement.node)) forEachStatement(loop->body, visit);
    if (const If* branch = std::get_if<If>(&statement.node)) forEachStatement(branch->body, visit);
  }
}

// Elements of a Local or Shared buffer.
int64_t constantElements(const Buffer& buffer);

// Where each Shared buffer starts, then where the scratch memory of block reductions starts, then the end; in bytes,
// multiples of 16.
struct SharedLayout {
  std::vector<size_t> offsets;  // one a buffer; of use for Shared ones
  size_t scratch = 0;
  size_t end = 0;
};

SharedLayout sharedLayout(const Kernel& kernel);

}  // namespace fuser
