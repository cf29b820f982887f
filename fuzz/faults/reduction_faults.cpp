// Faults in the reductions of a kernel.

#include <algorithm>
#include <map>
#include <set>

#include "fuzz/faults/fault_list.h"
#include "fuzz/faults/kernel_edit.h"

namespace fuser::fuzz::faults {
namespace {

// Changes the value that reductions of these ops start from.
bool changeIdentity(Kernel& kernel, const std::function<std::optional<double>(OpKind)>& startOf) {
  return editComputes(kernel, [&](Compute& compute) {
    if (!isInit(compute)) return false;
    const std::optional<double> start = startOf(compute.source->op());
    if (!start) return false;
    const ScalarValue value =
        isFloating(compute.computeDtype) ? ScalarValue(*start) : ScalarValue(static_cast<int64_t>(*start));
    if (compute.operands[0].literal == value) return false;
    compute.operands[0].literal = value;
    return true;
  });
}

// The accumulating statement inside, under conditions but in no further loop.
const Statement* accumulation(const Body& body) {
  for (const Statement& statement : body) {
    const Compute* compute = std::get_if<Compute>(&statement.node);
    if (compute && isAccumulate(*compute)) return &statement;
    const If* guarded = std::get_if<If>(&statement.node);
    if (!guarded) continue;
    if (const Statement* inner = accumulation(guarded->body)) return inner;
  }
  return nullptr;
}

bool insertAfterAccumulation(Body& body, const Body& added) {
  for (size_t i = 0; i < body.size(); ++i) {
    const Compute* compute = std::get_if<Compute>(&body[i].node);
    if (compute && isAccumulate(*compute)) {
      body.insert(body.begin() + static_cast<std::ptrdiff_t>(i) + 1, added.begin(), added.end());
      return true;
    }
    If* guarded = std::get_if<If>(&body[i].node);
    if (guarded && insertAfterAccumulation(guarded->body, added)) return true;
  }
  return false;
}

// Whether it combines a thread's partial result with another thread's.
bool joinsThread(const Statement& statement, const std::vector<bool>& partials) {
  if (const JoinWelford* join = std::get_if<JoinWelford>(&statement.node)) {
    return partials[static_cast<size_t>(join->otherCount.buffer)];
  }
  const Compute* compute = std::get_if<Compute>(&statement.node);
  return compute && compute->operands.size() == 2 && compute->operands[1].kind == Operand::Kind::Access &&
         partials[static_cast<size_t>(compute->operands[1].access.buffer)];
}

// The reduction whose partial results of threads the statements of a condition combine; null: of none.
const Expr* joinedUnderCondition(const If& branch, const std::vector<bool>& partials) {
  for (const Statement& inner : branch.body) {
    if (!joinsThread(inner, partials)) continue;
    if (const JoinWelford* join = std::get_if<JoinWelford>(&inner.node)) return join->sourceExpr;
    return std::get<Compute>(inner.node).source;
  }
  return nullptr;
}

// The number of threads of a block that reduce together.
int64_t reducedThreads(const Kernel& kernel, const Expr* reduction) {
  int64_t threads = 1;
  for (const IterDomain* axis : reduction->output()->as<TensorView>()->domain().loop) {
    const ParallelType type = axis->parallelType();
    if (!axis->isReduction() || !isThreadDim(type)) continue;
    threads *= kernel.blockDim[static_cast<size_t>(type) - static_cast<size_t>(ParallelType::TIDx)];
  }
  return threads;
}

bool isPowerOfTwo(int64_t value) { return (value & (value - 1)) == 0; }

}  // namespace

bool dropInit(Kernel& kernel) {
  return replaceStatements(kernel, [](const Statement& statement) -> std::optional<Body> {
    const Compute* compute = std::get_if<Compute>(&statement.node);
    return compute && isInit(*compute) ? std::optional<Body>(Body{}) : std::nullopt;
  });
}

bool wrongSumIdentity(Kernel& kernel) {
  return changeIdentity(kernel, [](OpKind op) -> std::optional<double> {
    if (op == OpKind::Sum) return 1;
    if (op == OpKind::Prod) return 0;
    return std::nullopt;
  });
}

bool wrongMaxIdentity(Kernel& kernel) {
  return changeIdentity(kernel, [](OpKind op) -> std::optional<double> {
    if (op == OpKind::Amax || op == OpKind::Amin) return 0;
    return std::nullopt;
  });
}

bool accumulateTwice(Kernel& kernel) {
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    for (Statement& statement : body) {
      For* loop = std::get_if<For>(&statement.node);
      const Statement* once = loop ? accumulation(loop->body) : nullptr;
      if (!once) continue;
      If first;
      first.condition = kernel.ints->equal(loop->index, kernel.ints->constant(0));
      first.body.push_back(*once);
      changed |= insertAfterAccumulation(loop->body, {Statement{std::move(first)}});
    }
  });
  return changed;
}

bool accumulateNarrow(Kernel& kernel) {
  return replaceStatements(kernel, [&](const Statement& statement) -> std::optional<Body> {
    const Compute* compute = std::get_if<Compute>(&statement.node);
    if (!compute || !isAccumulate(*compute)) return std::nullopt;
    const DataType narrow = compute->source->output()->dtype();
    if (narrow == compute->computeDtype) return std::nullopt;
    Body body{statement};
    const Access rounded = newRegister(kernel, narrow, body);
    body.push_back(computeOf(OpKind::Set, narrow, rounded, {operandAt(compute->target)}, compute->source));
    body.push_back(
        computeOf(OpKind::Set, compute->computeDtype, compute->target, {operandAt(rounded)}, compute->source));
    return body;
  });
}

bool dropBlockReduce(Kernel& kernel) {
  const std::vector<bool> partials = partialsOfThreads(kernel);
  return replaceStatements(kernel, [&](const Statement& statement) -> std::optional<Body> {
    return joinsThread(statement, partials) ? std::optional<Body>(Body{}) : std::nullopt;
  });
}

bool shuffleFromWrongLane(Kernel& kernel) {
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    for (Statement& statement : body) {
      Shuffle* shuffle = std::get_if<Shuffle>(&statement.node);
      if (!shuffle || shuffle->from != Shuffle::From::Xor || shuffle->lanes == 1) continue;
      shuffle->lanes /= 2;
      changed = true;
    }
  });
  return changed;
}

bool dropLastTreeStep(Kernel& kernel) {
  const std::vector<bool> partials = partialsOfThreads(kernel);
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    std::map<const Expr*, size_t> last;  // look-ups only
    std::set<size_t> dropped;
    for (size_t i = 0; i < body.size(); ++i) {
      const If* step = std::get_if<If>(&body[i].node);
      const Expr* reduction = step ? joinedUnderCondition(*step, partials) : nullptr;
      if (!reduction || isPowerOfTwo(reducedThreads(kernel, reduction))) continue;
      if (last.count(reduction)) dropped.erase(last[reduction]);
      dropped.insert(last[reduction] = i);
    }
    for (auto place = dropped.rbegin(); place != dropped.rend(); ++place) {
      body.erase(body.begin() + static_cast<std::ptrdiff_t>(*place));
      changed = true;
    }
  });
  return changed;
}

bool wrongCorrection(Kernel& kernel) {
  IntExprArena& ints = *kernel.ints;
  return editComputes(kernel, [&](Compute& compute) {
    const bool divides = compute.source && isWelford(compute.source->op()) && compute.op == OpKind::Div &&
                         compute.operands[0].kind == Operand::Kind::Access &&
                         compute.operands[1].kind == Operand::Kind::Int;
    const int64_t correction = divides ? compute.source->attributes().correction() : 0;
    if (correction == 0) return false;
    compute.operands[1].integer = ints.add(compute.operands[1].integer, ints.constant(correction));
    return true;
  });
}

bool mergeCountsWrong(Kernel& kernel) {
  const std::vector<bool> partials = partialsOfThreads(kernel);
  return replaceStatements(kernel, [&](const Statement& statement) -> std::optional<Body> {
    const JoinWelford* join = std::get_if<JoinWelford>(&statement.node);
    if (!join || !joinsThread(statement, partials)) return std::nullopt;
    Statement one = computeOf(OpKind::Set, DataType::Int64, join->count, {literalOperand(ScalarValue(int64_t{1}))},
                              join->sourceExpr);
    return Body{std::move(one), statement};
  });
}

// squares += d * d in the place of squares += d * (x - mean).
bool squareDistance(Kernel& kernel) {
  return editComputes(kernel, [](Compute& compute) {
    const bool product = compute.source && isWelford(compute.source->op()) && compute.op == OpKind::Mul;
    if (!product) return false;
    compute.operands[1] = compute.operands[0];
    return true;
  });
}

bool dropBarrier(Kernel& kernel) {
  const std::vector<bool> partials = partialsOfThreads(kernel);
  return replaceStatements(kernel, [&](const Statement& statement) -> std::optional<Body> {
    const Barrier* barrier = std::get_if<Barrier>(&statement.node);
    const bool scratch = barrier && barrier->buffer >= 0 && partials[static_cast<size_t>(barrier->buffer)];
    return scratch ? std::optional<Body>(Body{}) : std::nullopt;
  });
}

// a = a + scratch[t + 8]  ->  a = a + scratch[t + 9]; of the last element, the first.
bool joinPartialBeside(Kernel& kernel) {
  IntExprArena& ints = *kernel.ints;
  const std::vector<bool> partials = partialsOfThreads(kernel);
  bool changed = false;
  const auto moveOn = [&](Access& access) {
    if (!isShared(kernel, access)) return;
    const IntExpr size = kernel.buffers.at(static_cast<size_t>(access.buffer)).size;
    const IntExpr next = ints.mod(ints.add(access.index, ints.constant(1)), size);
    changed |= next != access.index;
    access.index = next;
  };
  forEachBody(kernel.body, [&](Body& body) {
    for (Statement& statement : body) {
      if (!joinsThread(statement, partials)) continue;
      if (JoinWelford* join = std::get_if<JoinWelford>(&statement.node)) {
        for (Access* part : {&join->otherMean, &join->otherSquares, &join->otherCount}) moveOn(*part);
      } else {
        moveOn(std::get<Compute>(statement.node).operands[1].access);
      }
    }
  });
  return changed;
}

// The first step of a butterfly gives each thread its own partial result once more.
bool shuffleFromItself(Kernel& kernel) {
  return replaceStatements(kernel, [](const Statement& statement) -> std::optional<Body> {
    const Shuffle* shuffle = std::get_if<Shuffle>(&statement.node);
    if (!shuffle || shuffle->from != Shuffle::From::Xor || shuffle->lanes != 1) return std::nullopt;
    return Body{{Move{shuffle->target, shuffle->source, 1}}};
  });
}

}  // namespace fuser::fuzz::faults
