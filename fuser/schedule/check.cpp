// The numbered rules of a schedule, on which lowering relies:
//   1  threads: every axis on TIDx, TIDy, TIDz has a constant extent; a block has at most the device's, in all and
//      along z
//   2  a tensor uses each thread and block dimension once, also for axes of one element: the others do not compute them
//   3  a vector axis of several elements is the last one, of 2, 4, 8 or 16 and at most 16 bytes, of a plain copy from
//      one kind of memory to another, along the axis whose neighbours lie next to each other in global memory
//   4  a reduction's result is local; its reduced axes are serial, unrolled, on threads or on blocks; its kept axes
//      that it does not share with its readers are on threads or blocks, or have constant extents: a thread then keeps
//      a result for each. A variance has no such axes
//   5  computeAt: at most the loops that all consumers share; none for a tensor in global memory
//   6  loops that a buffer in registers or shared memory is indexed by have constant extents
//   7  an axis that `bound` gives a constant extent is not longer than that
//   8  shared memory takes at most the bytes that a block can ask for (lower/build_statements.cpp), and an element of a
//      buffer in it is read in the block, and in the turn of the shared loops, that stores it (lower/indexing.cpp);
//      nobody reads another element inside the loop that computes them (lower/build_statements.cpp)
//   9  blocks that wait for each other all run at once: the device has such launches, and the grid is known to have at
//      most the blocks that it then holds (lower/lower.cpp)
//  10  an axis that rFactor names is serial or unrolled, of a constant extent
//  11  the indices of a launch fit where indexType says int32 (host_run/host_ir_evaluator.cpp, which knows the strides)
//  12  which of a thread's registers is read depends on loops of constant extents alone, which are unrolled
//      (lower/indexing.cpp)
//  13  a vector has no remainder: the axis that it lies along, and each part of it that is split again, is a multiple
//      of its elements
//  14  threads do not wait for each other in an unswitched loop (lower/unswitch.cpp)
//  15  in registers and in shared memory, too, the elements of a vector lie next to each other, and the first at a
//      multiple of their number (lower/build_statements.cpp)
//  16  what an expression reads at other coordinates than its own is in memory, or can be computed there: no reduction
//  17  a tensor with padded rows or a swizzled loop axis is in shared memory
//  18  a double-buffered tensor is a copy of an input in registers, in a serial loop that it shares with its readers;
//      its loads have no other statement beside them there, and all that a loop loads ahead comes as many turns ahead
//      (lower/double_buffer.cpp)
//  19  a kernel that computes something again reads an input that it overwrites in one expression
//      (runtime/build_program.cpp)
//  20  a tensor with an axis that may be expanded to no elements shares a loop along it with its readers, which then
//      has no turns; a loop of its own would run over the one element that is stored
//  21  a grid has at most the device's blocks along y and z (lower/lower.cpp)
//  22  a register is read by the thread that computes it, where it computes it (lower/indexing.cpp)
//  23  what a kernel stores in an output is read back by the thread that stored it (lower/indexing.cpp)
//  24  nothing reads a reduction inside the loops that compute it (lower/build_statements.cpp)
//  25  the memory of an input that vectors are loaded from is aligned to them (runtime/build_program.cpp)
//  26  a loop whose turns all store the same element has at least one turn (lower/lower.cpp)
//  27  the innermost loops of a scan go along its axis, one place after another: on blocks, in turns, on threads of the
//      block, or some of these, in this order, by splits of the axis; where blocks share a line, the results stay in
//      registers until they have waited for each other (lower/build_scan.cpp, build_grid_scan.cpp)
//  28  the turns of a loop on Mma are the 16 terms of products, in f32, of elements of two tiles of f16 or bf16 in
//  shared
//      memory, in two loops of two turns; the block has 4 threads along x and 8 along y, the device mma
//      (lower/multiply_matrices.cpp)
// Tests run what these rules reject (analysis/schedule_rules.h): a broken one is a wrong kernel, but for limits of
// devices.
#include <algorithm>
#include <array>
#include <set>

#include "fuser/analysis/inline_reads.h"
#include "fuser/analysis/loop_map.h"
#include "fuser/schedule/schedule.h"

namespace fuser {
namespace {

bool isParallel(const IterDomain* axis) {
  return isThreadDim(axis->parallelType()) || isBlockDim(axis->parallelType());
}

// A later merge may leave fewer loops than a tensor was told to share.
void checkPosition(const TensorView* tensor, const ScheduleRules&) {
  const size_t loops = tensor->domain().loop.size();
  FUSER_USER_CHECK(tensor->computeAtPosition() <= loops, "rule 5: %", tensor->name(), " has ", loops,
                   " loops, and is to share ", tensor->computeAtPosition());
}

void checkAxes(const TensorView* tensor, const ScheduleRules& rules) {
  std::array<bool, 9> used{};
  for (const IterDomain* axis : tensor->domain().loop) {
    const ParallelType type = axis->parallelType();
    if (!isParallel(axis)) continue;
    rules.require(!used[static_cast<size_t>(type)], 2, "%", tensor->name(), " uses ", parallelTypeName(type), " twice");
    used[static_cast<size_t>(type)] = true;
    rules.require(isBlockDim(type) || axis->extent()->isConstant(), 1, "an axis of %", tensor->name(), " on ",
                  parallelTypeName(type), " has no constant extent");
  }
}

void checkShared(const TensorView* tensor, const ScheduleRules& rules) {
  const std::vector<IterDomain*>& loop = tensor->domain().loop;
  const bool skewed = tensor->padding() != RowPadding() ||
                      std::any_of(loop.begin(), loop.end(), [](const auto* axis) { return axis->isSwizzled(); });
  rules.require(!skewed || tensor->memoryType() == MemoryType::Shared, 17, "%", tensor->name(),
                " has padded rows or a swizzled axis, and is not in shared memory");
}

void checkDoubleBuffer(const TensorView* tensor, const ScheduleRules& rules) {
  if (tensor->turnsAhead() == 0) return;
  const Expr* maker = tensor->definition();
  const bool copies = maker->op() == OpKind::Set && !maker->input(0)->definition();
  const std::string what = concat("%", tensor->name(), " cannot be double-buffered: ");
  rules.require(copies && tensor->memoryType() == MemoryType::Local, 18, what,
                "it is no copy of an input in registers");
  rules.require(serialLoopAround(tensor).has_value(), 18, what, "it shares no serial loop with its readers");
}

void checkVector(const TensorView* tensor, const ScheduleRules& rules) {
  const std::vector<IterDomain*>& loop = tensor->domain().loop;
  for (size_t i = 0; i < loop.size(); ++i) {
    if (loop[i]->parallelType() != ParallelType::Vectorize) continue;
    const IntExpr extent = loop[i]->extent();
    if (extent->isConstant(1)) continue;  // no vector
    const std::string what = concat("%", tensor->name(), " cannot be vectorized: ");
    FUSER_USER_CHECK(extent->isConstant(), "rule 3: ", what, "a vector has a constant number of elements");
    const bool size = (extent->value == 2 || extent->value == 4 || extent->value == 8 || extent->value == 16) &&
                      extent->value * static_cast<int64_t>(dtypeSize(tensor->dtype())) <= 16;
    const Expr* maker = tensor->definition();
    const auto* source = maker->op() == OpKind::Set ? maker->input(0)->as<TensorView>() : nullptr;
    const bool copy = source && source->memoryType() != tensor->memoryType();
    rules.require(i + 1 == loop.size(), 3, what, "the vector must be the last loop axis");
    rules.require(size, 3, what, "a vector must have 2, 4, 8 or 16 elements, and at most 16 bytes");
    rules.require(copy, 3, what, "it must be a plain copy (set) from one kind of memory to another");
    const std::vector<IterDomain*> axes = tensor->axes();
    const auto along = std::find(axes.begin(), axes.end(), innermostRootOf(tensor, loop[i]));
    for (const TensorView* moved : {tensor, source}) {
      if (!moved || moved->memoryType() != MemoryType::Global) continue;
      // A workspace is dense in the order of its axes.
      const TensorDomain& memory = moved->domain();
      const bool workspace = moved->definition() && !moved->isFusionOutput();
      const bool dense = workspace || memory.contiguity.empty() || memory.contiguity.back().value_or(false);
      const auto innermost = workspace || memory.allocationOrder.empty() ? static_cast<int>(axes.size()) - 1
                                                                         : memory.allocationOrder.back();
      rules.require(dense, 3, what, "in its memory, which a caller may give, neighbours need not lie next to each ",
                    "other");
      rules.require(along != axes.end() && along - axes.begin() == innermost, 3, what,
                    "the vector must lie along the innermost axis of its memory");
    }
  }
}

void checkReduction(const TensorView* tensor, const ScheduleRules& rules) {
  if (!isReduction(tensor->definition()->op())) return;
  rules.require(tensor->memoryType() == MemoryType::Local, 4, "the reduction %", tensor->name(),
                " is not in local memory");
  const std::vector<IterDomain*>& loop = tensor->domain().loop;
  for (size_t i = 0; i < loop.size(); ++i) {
    if (loop[i]->isFactored()) {
      const ParallelType type = loop[i]->parallelType();
      rules.require((type == ParallelType::Serial || type == ParallelType::Unroll) && loop[i]->extent()->isConstant(),
                    10, "loop axis ", i, " of %", tensor->name(),
                    ", which has partial results, is not serial of a constant extent");
    }
    if (!loop[i]->isReduction()) {
      const IntExpr extent = loop[i]->extent();
      const bool perThread = hasParts(tensor->definition()->op()) ? extent->isConstant(1) : extent->isConstant();
      rules.require(i < tensor->computeAtPosition() || isParallel(loop[i]) || perThread, 4, "the kept loop axis ", i,
                    " of the reduction %", tensor->name(),
                    " is serial and not shared with its consumers: share it (reorder it before the reduced axes, and "
                    "computeAt), put it on threads or blocks (parallelize), or give it a constant extent (bound)");
    }
  }
}

void checkInlining(const TensorView* tensor, const InlineReads& reads, const ScheduleRules& rules) {
  const size_t position = tensor->computeAtPosition();
  for (const Expr* use : tensor->uses()) {
    if (!reads.hasLoops(use) || reads.isInline(use, tensor)) continue;
    rules.require(position <= sharableLoops(tensor, use), 5, "%", tensor->name(), " does not share ", position,
                  " loops with %", use->output()->name());
  }
  const bool alone = tensor->definition()->outputs().size() == 1;
  rules.require(position == 0 || !alone || !tensor->uses().empty(), 5, "nothing reads %", tensor->name());
  if (tensor->memoryType() == MemoryType::Global) {
    rules.require(position == 0, 5, "%", tensor->name(), " is in global memory and shares loops");
    return;
  }
  const std::vector<IterDomain*>& loop = tensor->domain().loop;
  for (size_t i = position; i < loop.size(); ++i) {
    rules.require(isParallel(loop[i]) || loop[i]->isReduction() || loop[i]->extent()->isConstant(), 6, "loop axis ", i,
                  " of %", tensor->name(), " has no constant extent");
  }
}

void checkInlineReads(const Expr* reader, const InlineReads& reads, const ScheduleRules& rules) {
  for (const Val* operand : reader->inputs()) {
    if (!operand->isTensor() || !reads.isInline(reader, operand->as<TensorView>())) continue;
    const std::string reason = whyNotInline(reader, operand->as<TensorView>());
    rules.require(reason.empty(), 16, "", reason);
  }
}

void checkBounds(const TensorView* tensor, SizeFacts* sizes, const ScheduleRules& rules) {
  for (const LoopTransform& step : tensor->domain().transforms) {
    if (!step.split || !step.split->whole || step.split->in->isBroadcast()) continue;
    const IntExpr size = step.split->in->extent();
    const int64_t most = step.split->factor;
    const bool fits = size->isConstant() ? size->value <= most : sizes && sizes->atMost(size, most, SizeLimit::Row);
    rules.require(fits, 7, "an axis of %", tensor->name(), " has more than ", most, " elements",
                  sizes ? "" : ", or may have: nothing is known of its size");
  }
}

// Whether a loop that the tensor shares with its readers has no turns where this axis of loopRoot has no elements: one
// along the axis, along what it is merged in, or along the outer part of a split of these.
bool sharesLoopAlong(const TensorView* tensor, const IterDomain* axis) {
  const TensorDomain& domain = tensor->domain();
  std::set<const IterDomain*> along;  // look-ups only
  if (std::find(domain.loopRoot.begin(), domain.loopRoot.end(), axis) != domain.loopRoot.end()) along.insert(axis);
  for (const LoopTransform& step : domain.transforms) {
    if (step.split && !step.split->whole && along.count(step.split->in) != 0) along.insert(step.split->outer);
    if (step.merge && along.count(step.merge->outer) + along.count(step.merge->inner) != 0)
      along.insert(step.merge->out);
  }
  const auto shared = domain.loop.begin() + static_cast<ptrdiff_t>(tensor->computeAtPosition());
  return std::any_of(domain.loop.begin(), shared, [&](const IterDomain* loop) { return along.count(loop) != 0; });
}

void checkExpanded(const TensorView* tensor, SizeFacts* sizes, const ScheduleRules& rules) {
  for (const IterDomain* axis : tensor->domain().logical) {
    if (!axis->isExpanded() || (sizes && !sizes->isZero(axis->expandedExtent()))) continue;
    rules.require(sharesLoopAlong(tensor, axis), 20, "an axis of %", tensor->name(),
                  " may be expanded to no elements, and its readers do not share the loop along it");
  }
}

// From the vector to the axis of the tensor that it lies along.
void checkRemainder(const TensorView* tensor, SizeFacts* sizes, const ScheduleRules& rules) {
  if (tensor->domain().loop.empty()) return;
  const IterDomain* axis = tensor->domain().loop.back();
  if (axis->parallelType() != ParallelType::Vectorize || axis->extent()->isConstant(1)) return;
  const int64_t width = axis->extent()->value;
  const std::vector<LoopTransform>& steps = tensor->domain().transforms;
  bool whole = true;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    if (step->split && step->split->inner == axis) {
      whole &= step->split->factor % width == 0;
      axis = step->split->in;
    } else if (step->merge && step->merge->out == axis) {
      axis = step->merge->inner->extent()->isConstant(1) ? step->merge->outer : step->merge->inner;
    }
  }
  const IntExpr size = axis->extent();
  whole = whole && (size->isConstant() ? size->value % width == 0 : sizes && sizes->divisibleBy(size, width));
  rules.require(whole, 13, "vectors of ", width, " elements of %", tensor->name(), " may have a remainder");
}

}  // namespace

void checkSchedule(const Fusion& part, const DeviceProperties& device, SizeFacts* sizes, const ScheduleRules& rules) {
  const InlineReads reads(part);
  const std::vector<Expr*>& exprs = reads.exprsWithLoops();
  for (const Expr* expr : exprs) checkBounds(expr->output()->as<TensorView>(), sizes, rules);
  const auto forEachResult = [&](const auto& check) {
    for (const Expr* expr : exprs) {
      for (const Val* result : expr->outputs()) check(result->as<TensorView>());
    }
  };
  for (const auto check : {checkPosition, checkAxes, checkShared, checkDoubleBuffer, checkVector, checkReduction})
    forEachResult([&](const TensorView* tensor) { check(tensor, rules); });
  forEachResult([&](const TensorView* tensor) { checkInlining(tensor, reads, rules); });
  for (const Expr* expr : exprs) checkInlineReads(expr, reads, rules);
  forEachResult([&](const TensorView* tensor) { checkExpanded(tensor, sizes, rules); });
  for (const Expr* expr : exprs) checkRemainder(expr->output()->as<TensorView>(), sizes, rules);
  std::array<int64_t, 3> threads{1, 1, 1};
  for (const Expr* expr : exprs) {
    for (const IterDomain* axis : expr->output()->as<TensorView>()->domain().loop) {
      if (!isThreadDim(axis->parallelType())) continue;
      int64_t& size = threads[static_cast<size_t>(axis->parallelType()) - static_cast<size_t>(ParallelType::TIDx)];
      size = std::max(size, axis->extent()->value);
    }
  }
  const int64_t all = threads[0] * threads[1] * threads[2];
  rules.require(all <= device.threadsPerBlock, 1, "a block of ", all, " threads: it has at most ",
                device.threadsPerBlock);
  rules.require(threads[2] <= device.threadsAlongZ, 1, threads[2], " threads along z: a block has at most ",
                device.threadsAlongZ);
}

}  // namespace fuser
