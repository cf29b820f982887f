// A scan whose lines are shared by blocks: each block scans its places of a line as if there were no others
// (build_scan.cpp), and keeps the results in registers. What all of its places make together goes to a workspace; when
// all blocks have stored theirs, each joins those of the blocks before it, in their order, and its results behind them:
//   [i0, i1] -> [i0 (BIDy), i1/2048 (BIDx), 8 unrolled, 256 (TIDx)]
//   kernel: allocate r[8]; r = 0; a = 0
//           for i < 8 { … r[i] = … }                  a: what all of the block's places make
//           if (threadIdx.x == 0) { W[blockIdx.y, blockIdx.x] = a }
//           (a barrier of the grid: synchronize.cpp)
//           b = 0; for k < gridDim.x { if (threadIdx.x == 0 && k < blockIdx.x) { b = b + W[blockIdx.y, k] } }
//           (the first thread gives b to the others, through scratch in shared memory)
//           for i < 8 { r[i] = b + r[i] }
// All blocks run at once (rule 9), so that none waits for one that has not begun; and the order of the joins is that of
// the text, so that the bits depend on neither timing nor engine.

#include <algorithm>

#include "fuser/lower/build_statements.h"

namespace fuser {

// Rule 27.
void StatementBuilder::requireKept(const TensorView* tensor, const ScanLoops& loops) const {
  const std::vector<IterDomain*>& all = tensor->domain().loop;
  bool isKept = tensor->memoryType() == MemoryType::Local && tensor->computeAtPosition() <= loops.outermost;
  for (size_t i = tensor->computeAtPosition(); i < loops.outermost; ++i)
    isKept &= isThreadDim(all[i]->parallelType()) || isBlockDim(all[i]->parallelType());
  rules_.require(isKept, 27, "blocks share the lines of the scan %", tensor->name(),
                 ", and its results are not in registers, outside of all loops but those on blocks and threads");
}

// In the compute dtype, until they are whole. A place that no thread computes has the identity.
void StatementBuilder::openResults(const Expr* scan, Body& allocations, Body& body) {
  const auto* tensor = scan->output()->as<TensorView>();
  int results = bufferOf(tensor);
  const DataType dtype = computeType(tensor->dtype());
  const int64_t kept = indexing_.bufferSize(tensor);
  if (dtype != tensor->dtype()) {
    results = addBuffer(tensor, dtype, MemoryType::Local, kept);
    allocations.push_back({Allocate{results}});
  }
  scanResults_[tensor] = results;
  forEachPartial(0, kept, body, [&](IntExpr index) { return Body{identityOf(scan, {results, index})}; });
}

// Where the result of an element's own block goes.
Access StatementBuilder::resultOfScan(const Element& element) const {
  const auto kept = scanResults_.find(element.expr->output());
  return kept == scanResults_.end() ? element.target : Access{kept->second, element.target.index};
}

void StatementBuilder::closeScan(const Expr* scan, Body& body) {
  const auto* tensor = scan->output()->as<TensorView>();
  const ScanLoops loops = scanLoops(scan);
  const size_t dim = static_cast<size_t>(loops.blocks->parallelType()) - static_cast<size_t>(ParallelType::BIDx);
  const DataType dtype = computeType(tensor->dtype());
  const std::array<bool, 3> along = scannedThreads(loops);
  IntExpr elements = ints_.constant(1), isFirst = ints_.constant(1);
  for (size_t d = 0; d < 3; ++d) {
    elements = ints_.mul(elements, kernel_.gridDim[d]);
    if (!along[d]) elements = ints_.mul(elements, ints_.constant(kernel_.blockDim[d]));
    if (along[d]) isFirst = ints_.conjunction(isFirst, ints_.equal(kernel_.threadIdx[d], ints_.constant(0)));
  }
  const int workspace = addWorkspace(tensor, dtype, elements);
  const auto totalOf = [&](IntExpr place) {
    std::array<IntExpr, 3> block = kernel_.blockIdx;
    block[dim] = place;
    return Access{workspace, partialIndex(block, along, 1, ints_.constant(0))};
  };
  const Access total{accumulators_.at(tensor), ints_.constant(0)};
  emitWhere(isFirst, {{Move{totalOf(kernel_.blockIdx[dim]), total, 1}}}, body);
  const Access before = newRegister(dtype, body, tensor);
  body.push_back(identityOf(scan, before));
  std::vector<For> loop;
  const IntExpr place = loopOver(nest_.extent(loops.blocks), loop);
  Body join;
  const IntExpr isBefore = ints_.less(place, kernel_.blockIdx[dim]);
  emitWhere(ints_.conjunction(isFirst, isBefore), {joinOf(scan, before, totalOf(place))}, join);
  if (!loop.empty()) {
    loop.back().body = std::move(join);
    body.push_back({std::move(loop.back())});
  }
  if (loops.threads) {
    const ThreadTerms threads = threadTerms(along);
    Access given = scratchOf(scan, {before}, MemoryType::Shared, threads.groups, body).front();
    given.index = scratchIndex(threads, 1, ints_.constant(0));
    emitWhere(isFirst, {{Move{given, before, 1}}}, body);
    body.push_back({Move{before, given, 1}});
  }
  const int results = scanResults_.at(tensor);
  forEachPartial(0, indexing_.bufferSize(tensor), body, [&](IntExpr index) {
    const Access result{results, index};
    Body whole{joinedTo(scan, result, before, result)};
    if (results != bufferOf(tensor)) convert(scan, {bufferOf(tensor), index}, access(results, index), whole);
    return whole;
  });
}

}  // namespace fuser
