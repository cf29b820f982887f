// Matmul: accepts reductions of one shape whose terms pair the elements of two sides, as products do: M are the
// kept axes that one side has alone, N those of the other, b those of both, K the reduced ones; each side has all of K.
// What makes the terms of inputs, and what reads the sums, is any op without loops of its own: scales, casts, a bias,
// activations, residuals. A block of T * T threads has a tile of tm * T rows and tn * T columns, of which a thread sums
// up every T-th element; k elements along K at a time lie in shared memory, while the next ones are on their way:
//   sum [b, M, N, K]  -> [b (BIDz), M/tm/T (BIDx), N/tn/T (BIDy), K/k, k (Unswitch), T (TIDy), T (TIDx), tm, tn]
//   %a.next, %a.tile  -> [b (BIDz), M/tm/T (BIDx), N/tn/T (BIDy), K/k, tm*T*k/T/T, T (TIDy), T (TIDx)], in the order of
//                        %a's memory
// Where both sides are of f16 or bf16 and the terms their products, in f32, w warps make the sums, by Mmas (kernel.h):
//   sum [b, M, N, K]  -> [b (BIDz), M/w/16 (BIDx), N/c/8 (BIDy), K/k, k/16, w (TIDz), 8 (TIDy), 4 (TIDx), c, 2, 2,
//                        16 (Mma)]
// N has the axis along which the sums lie in memory, so that neighbouring threads store neighbours. Where the tiles are
// few and K is long, p blocks share the turns of a tile (split-K): [K/k/p, p (BIDz), k], and the grid adds up their
// sums.
#include <algorithm>
#include <set>

#include "fuser/schedule/padded_rows.h"
#include "fuser/schedule/product_plan.h"
#include "fuser/schedule/reduction_facts.h"
#include "fuser/schedule/scheduler_list.h"

namespace fuser {
namespace {

using ParallelType::BIDx, ParallelType::BIDy, ParallelType::BIDz, ParallelType::TIDx, ParallelType::TIDy,
    ParallelType::TIDz, ParallelType::Serial, ParallelType::Unroll, ParallelType::Unswitch;

// Cheaper to see than the map is to build.
std::string whySeveralParts(const std::vector<Expr*>& exprs) {
  for (const Expr* expr : exprs) {
    if (!expr->isScalarExpr() && hasParts(expr->op()))
      return concat("%", expr->output()->name(), " has an accumulator of several parts");
  }
  return "";
}

// An output of the terms would be stored by each block that reads it.
std::string whyTermsAreRead(const FusionView& view, const ReferenceMap& map) {
  const std::vector<bool> reduced = reducedPositions(map.reference());
  for (const Val* output : view.outputs) {
    const Expr* maker = output->definition();
    if (!isReduction(maker->op()) && runsOverReduced(maker, map, reduced))
      return concat("%", output->name(), " is an output of the terms");
  }
  return "";
}

int64_t batchLoops(const ProductPlan& plan) { return plan.batch.empty() ? 0 : 1; }
int64_t blockLoops(const ProductPlan& plan) { return batchLoops(plan) + 2 + (plan.parts > 1 ? 1 : 0); }

// Loops of the sum, counted from the one over turns: those along either side and along K, slowest first.
struct SumLoops {
  std::vector<int64_t> rows, columns, terms;
};

SumLoops sumLoops(const ProductPlan& plan) {
  if (plan.byMma) return {{2, 6, 3}, {5, 4, 7}, {1, 8}};
  return {{4, 2}, {5, 3}, {1}};
}

// [b, M, N, K], each of one axis.
void orderSides(Schedule& schedule, const std::string& name, const ProductPlan& plan) {
  std::vector<int> order;
  for (const std::vector<int>* each : {&plan.batch, &plan.m, &plan.n, &plan.k})
    order.insert(order.end(), each->begin(), each->end());
  reorder(schedule, name, order);
  int64_t first = 0;
  for (const std::vector<int>* each : {&plan.batch, &plan.m, &plan.n, &plan.k}) {
    for (size_t i = 1; i < each->size(); ++i) schedule.push_back(merge(name, first));
    if (!each->empty()) ++first;
  }
}

// Splits one axis, from its end: [n] by {2, 3} -> [n/2/3, 3, 2].
void splitInto(Schedule& schedule, const std::string& name, int64_t axis, std::initializer_list<int64_t> factors) {
  for (int64_t factor : factors) schedule.push_back(split(name, axis, factor));
}

// Puts the axes behind the batch's in that order, and gives them types.
void arrange(Schedule& schedule, const std::string& name, const ProductPlan& plan, std::initializer_list<int> from,
             std::initializer_list<ParallelType> types) {
  const auto b = static_cast<int>(batchLoops(plan));
  std::vector<int> order(static_cast<size_t>(b), 0);
  for (int each : from) order.push_back(b + each);
  reorder(schedule, name, order);
  if (b > 0) schedule.push_back(parallelize(name, 0, BIDz));
  int64_t axis = b;
  for (ParallelType type : types) {
    if (type != Serial) schedule.push_back(parallelize(name, axis, type));
    ++axis;
  }
}

void tileSums(Schedule& schedule, const std::string& name, const ProductPlan& plan) {
  orderSides(schedule, name, plan);
  const int64_t b = batchLoops(plan);
  const bool inParts = plan.parts > 1;
  splitInto(schedule, name, b + 2, {plan.terms});
  splitInto(schedule, name, b + 1, {plan.threads, plan.columns});
  splitInto(schedule, name, b, {plan.threads, plan.rows});
  if (inParts) splitInto(schedule, name, b + 6, {plan.parts});
  // [b, M/tm/T, tm, T, N/tn/T, tn, T, K/k/p, p, k]; without parts there is no p
  if (inParts) {
    arrange(schedule, name, plan, {0, 3, 7, 6, 8, 2, 5, 1, 4},
            {BIDx, BIDy, BIDz, Serial, Unswitch, TIDy, TIDx, Unroll, Unroll});
  } else {
    arrange(schedule, name, plan, {0, 3, 6, 7, 2, 5, 1, 4}, {BIDx, BIDy, Serial, Unswitch, TIDy, TIDx, Unroll, Unroll});
  }
}

void tileMmas(Schedule& schedule, const std::string& name, const ProductPlan& plan) {
  orderSides(schedule, name, plan);
  const int64_t b = batchLoops(plan);
  const bool inParts = plan.parts > 1;
  splitInto(schedule, name, b + 2, {MmaShape::kTerms, plan.terms / MmaShape::kTerms});
  splitInto(schedule, name, b + 1, {2, MmaShape::kColumns / 2, plan.columns * plan.threads / MmaShape::kColumns});
  splitInto(schedule, name, b, {MmaShape::kRows / 2, 2, plan.rows * plan.threads / MmaShape::kRows});
  if (inParts) splitInto(schedule, name, b + 8, {plan.parts});
  // [b, M/w/16, w, 2, 8, N/c/8, c, 4, 2, K/k/p, p, k/16, 16]; without parts there is no p
  if (inParts) {
    arrange(schedule, name, plan, {0, 4, 9, 8, 10, 1, 3, 6, 5, 2, 7, 11},
            {BIDx, BIDy, BIDz, Serial, Unroll, TIDz, TIDy, TIDx, Unroll, Unroll, Unroll, ParallelType::Mma});
  } else {
    arrange(schedule, name, plan, {0, 4, 8, 9, 1, 3, 6, 5, 2, 7, 10},
            {BIDx, BIDy, Serial, Unroll, TIDz, TIDy, TIDx, Unroll, Unroll, Unroll, ParallelType::Mma});
  }
}

// From there, the loops of one side's tile, which all threads share: [b, M/tm/T, N/tn/T, K/k, tm*T*k/T/T, T, T], and
// the loops of the other side, which have no turns.
void tileSide(Schedule& schedule, const std::string& name, const SideTensor& side, const ProductPlan& plan) {
  const SumLoops loops = sumLoops(plan);
  const int64_t b = blockLoops(plan), first = b + 1;
  std::vector<int> order;
  for (int64_t i = 0; i < first; ++i) order.push_back(static_cast<int>(i));
  const auto append = [&](const std::vector<int64_t>& all) {
    for (int64_t loop : all) order.push_back(static_cast<int>(b + loop));
  };
  const std::vector<int64_t>& own = side.ofRows ? loops.rows : loops.columns;
  const std::vector<int64_t>& other = side.ofRows ? loops.columns : loops.rows;
  append(side.fastestIsTerms ? own : loops.terms);
  append(side.fastestIsTerms ? loops.terms : own);
  append(other);
  reorder(schedule, name, order);
  const auto count = static_cast<int64_t>(own.size() + loops.terms.size());
  for (size_t i = 0; i < other.size(); ++i)
    schedule.push_back(parallelize(name, first + count + static_cast<int64_t>(i), Serial));
  for (int64_t i = 1; i < count; ++i) schedule.push_back(merge(name, first));
  if (plan.byMma) {
    splitInto(schedule, name, first, {MmaShape::kColumns / 2, MmaShape::kRows / 2, plan.rows});
    schedule.push_back(parallelize(name, first + 1, TIDz));
  } else {
    splitInto(schedule, name, first, {plan.threads, plan.threads});
  }
  schedule.push_back(parallelize(name, first, Unroll));
  const int64_t y = first + (plan.byMma ? 2 : 1);
  schedule.push_back(parallelize(name, y, TIDy));
  schedule.push_back(parallelize(name, y + 1, TIDx));
}

// In registers, in front of the tile: of what the part computes, itself.
std::string copyOf(const TensorView* tensor, const char* ending, int copy) {
  return copy == 0 ? tensor->name() + ending : concat(tensor->name(), ending, copy);
}
std::string nextOf(const SideTensor& side) { return copyOf(side.tensor, side.isInput ? ".next" : "", side.copy); }
std::string tileOf(const SideTensor& side) { return copyOf(side.tensor, ".tile", side.copy); }
std::string heldOf(const SideTensor& side) { return copyOf(side.tensor, ".held", side.copy); }

// A copy of its own for each way in which an input is read: the first one is there.
void copyAgain(Schedule& schedule, const InputCopy& again) {
  for (const Expr* reader : again.readers) {
    for (size_t i = 0; i < reader->inputs().size(); ++i) {
      if (reader->input(i) != again.input) continue;
      Transform step = on(TransformKind::Recompute, reader->output()->name());
      step.axis = static_cast<int64_t>(i);
      step.other = copyOf(again.input, ".next", again.copy);
      schedule.push_back(std::move(step));
    }
  }
}

// What one side has for a term is computed once for each row or column of a thread, in front of their pairs.
void holdSides(Schedule& schedule, const std::vector<Expr*>& exprs, const ReferenceMap& map, const ProductPlan& plan) {
  const std::vector<bool> reduced = reducedPositions(map.reference());
  std::set<std::string> held;
  const auto hold = [&](const std::string& name, const TensorView* reader) {
    if (held.insert(name).second)
      schedule.push_back(computeAt(name, nameInKernel(reader), blockLoops(plan) + sumLoops(plan).rows.front()));
  };
  for (const Expr* reader : exprs) {
    const auto* result = reader->output()->as<TensorView>();
    if (!isReduction(reader->op()) && !isPaired(result, map, plan)) continue;
    for (const Val* operand : reader->inputs()) {
      if (operand->isScalar()) continue;
      const auto* tensor = operand->as<TensorView>();
      const auto input = std::find_if(plan.sides.begin(), plan.sides.end(),
                                      [&](const SideTensor& each) { return each.isReadBy(reader, tensor); });
      if (input != plan.sides.end()) {
        hold(heldOf(*input), result);
      } else if (map.contains(tensor) && !isPaired(tensor, map, plan) &&
                 runsOverReduced(tensor->definition(), map, reduced)) {
        hold(tensor->name(), result);
      }
    }
  }
}

// What both the terms and their sums need, and what has no terms itself, is computed in front of the loops over K: the
// sums come behind those, and threads' loops are inside of them.
void computeInFront(Schedule& schedule, const std::vector<Expr*>& exprs, const ReferenceMap& map,
                    const ProductPlan& plan) {
  const std::vector<bool> reduced = reducedPositions(map.reference());
  AfterReductions after;
  for (const Expr* expr : exprs) after.visit(expr);
  std::set<const Val*> terms;  // what reductions are made of; look-ups only
  for (auto expr = exprs.rbegin(); expr != exprs.rend(); ++expr) {
    if (isReduction((*expr)->op()) || terms.count((*expr)->output()) != 0)
      terms.insert((*expr)->inputs().begin(), (*expr)->inputs().end());
  }
  for (const Expr* expr : exprs) {
    const Val* result = expr->output();
    if (terms.count(result) == 0 || runsOverReduced(expr, map, reduced)) continue;
    const std::vector<Expr*> readers = readersIn(exprs, result);
    const auto behind = std::find_if(readers.begin(), readers.end(), [&](const Expr* reader) {
      return !isReduction(reader->op()) && after.contains(reader->output());
    });
    if (behind == readers.end()) continue;
    schedule.push_back(
        computeAt(result->name(), nameInKernel((*behind)->output()->as<TensorView>()), blockLoops(plan)));
  }
}

}  // namespace

std::string whyNotMatmul(const FusionView& whole, std::shared_ptr<const ReferenceMap>& kept) {
  if (std::string reason = whySeveralParts(whole.exprs); !reason.empty()) return reason;
  PartLoops loops;
  std::variant<ReferenceMap, std::string> built = mapOfOneShape(whole, loops);
  if (const std::string* reason = std::get_if<std::string>(&built)) return *reason;
  ReferenceMap& map = std::get<ReferenceMap>(built);
  if (std::string reason = whyTermsAreRead(loops.view, map); !reason.empty()) return reason;
  const std::variant<ProductPlan, std::string> plan = planProduct(loops, map, whole.sizes, whole.device);
  if (const std::string* why = std::get_if<std::string>(&plan)) return *why;
  if (!std::get<ProductPlan>(plan).isOne) return "its products share no tile";
  kept = std::make_shared<ReferenceMap>(std::move(map));
  return "";
}

Schedule scheduleMatmul(const Fusion& part, SizeFacts* sizes, const std::vector<InputLayout>&,
                        const ReferenceMap* known, const DeviceProperties& device) {
  const PartLoops loops = loopsOf(part);
  const std::vector<Expr*>& exprs = loops.view.exprs;
  std::optional<ReferenceMap> built;
  if (!known) known = &built.emplace(std::get<ReferenceMap>(ReferenceMap::build(exprs, firstReduction(exprs))));
  const ReferenceMap& map = *known;
  const ProductPlan plan = std::get<ProductPlan>(planProduct(loops, map, sizes, device));
  Schedule schedule;
  for (const SideTensor& each : plan.sides) {
    if (each.isInput && each.copy == 0)
      schedule.push_back(on(TransformKind::CacheAfter, each.tensor->name(), nextOf(each)));
  }
  for (const InputCopy& each : plan.copies) copyAgain(schedule, each);
  for (const SideTensor& each : plan.sides) {
    schedule.push_back(on(TransformKind::CacheAfter, nextOf(each), tileOf(each)));
    if (each.held && !plan.byMma) schedule.push_back(on(TransformKind::CacheAfter, tileOf(each), heldOf(each)));
  }
  cacheOutputs(part, schedule);
  const std::string name = nameInKernel(map.reference());
  plan.byMma ? tileMmas(schedule, name, plan) : tileSums(schedule, name, plan);
  const std::vector<bool> reduced = reducedPositions(map.reference());
  for (const SideTensor& each : plan.sides) {
    for (const TensorView* maker : each.makers) {
      if (!runsOverReduced(maker->definition(), map, reduced))
        schedule.push_back(on(TransformKind::FollowReduced, maker->name()));
    }
  }
  schedule.push_back(on(TransformKind::Propagate, name));
  schedule.push_back(on(TransformKind::ParallelizeAllLike, name));
  for (const SideTensor& each : plan.sides) {
    for (const TensorView* maker : each.makers) tileSide(schedule, maker->name(), each, plan);
    tileSide(schedule, nextOf(each), each, plan);
    tileSide(schedule, tileOf(each), each, plan);
    keepInShared(schedule, tileOf(each), paddingOf(each, plan));
  }
  schedule.push_back(on(TransformKind::InlineMost, ""));
  for (const SideTensor& each : plan.sides) {
    schedule.push_back(computeAt(nextOf(each), tileOf(each), blockLoops(plan) + 1));
    if (each.isInput) schedule.push_back(on(TransformKind::DoubleBuffer, nextOf(each)));
  }
  if (!plan.byMma) holdSides(schedule, exprs, map, plan);
  computeInFront(schedule, exprs, map, plan);
  return schedule;
}

}  // namespace fuser
