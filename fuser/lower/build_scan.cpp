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
// Of two partial results, the one of the earlier places is the left operand. So each result is one tree, whatever the
// timing, and both threads of a butterfly's step have the same bits of their common total.

#include <algorithm>

#include "fuser/lower/build_statements.h"

namespace fuser {
namespace {

constexpr int64_t kUnrolledWarps = 32;

bool isInTurns(const IterDomain* axis) {
  return axis->parallelType() == ParallelType::Serial || axis->parallelType() == ParallelType::Unroll;
}

// The split of the axis that gives the inner one; null: there is none.
const Split* splitInto(const TensorDomain& domain, const IterDomain* axis, const IterDomain* inner) {
  for (const LoopTransform& step : domain.transforms) {
    if (step.split && step.split->in == axis && step.split->inner == inner) return &*step.split;
  }
  return nullptr;
}

}  // namespace

// Rule 27. Of an axis of one element no loop is needed: the depth is that of the innermost statements.
StatementBuilder::ScanLoops StatementBuilder::scanLoops(const Expr* scan) const {
  const auto* tensor = scan->output()->as<TensorView>();
  const IterDomain* axis = tensor->axes()[static_cast<size_t>(scan->attributes().dim())];
  const std::vector<IterDomain*>& loops = tensor->domain().loop;
  const size_t depth = loops.size();
  if (axis->isBroadcast()) return {depth, nullptr};
  const IterDomain* last = loops.empty() ? nullptr : loops.back();
  if (last == axis && isInTurns(last)) return {depth - 1, nullptr};
  if (last && isThreadDim(last->parallelType())) {
    const Split* split = splitInto(tensor->domain(), axis, last);
    if (last == axis || (split && split->whole)) return {depth - 1, last};
    if (split && depth > 1 && loops[depth - 2] == split->outer && isInTurns(split->outer)) return {depth - 2, last};
  }
  rules_.require(false, 27, "the innermost loops of the scan %", tensor->name(),
                 " do not go along its axis, one place after another: a loop in turns, one on threads, or the turns "
                 "and the threads of one split");
  return {depth - 1, nullptr};
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
  const IterDomain* along = scanLoops(element.expr).threads;
  if (along) return scanByBlock(element, along, condition, body);
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
  statement.fenced = kernel_.contraction && statement.op == OpKind::Mul && isFloating(statement.computeDtype);
  const Operand total = access(statement.target.buffer, statement.target.index);
  body.push_back({std::move(statement)});
  convert(element.expr, element.target, total, body);
}

// Threads without an element have the identity. All of a group have the same carry.
void StatementBuilder::scanByBlock(const Element& element, const IterDomain* along, IntExpr condition, Body& body) {
  const Expr* scan = element.expr;
  const auto* tensor = scan->output()->as<TensorView>();
  std::array<bool, 3> dims{};
  dims[static_cast<size_t>(along->parallelType()) - static_cast<size_t>(ParallelType::TIDx)] = true;
  const ThreadTerms threads = threadTerms(dims);
  const Access carry{accumulators_.at(tensor), ints_.constant(0)};
  const DataType dtype = computeType(tensor->dtype());
  const Access own = newRegister(dtype, body);
  body.push_back(identityOf(scan, own));
  emitScope(
      condition, [&](Body& inner) { convert(scan, own, operandOf(element, 0, inner), inner); }, body);
  const Access total = newRegister(dtype, body);
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
    before = newRegister(dtype, body);
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
      condition, [&](Body& inner) { convert(scan, element.target, result, inner); }, body);
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
