// Statements of a reduction over blocks: each block stores its partial result in a workspace, one element a thread that
// does not reduce; when all have, each block combines the partial results of all in the order of the blocks.
//   %s = sum(%x) over [i0/512 serial, 512 (TIDx)] on 8 blocks (BIDx)
//   kernel: s = …; the threads of a block combine theirs (build_block_reduction.cpp)
//           if (threadIdx.x == 0) { W[blockIdx.x] = s }
//           (a barrier of the grid: synchronize.cpp)
//           s = 0; for b < 8 { s = s + W[b] }
// So the order of the additions is that of the text, and every run of the kernel gives the same bits.
#include <algorithm>

#include "fuser/lower/build_statements.h"

namespace fuser {

// The axis that the reduction reduces on each block dimension; null: none.
std::array<const IterDomain*, 3> StatementBuilder::reducedBlocks(const TensorView* reduction) const {
  std::array<const IterDomain*, 3> axes{};
  for (const IterDomain* axis : reduction->domain().loop) {
    if (!axis->isReduction() || !isBlockDim(axis->parallelType())) continue;
    axes[static_cast<size_t>(axis->parallelType()) - static_cast<size_t>(ParallelType::BIDx)] = axis;
  }
  return axes;
}

// The place of a block's partial result for this thread: block after block, x fastest, then by the thread's coordinates
// on the dimensions that are not reduced.
IntExpr StatementBuilder::partialIndex(const std::array<IntExpr, 3>& block, const std::array<bool, 3>& reducedThreads) {
  IntExpr thread = ints_.constant(0);
  int64_t threads = 1;
  for (size_t d = 0; d < 3; ++d) {
    if (reducedThreads[d]) continue;
    thread = ints_.add(thread, ints_.mul(kernel_.threadIdx[d], ints_.constant(threads)));
    threads *= kernel_.blockDim[d];
  }
  IntExpr place = ints_.constant(0);
  for (size_t d = 3; d-- > 0;) place = ints_.add(ints_.mul(place, kernel_.gridDim[d]), block[d]);
  return ints_.add(ints_.mul(place, ints_.constant(threads)), thread);
}

int StatementBuilder::addWorkspace(const TensorView* source, DataType dtype, IntExpr elements) {
  const int id = addBuffer(source, dtype, MemoryType::Global, 0);
  kernel_.buffers[static_cast<size_t>(id)].size = elements;
  kernel_.workspaces.push_back({id, false});
  return id;
}

// Appends what combines the blocks' accumulators: one of a sum or the like, three of a variance. `init` makes them
// those of no terms, `join` joins others, of the same number.
void StatementBuilder::combineBlocks(const Expr* expr, const std::vector<Access>& accumulators, const Body& init,
                                     const Join& join, Body& body) {
  const TensorView* tensor = expr->output()->as<TensorView>();
  const std::array<const IterDomain*, 3> axes = reducedBlocks(tensor);
  if (std::all_of(axes.begin(), axes.end(), [](const IterDomain* axis) { return axis == nullptr; })) return;
  const std::array<bool, 3> threads = reducedThreads(tensor);
  IntExpr elements = ints_.constant(1);
  IntExpr first = ints_.constant(1);  // of the threads that reduce together
  for (size_t d = 0; d < 3; ++d) {
    elements = ints_.mul(elements, kernel_.gridDim[d]);
    if (!threads[d]) elements = ints_.mul(elements, ints_.constant(kernel_.blockDim[d]));
    if (threads[d]) first = ints_.conjunction(first, ints_.equal(kernel_.threadIdx[d], ints_.constant(0)));
  }
  std::array<IntExpr, 3> block = kernel_.blockIdx;
  std::vector<For> loops;
  for (size_t d = 3; d-- > 0;) {
    if (!axes[d]) continue;
    For loop;
    loop.extent = nest_.extent(axes[d]);
    block[d] = ints_.constant(0);
    if (loop.extent->isConstant(1)) continue;
    block[d] = loop.index = ints_.index(concat("b", kernel_.ints->symbols().size()), loop.extent);
    loops.push_back(std::move(loop));
  }
  Body stores;
  std::vector<Access> others;
  for (const Access& accumulator : accumulators) {
    const DataType dtype = kernel_.buffers[static_cast<size_t>(accumulator.buffer)].dtype;
    const int workspace = addWorkspace(tensor, dtype, elements);
    Move store;
    store.target = {workspace, partialIndex(kernel_.blockIdx, threads)};
    store.source = accumulator;
    stores.push_back({store});
    others.push_back({workspace, partialIndex(block, threads)});
  }
  emitWhere(first, std::move(stores), body);
  body.insert(body.end(), init.begin(), init.end());
  Body inner;
  inner.push_back(join(others));
  for (; !loops.empty(); loops.pop_back()) {
    loops.back().body = std::move(inner);
    inner.clear();
    inner.push_back({std::move(loops.back())});
  }
  body.push_back(std::move(inner.front()));
}

}  // namespace fuser
