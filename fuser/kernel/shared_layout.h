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

// Calls visit(access) for each element that the statement itself reads or writes.
template <class Visit>
void forEachAccess(const Statement& statement, const Visit& visit) {
  const auto each = [&](std::initializer_list<const Access*> accesses) {
    for (const Access* access : accesses) visit(*access);
  };
  if (const Move* move = std::get_if<Move>(&statement.node)) {
    each({&move->source, &move->target});
  } else if (const Compute* compute = std::get_if<Compute>(&statement.node)) {
    for (const Operand& operand : compute->operands) {
      if (operand.kind == Operand::Kind::Access) visit(operand.access);
    }
    visit(compute->target);
  } else if (const Shuffle* shuffle = std::get_if<Shuffle>(&statement.node)) {
    each({&shuffle->source, &shuffle->target});
  } else if (const LoadIndex* load = std::get_if<LoadIndex>(&statement.node)) {
    visit(load->source);
  } else if (const Report* report = std::get_if<Report>(&statement.node)) {
    visit(report->index);
  } else if (const JoinWelford* join = std::get_if<JoinWelford>(&statement.node)) {
    each({&join->mean, &join->squares, &join->count, &join->otherMean, &join->otherSquares, &join->otherCount});
  } else if (const AtomicAdd* add = std::get_if<AtomicAdd>(&statement.node)) {
    each({&add->source, &add->target});
  } else if (const Mma* mma = std::get_if<Mma>(&statement.node)) {
    for (const Access& sum : mma->sums) visit(sum);
  }
}

// When the Shared buffers of a kernel are in use. A buffer lives from its first access to the next barrier behind its
// last one that every thread passes, so that who takes its memory then meets no thread that still uses it. What a loop
// around the first or the last access, inside the Allocate's body, touches is alive in the whole loop; so is what no
// barrier ends before the loop turns. An If counts as taken.
class SharedLives {
 public:
  explicit SharedLives(const Kernel& kernel);
  // Whether the two, by id, may be in use at once. A buffer without accesses is never in use.
  bool together(int a, int b) const;

 private:
  struct Life {
    int64_t begin = 0, end = -1;  // numbers of statements in pre-order
  };
  std::vector<Life> lives_;  // by buffer id
};

// The offsets of the Shared buffers in bytes, multiples of 16: those that the kernel gives, or else, larger ones first,
// each at the lowest place where it shares memory with no buffer that is in use together with it.
struct SharedLayout {
  std::vector<size_t> offsets;  // by buffer id; only Shared buffers use theirs
  size_t end = 0;
};

SharedLayout sharedLayout(const Kernel& kernel);

// The dynamic shared memory of a block, in bytes: the layout's end.
size_t sharedMemoryBytes(const Kernel& kernel);

// Whether threads of a block wait for each other at the statement: a Barrier, a Shuffle or an Mma.
bool isMeeting(const Statement& statement);
// Whether the kernel has such a statement.
bool hasBarrier(const Kernel& kernel);

// Whether the blocks of the grid wait for each other, so that all must run at once.
bool hasGridBarrier(const Kernel& kernel);

// Whether a number of blocks (Kernel::gridDim; null: 1) is the larger one of what tensors of several sizes need.
bool isForSeveralSizes(IntExpr blocks);

// Whether threads add floats to one element in any order, so that sums may have other bits in each run.
bool addsFloatsByAtomics(const Kernel& kernel);

}  // namespace fuser
