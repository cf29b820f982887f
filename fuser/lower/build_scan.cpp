// A scan: what it has of the elements so far goes along their axis with the innermost of its loops.
// A thread that has whole lines takes one place after another:
//   kernel: allocate a; a = 0; for i { if (…) { a = a + x[i]; y[i] = a } }
// The threads of a block take a turn's places together, each its own. First the lanes of a warp, by a butterfly of
// shuffles: what a thread has of the places up to its own, and what its group has in all. The totals of the warps go
// through scratch in shared memory, and each thread joins them, in order, to what all have of the turns before:
//   [i0, i1] -> [i0 (BIDx), i1/256 serial, 256 (TIDx)]
//   kernel: allocate a; a = 0
//           for i {
//             s = 0; if (…) { s = x[…] }; t = s
//             n = shuffle xor 1 (t)                   and so with 2, 4, 8, 16
//               of the upper lane: s = n + s; t = n + t
//               of the lower lane: t = t + n
//             if (threadIdx.x % 32 == 0) { t_scratch[threadIdx.x // 32] = t }
//             a barrier (synchronize.cpp)
//             for w < 8 { if (w == threadIdx.x // 32) { b = a }; a = a + t_scratch[w] }
//             s = b + s; if (…) { y[…] = s }
//           }
// Blocks that share a line wait for each other: build_grid_scan.cpp.
// Of two partial results, the one of the earlier places is the left operand. So each result is one tree, whatever the
// timing, and both threads of a butterfly's step have the same bits of their common total.

#include <algorithm>

#include "fuser/lower/build_statements.h"

namespace fuser {
namespace {

constexpr int64_t kUnrolledWarps = 32;

}  // namespace

// Rule 27.
ScanLoops StatementBuilder::scanLoops(const Expr* scan) const {
  const auto* tensor = scan->output()->as<TensorView>();
  const std::optional<ScanLoops> loops = findScanLoops(scan);
  rules_.require(loops.has_value(), 27, "the loops of the scan %", tensor->name(),
                 " do not go along its axis, one place after another: a loop on blocks, one in turns, one on threads, "
                 "or some of them, in this order, by splits of the axis, and no other loops between or inside them");
  if (loops && loops->blocks) requireKept(tensor, *loops);
  return loops.value_or(ScanLoops{tensor->domain().loop.size()});
}

void StatementBuilder::openScan(const Expr* scan, Body& allocations, Body& body) {
  const auto* tensor = scan->output()->as<TensorView>();
  const int accumulator = addBuffer(tensor, computeType(tensor->dtype()), MemoryType::Local, 1);
  allocations.push_back({Allocate{accumulator}});
  accumulators_[tensor] = accumulator;
  body.push_back(identityOf(scan, {accumulator, ints_.constant(0)}));
}

void StatementBuilder::scan(const Element& element, IntExpr condition, Body& body) {
  FUSER_CHECK(!element.at, "%", element.expr->output()->name(), " is a scan, which is computed in its own loops alone");
  if (scanLoops(element.expr).threads) return scanByBlock(element, condition, body);
  emitScope(
      condition, [&](Body& inner) { scanByThread(element, inner); }, body);
}

// acc = combine(acc, x), in the compute dtype; the result is acc, rounded.
void StatementBuilder::scanByThread(const Element& element, Body& body) {
  const auto* tensor = element.expr->output()->as<TensorView>();
  Compute statement;
  statement.op = *element.expr->info().combine;
  statement.computeDtype = computeType(tensor->dtype());
  statement.target = {accumulators_.at(tensor), ints_.constant(0)};
  statement.operands.push_back(access(statement.target.buffer, statement.target.index));
  statement.operands.push_back(operandOf(element, 0, body));
  statement.source = element.expr;
  const Operand total = access(statement.target.buffer, statement.target.index);
  body.push_back({std::move(statement)});
  convert(element.expr, resultOfScan(element), total, body);
}

// Which thread dimensions (x, y, z) go along the scanned axis.
std::array<bool, 3> StatementBuilder::scannedThreads(const ScanLoops& loops) {
  std::array<bool, 3> dims{};
  if (loops.threads)
    dims[static_cast<size_t>(loops.threads->parallelType()) - static_cast<size_t>(ParallelType::TIDx)] = true;
  return dims;
}

// Threads without an element have the identity. All of a group have the same carry.
void StatementBuilder::scanByBlock(const Element& element, IntExpr condition, Body& body) {
  const Expr* scan = element.expr;
  const auto* tensor = scan->output()->as<TensorView>();
  const ThreadTerms threads = threadTerms(scannedThreads(scanLoops(scan)));
  const Access carry{accumulators_.at(tensor), ints_.constant(0)};
  const DataType dtype = computeType(tensor->dtype());
  const Access own = newRegister(dtype, body, tensor);
  body.push_back(identityOf(scan, own));
  emitScope(
      condition, [&](Body& inner) { convert(scan, own, operandOf(element, 0, inner), inner); }, body);
  const Access total = newRegister(dtype, body, tensor);
  body.push_back({Move{total, own, 1}});
  scanLanes(scan, threads, own, total, body);
  const int64_t warps = threads.terms / threads.lanes;
  Access before = carry;
  if (warps > 1) {
    const Access scratch = scratchOf(scan, {total}, MemoryType::Shared, threads.groups * warps, body).front();
    const auto ofWarp = [&](IntExpr warp) { return Access{scratch.buffer, scratchIndex(threads, warps, warp)}; };
    const IntExpr lanes = ints_.constant(threads.lanes), warp = ints_.floorDiv(threads.term, lanes);
    const IntExpr isFirst = ints_.equal(ints_.mod(threads.term, lanes), ints_.constant(0));
    emitWhere(isFirst, {{Move{ofWarp(warp), total, 1}}}, body);
    before = newRegister(dtype, body, tensor);
    std::vector<For> loop;
    const IntExpr place = loopOver(ints_.constant(warps), loop);
    emitWhere(ints_.equal(place, warp), {{Move{before, carry, 1}}}, loop.back().body);
    loop.back().body.push_back(joinOf(scan, carry, ofWarp(place)));
    loop.back().unroll = warps <= kUnrolledWarps;
    body.push_back({std::move(loop.back())});
  }
  body.push_back(joinedTo(scan, own, before, own));
  if (warps == 1) body.push_back(joinOf(scan, carry, total));
  const Operand result = access(own.buffer, own.index);
  emitScope(
      condition, [&](Body& inner) { convert(scan, resultOfScan(element), result, inner); }, body);
}

// Of the aligned lanes that a warp has of a line: `own` becomes what a thread has of those up to itself, and `total`
// what all have.
void StatementBuilder::scanLanes(const Expr* scan, const ThreadTerms& threads, const Access& own, const Access& total,
                                 Body& body) {
  if (threads.lanes == 1) return;
  const Access partner = scratchOf(scan, {total}, MemoryType::Local, 1, body).front();
  for (int64_t apart = 1; apart < threads.lanes; apart *= 2) {
    shuffleFrom(Shuffle::From::Xor, apart, {partner}, {total}, body);
    const IntExpr half = ints_.mod(ints_.floorDiv(threads.term, ints_.constant(apart)), ints_.constant(2));
    const IntExpr isUpper = ints_.equal(half, ints_.constant(1));
    emitWhere(isUpper, {joinedTo(scan, own, partner, own), joinedTo(scan, total, partner, total)}, body);
    emitWhere(ints_.equal(isUpper, ints_.constant(0)), {joinedTo(scan, total, total, partner)}, body);
  }
}

}  // namespace fuser
