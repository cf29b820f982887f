// Statements that combine the partial results of the threads of a block, so that each thread has the whole.
// First the neighbours within a warp, in registers, by a butterfly of shuffles. What is left of each warp goes through
// scratch in shared memory: by a tree of ifs while it is more than a warp holds, then each thread loads one of those
// that are left, and a butterfly combines them.
//   %s = sum(%x) over [i0/128, 128 (TIDx)]:
//     n = shuffle xor 16 (s); s = s + n; … xor 8, 4, 2, 1                 s of 32 threads
//     alloc s_scratch; if (threadIdx.x % 32 == 0) { s_scratch[threadIdx.x // 32] = s }
//     (a barrier: synchronize.cpp)
//     s = s_scratch[threadIdx.x % 4]; n = shuffle xor 2 (s); s = s + n; n = shuffle xor 1 (s); s = s + n
//     s = shuffle first 4 (s)
// Where a warp holds the whole block, but not a power of two of threads, the steps of the tree go by shuffles, too: a
// thread whose partner is not there takes no part, and all get the first one's result.
// The order is a fixed tree: of n terms, a term below the largest power of two p < n takes the one p further on, and so
// on with p / 2, …, 1. In a butterfly a thread and its partner combine the same two in opposite order, which for floats
// may differ in a NaN's payload or a zero's sign, and for a variance in a bit: so the first lane's result is
// everyone's.
#include <algorithm>
#include <numeric>

#include "fuser/lower/build_statements.h"

namespace fuser {
namespace {

void append(Body& body, Body statements) {
  for (Statement& statement : statements) body.push_back(std::move(statement));
}

// The largest power of two below n > 1.
int64_t powerBelow(int64_t n) {
  int64_t power = 1;
  while (power * 2 < n) power *= 2;
  return power;
}

}  // namespace

// The threads along these dimensions, and the groups of others.
StatementBuilder::ThreadTerms StatementBuilder::threadTerms(const std::array<bool, 3>& dims) const {
  ThreadTerms result;
  result.term = result.group = ints_.constant(0);
  int64_t neighbours = 1;
  bool together = true;
  for (size_t d = 0; d < 3; ++d) {
    const int64_t size = kernel_.blockDim[d];
    if (size == 1) continue;
    int64_t& stride = dims[d] ? result.terms : result.groups;
    IntExpr& place = dims[d] ? result.term : result.group;
    place = ints_.add(place, ints_.mul(kernel_.threadIdx[d], ints_.constant(stride)));
    stride *= size;
    together &= dims[d];
    if (together) neighbours *= size;
  }
  const int64_t most = std::gcd(neighbours, shuffledLanes(kernel_.device));  // of a power of two
  result.lanes = most;
  result.groupsFirst = neighbours == 1;
  return result;
}

// Buffers beside the accumulators, of their dtypes.
std::vector<Access> StatementBuilder::scratchOf(const Expr* expr, const std::vector<Access>& accumulators,
                                                MemoryType memory, int64_t elements, Body& body) {
  std::vector<Access> result;
  for (const Access& accumulator : accumulators) {
    const Buffer own = kernel_.buffers[static_cast<size_t>(accumulator.buffer)];
    const int id = addBuffer(expr->output()->as<TensorView>(), own.dtype, memory, elements);
    kernel_.buffers[static_cast<size_t>(id)].name = own.name + (memory == MemoryType::Shared ? "_scratch" : "_lane");
    body.push_back({Allocate{id}});
    result.push_back({id, ints_.constant(0)});
  }
  return result;
}

// Where a group of threads has the one at `place` of its `count` elements in scratch: neighbouring threads store
// neighbours.
IntExpr StatementBuilder::scratchIndex(const ThreadTerms& threads, int64_t count, IntExpr place) const {
  return threads.groupsFirst ? ints_.add(ints_.mul(place, ints_.constant(threads.groups)), threads.group)
                             : ints_.add(ints_.mul(threads.group, ints_.constant(count)), place);
}

void StatementBuilder::shuffleFrom(Shuffle::From from, int64_t lanes, const std::vector<Access>& targets,
                                   const std::vector<Access>& sources, Body& body) const {
  for (size_t i = 0; i < targets.size(); ++i) body.push_back({Shuffle{from, lanes, targets[i], sources[i]}});
}

// Appends what combines the threads' accumulators: one of a sum or the like, three of a variance.
void StatementBuilder::combineThreads(const Expr* expr, const std::vector<Access>& accumulators, const Join& join,
                                      Body& body) {
  const ThreadTerms threads = threadTerms(reducedThreads(expr->output()->as<TensorView>()));
  if (threads.terms == 1) return;
  std::vector<Access> partners;
  if (threads.lanes > 1) partners = scratchOf(expr, accumulators, MemoryType::Local, 1, body);
  const auto butterfly = [&](int64_t lanes) {
    for (int64_t apart = lanes / 2; apart > 0; apart /= 2) {
      shuffleFrom(Shuffle::From::Xor, apart, partners, accumulators, body);
      append(body, join(partners));
    }
  };
  butterfly(threads.lanes);
  int64_t left = threads.terms / threads.lanes;
  int64_t alike = threads.lanes;  // lanes that have combined the same
  const IntExpr own = ints_.floorDiv(threads.term, ints_.constant(threads.lanes));
  const bool inOneWarp = threads.groups == 1 && threads.terms <= shuffledLanes(kernel_.device);
  if (left > 1 && inOneWarp) {
    if (partners.empty()) partners = scratchOf(expr, accumulators, MemoryType::Local, 1, body);
    while (left > 1) {
      const int64_t half = powerBelow(left);
      shuffleFrom(Shuffle::From::Xor, half * threads.lanes, partners, accumulators, body);
      emitWhere(ints_.less(own, ints_.constant(left - half)), join(partners), body);
      left = half;
    }
    alike = 2 * powerBelow(threads.terms);
  } else if (left > 1) {
    const IntExpr lanes = ints_.constant(threads.lanes);
    const IntExpr first = ints_.equal(ints_.mod(threads.term, lanes), ints_.constant(0));
    std::vector<Access> scratch = scratchOf(expr, accumulators, MemoryType::Shared, threads.groups * left, body);
    const int64_t perGroup = left;
    const auto at = [&](IntExpr place) {
      std::vector<Access> result = scratch;
      for (Access& access : result) access.index = scratchIndex(threads, perGroup, place);
      return result;
    };
    const auto copies = [&](const std::vector<Access>& targets, const std::vector<Access>& sources) {
      Body moves;
      for (size_t i = 0; i < targets.size(); ++i) moves.push_back({Move{targets[i], sources[i], 1}});
      return moves;
    };
    emitWhere(first, copies(at(own), accumulators), body);
    while (left > threads.lanes) {
      const int64_t half = powerBelow(left);
      Body step = join(at(ints_.add(own, ints_.constant(half))));
      for (Statement& store : copies(at(own), accumulators)) step.push_back(std::move(store));
      const IntExpr takes = ints_.less(own, ints_.constant(left - half));
      emitWhere(ints_.conjunction(first, takes), std::move(step), body);
      left = half;
    }
    alike = (left & (left - 1)) == 0 ? left : powerBelow(left);
    const IntExpr mine = ints_.mod(threads.term, ints_.constant(alike));
    for (Statement& load : copies(accumulators, at(mine))) body.push_back(std::move(load));
    if (alike < left) {
      const IntExpr takes = ints_.less(mine, ints_.constant(left - alike));
      emitWhere(takes, {join(at(ints_.add(mine, ints_.constant(alike))))}, body);
    }
    butterfly(alike);
  }
  const bool anyOrder =
      accumulators.size() == 1 && !isFloating(kernel_.buffers[static_cast<size_t>(accumulators.front().buffer)].dtype);
  if (alike > 1 && (!anyOrder || inOneWarp)) shuffleFrom(Shuffle::From::First, alike, accumulators, accumulators, body);
}

}  // namespace fuser
