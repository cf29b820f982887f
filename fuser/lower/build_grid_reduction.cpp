// Statements of a reduction over blocks: each block stores its partial result in a workspace, one element a thread that
// does not reduce; when all have, each block that needs the result combines the partial results of all in the order of
// the blocks: the first one, unless what depends on it has loops on the same blocks.
//   %s = sum(%x) over [i0/512 serial, 512 (TIDx)] on 8 blocks (BIDx)
//   kernel: s = …; the threads of a block combine theirs (build_block_reduction.cpp)
//           if (threadIdx.x == 0) { W[blockIdx.x] = s }
//           (a barrier of the grid: synchronize.cpp)
//           if (blockIdx.x == 0) { s = 0; for b < 8 { s = s + W[b] } }     of more blocks than 8: chunk by chunk
// Of several results in a thread (`kept`), all are stored before the barrier, and each is combined behind it.
// So the order of the additions is that of the text, and every run of the kernel gives the same bits.
#include <algorithm>

#include "fuser/lower/build_statements.h"

namespace fuser {
namespace {

constexpr int64_t kChunks = 8;

bool needsChunks(IntExpr blocks) { return !blocks->isConstant() || blocks->value > kChunks; }

}  // namespace

// The axis that the reduction reduces on each block dimension; null: none.
std::array<const IterDomain*, 3> StatementBuilder::reducedBlocks(const TensorView* reduction) const {
  std::array<const IterDomain*, 3> axes{};
  for (const IterDomain* axis : reduction->domain().loop) {
    if (!axis->isReduction() || !isBlockDim(axis->parallelType())) continue;
    axes[static_cast<size_t>(axis->parallelType()) - static_cast<size_t>(ParallelType::BIDx)] = axis;
  }
  return axes;
}

// The place of a block's partial result `index` of `kept` for this thread: block after block, x fastest, then result
// after result, then by the thread's coordinates on the dimensions that are not reduced.
IntExpr StatementBuilder::partialIndex(const std::array<IntExpr, 3>& block, const std::array<bool, 3>& reducedThreads,
                                       int64_t kept, IntExpr index) {
  IntExpr thread = ints_.constant(0);
  int64_t threads = 1;
  for (size_t d = 0; d < 3; ++d) {
    if (reducedThreads[d]) continue;
    thread = ints_.add(thread, ints_.mul(kernel_.threadIdx[d], ints_.constant(threads)));
    threads *= kernel_.blockDim[d];
  }
  IntExpr place = ints_.constant(0);
  for (size_t d = 3; d-- > 0;) place = ints_.add(ints_.mul(place, kernel_.gridDim[d]), block[d]);
  place = ints_.add(ints_.mul(place, ints_.constant(kept)), index);
  return ints_.add(ints_.mul(place, ints_.constant(threads)), thread);
}

// Whether nothing that depends on the reduction has a loop on the blocks that it reduces over: the first of them stores
// what goes to global memory.
bool StatementBuilder::isNeededInFirstBlockAlone(const TensorView* tensor,
                                                 const std::array<const IterDomain*, 3>& axes) const {
  std::unordered_set<const Val*> seen;  // look-ups only
  std::vector<const Val*> open(tensor->definition()->outputs().begin(), tensor->definition()->outputs().end());
  while (!open.empty()) {
    const Val* val = open.back();
    open.pop_back();
    for (const Expr* use : val->uses()) {
      for (const Val* result : use->outputs()) {
        if (seen.insert(result).second) open.push_back(result);
        if (!reads_.hasLoops(use)) continue;
        for (const IterDomain* loop : result->as<TensorView>()->domain().loop) {
          const ParallelType type = loop->parallelType();
          if (!isBlockDim(type) || nest_.extent(loop)->isConstant(1)) continue;
          if (axes[static_cast<size_t>(type) - static_cast<size_t>(ParallelType::BIDx)]) return false;
        }
      }
    }
  }
  return true;
}

int StatementBuilder::addWorkspace(const TensorView* source, DataType dtype, IntExpr elements) {
  const int id = addBuffer(source, dtype, MemoryType::Global, 0);
  kernel_.buffers[static_cast<size_t>(id)].size = elements;
  kernel_.workspaces.push_back({id, Workspace::Kind::Scratch});
  return id;
}

// A loop of this extent, appended to `loops`; its index, 0 where there is one turn alone.
IntExpr StatementBuilder::loopOver(IntExpr extent, std::vector<For>& loops) {
  if (extent->isConstant(1)) return ints_.constant(0);
  For loop;
  loop.extent = extent;
  loop.index = ints_.index(concat("b", kernel_.ints->symbols().size()), extent);
  loops.push_back(std::move(loop));
  return loops.back().index;
}

// Joins the partial results of `extent` blocks along one dimension to a result's accumulators: in chunks of neighbours,
// each of which has accumulators of its own, so that no sum is a long chain.
Body StatementBuilder::combineAlong(const KeptResult& own, const std::vector<Access>& chunk, IntExpr extent,
                                    IntExpr needed, const std::function<std::vector<Access>(IntExpr)>& partialAt) {
  const auto wrapped = [](std::vector<For> loops, Body inner) {
    if (loops.empty()) return inner;
    loops.back().body = std::move(inner);
    return Body{{std::move(loops.back())}};
  };
  std::vector<For> within, over;
  Body join, turn;
  if (!needsChunks(extent)) {
    const IntExpr place = loopOver(extent, within);
    emitWhere(needed, own.join(own.accumulators, partialAt(place)), join);
    return wrapped(std::move(within), std::move(join));
  }
  const IntExpr neighbours = ints_.ceilDiv(extent, ints_.constant(kChunks));
  const IntExpr first = ints_.mul(loopOver(ints_.constant(kChunks), over), neighbours);
  const IntExpr place = ints_.add(first, loopOver(neighbours, within));
  emitWhere(needed, own.noTerms(chunk), turn);
  emitWhere(ints_.conjunction(needed, ints_.less(place, extent)), own.join(chunk, partialAt(place)), join);
  for (Statement& statement : wrapped(std::move(within), std::move(join))) turn.push_back(std::move(statement));
  emitWhere(needed, own.join(own.accumulators, chunk), turn);
  return wrapped(std::move(over), std::move(turn));
}

// Appends what combines the blocks' accumulators of each of `kept` results: one of a sum or the like, three of a
// variance.
void StatementBuilder::combineBlocks(const Expr* expr, int64_t kept, const std::function<KeptResult(IntExpr)>& result,
                                     Body& body) {
  const TensorView* tensor = expr->output()->as<TensorView>();
  const std::array<const IterDomain*, 3> axes = reducedBlocks(tensor);
  if (std::all_of(axes.begin(), axes.end(), [](const IterDomain* axis) { return axis == nullptr; })) return;
  const std::array<bool, 3> threads = reducedThreads(tensor);
  IntExpr elements = ints_.constant(kept);
  IntExpr first = ints_.constant(1);  // of the threads that reduce together
  for (size_t d = 0; d < 3; ++d) {
    elements = ints_.mul(elements, kernel_.gridDim[d]);
    if (!threads[d]) elements = ints_.mul(elements, ints_.constant(kernel_.blockDim[d]));
    if (threads[d]) first = ints_.conjunction(first, ints_.equal(kernel_.threadIdx[d], ints_.constant(0)));
  }
  std::vector<int> workspaces;
  for (const Access& accumulator : result(ints_.constant(0)).accumulators) {
    const DataType dtype = kernel_.buffers[static_cast<size_t>(accumulator.buffer)].dtype;
    workspaces.push_back(addWorkspace(tensor, dtype, elements));
  }
  // Conditions are those of single statements: they move out of loops once barriers are known.
  forEachPartial(0, kept, body, [&](IntExpr index) {
    const std::vector<Access> accumulators = result(index).accumulators;
    Body stores, guarded;
    for (size_t i = 0; i < accumulators.size(); ++i)
      stores.push_back(
          {Move{{workspaces[i], partialIndex(kernel_.blockIdx, threads, kept, index)}, accumulators[i], 1}});
    emitWhere(first, std::move(stores), guarded);
    return guarded;
  });
  IntExpr needed = ints_.constant(1);
  if (isNeededInFirstBlockAlone(tensor, axes)) {
    for (size_t d = 0; d < 3; ++d) {
      if (axes[d]) needed = ints_.conjunction(needed, ints_.equal(kernel_.blockIdx[d], ints_.constant(0)));
    }
  }
  const auto last = static_cast<size_t>(
      std::find_if(axes.begin(), axes.end(), [](const IterDomain* axis) { return axis != nullptr; }) - axes.begin());
  std::vector<Access> chunk;
  if (needsChunks(nest_.extent(axes[last])))
    chunk = scratchOf(expr, result(ints_.constant(0)).accumulators, MemoryType::Local, 1, body);
  forEachPartial(0, kept, body, [&](IntExpr index) {
    const KeptResult own = result(index);
    std::array<IntExpr, 3> block = kernel_.blockIdx;
    std::vector<For> around;  // of dimensions but the last one, outermost first
    block[last] = ints_.constant(0);
    for (size_t d = 3; d-- > last + 1;) {
      if (axes[d]) block[d] = loopOver(nest_.extent(axes[d]), around);
    }
    Body combined = combineAlong(
        own, chunk, nest_.extent(axes[last]), needed, [&](IntExpr place) {
          block[last] = place;
          std::vector<Access> others;
          for (int workspace : workspaces) others.push_back({workspace, partialIndex(block, threads, kept, index)});
          return others;
        });
    for (auto loop = around.rbegin(); loop != around.rend(); ++loop) {
      loop->body = std::move(combined);
      combined.clear();
      combined.push_back({std::move(*loop)});
    }
    Body all;
    emitWhere(needed, own.noTerms(own.accumulators), all);
    all.insert(all.end(), combined.begin(), combined.end());
    return all;
  });
}

}  // namespace fuser
