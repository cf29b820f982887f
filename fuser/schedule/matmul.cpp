// Matmul: accepts reductions of one shape whose terms pair the elements of two sides, as products do: M are the
// kept axes that one side has alone, N those of the other, b those of both, K the reduced ones; each side has all of K.
// What makes the terms of inputs, and what reads the sums, is any op without loops of its own: scales, casts, a bias,
// activations, residuals. A block of T * T threads has a tile of tm * T rows and tn * T columns, of which a thread sums
// up every T-th element; k elements along K at a time lie in shared memory, while the next ones are on their way:
//   sum [b, M, N, K]  -> [b (BIDz), M/tm/T (BIDx), N/tn/T (BIDy), K/k, k (Unswitch), T (TIDy), T (TIDx), tm, tn]
//   %a.next, %a.tile  -> [b (BIDz), M/tm/T (BIDx), N/tn/T (BIDy), K/k, tm*T*k/T/T, T (TIDy), T (TIDx)], in the order of
//                        %a's memory
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

// The loops of the sum behind those on blocks and the one over turns.
constexpr int64_t kTerm = 1, kRowThread = 2, kColumnThread = 3, kRow = 4, kColumn = 5;

int64_t batchLoops(const ProductPlan& plan) { return plan.batch.empty() ? 0 : 1; }
int64_t blockLoops(const ProductPlan& plan) { return batchLoops(plan) + 2 + (plan.parts > 1 ? 1 : 0); }

void tileSums(Schedule& schedule, const std::string& name, const ProductPlan& plan) {
  std::vector<int> order = plan.batch;
  for (const std::vector<int>* each : {&plan.m, &plan.n, &plan.k})
    order.insert(order.end(), each->begin(), each->end());
  reorder(schedule, name, order);
  int64_t b = 0;  // loops before M
  for (const std::vector<int>* each : {&plan.batch, &plan.m, &plan.n, &plan.k}) {
    for (size_t i = 1; i < each->size(); ++i) schedule.push_back(merge(name, b));
    if (!each->empty()) ++b;
  }
  b = batchLoops(plan);
  schedule.push_back(split(name, b + 2, plan.terms));
  const auto splitSide = [&](int64_t axis, int64_t sums) {
    schedule.push_back(split(name, axis, plan.threads));
    schedule.push_back(split(name, axis, sums));
  };
  splitSide(b + 1, plan.columns);
  splitSide(b, plan.rows);
  if (plan.parts > 1) schedule.push_back(split(name, b + 6, plan.parts));
  // [b, M/tm/T, tm, T, N/tn/T, tn, T, K/k/p, p, k]; without parts there is no p
  std::vector<int> loops(static_cast<size_t>(b), 0);
  const auto append = [&](std::initializer_list<int> from) {
    for (int each : from) loops.push_back(static_cast<int>(b) + each);
  };
  append({0, 3});
  if (plan.parts > 1) append({7});
  append({6, plan.parts > 1 ? 8 : 7, 2, 5, 1, 4});
  reorder(schedule, name, loops);
  const auto run = [&](int64_t axis, ParallelType type) { schedule.push_back(parallelize(name, axis, type)); };
  if (b > 0) run(0, ParallelType::BIDz);
  run(b, ParallelType::BIDx);
  run(b + 1, ParallelType::BIDy);
  if (plan.parts > 1) run(b + 2, ParallelType::BIDz);
  const int64_t first = blockLoops(plan);
  run(first + kTerm, ParallelType::Unswitch);
  run(first + kRowThread, ParallelType::TIDy);
  run(first + kColumnThread, ParallelType::TIDx);
  run(first + kRow, ParallelType::Unroll);
  run(first + kColumn, ParallelType::Unroll);
}

// From there, the loops of one side's tile, which all threads share: [b, M/tm/T, N/tn/T, K/k, tm*T*k/T/T, T, T], and
// the loops of the other side, which have no turns.
void tileSide(Schedule& schedule, const std::string& name, const SideTensor& side, const ProductPlan& plan) {
  const int64_t row = side.ofRows ? kRow : kColumn, thread = side.ofRows ? kRowThread : kColumnThread;
  const int64_t otherRow = side.ofRows ? kColumn : kRow, other = side.ofRows ? kColumnThread : kRowThread;
  const int64_t b = blockLoops(plan), first = b + kTerm;
  std::vector<int> order;
  for (int64_t i = 0; i < first; ++i) order.push_back(static_cast<int>(i));
  const auto append = [&](int64_t loop) { order.push_back(static_cast<int>(b + loop)); };
  if (!side.fastestIsTerms) append(kTerm);
  append(row);
  append(thread);
  if (side.fastestIsTerms) append(kTerm);
  append(otherRow);
  append(other);
  reorder(schedule, name, order);
  schedule.push_back(parallelize(name, -1, ParallelType::Serial));
  for (int i = 0; i < 2; ++i) schedule.push_back(merge(name, first));
  for (int i = 0; i < 2; ++i) schedule.push_back(split(name, first, plan.threads));
  schedule.push_back(parallelize(name, first, ParallelType::Unroll));
  schedule.push_back(parallelize(name, first + 1, ParallelType::TIDy));
  schedule.push_back(parallelize(name, first + 2, ParallelType::TIDx));
}

// In registers, in front of the tile: of what the part computes, itself.
std::string nextOf(const SideTensor& side) { return side.tensor->name() + (side.isInput ? ".next" : ""); }
std::string tileOf(const SideTensor& side) { return side.tensor->name() + ".tile"; }
std::string heldOf(const SideTensor& side) { return side.tensor->name() + ".held"; }

RowPadding paddingOfSide(const SideTensor& side, const ProductPlan& plan) {
  const int64_t length = (side.ofRows ? plan.rows : plan.columns) * plan.threads;
  const int64_t size = static_cast<int64_t>(dtypeSize(side.tensor->dtype()));
  return side.fastestIsTerms ? paddingOf(plan.terms, length, size) : paddingOf(length, plan.terms, size);
}

// What one side has for a term is computed once for each row or column of a thread, in front of their pairs.
void holdSides(Schedule& schedule, const std::vector<Expr*>& exprs, const ReferenceMap& map, const ProductPlan& plan) {
  const std::vector<bool> reduced = reducedPositions(map.reference());
  std::set<std::string> held;
  const auto hold = [&](const std::string& name, const TensorView* reader) {
    if (held.insert(name).second) schedule.push_back(computeAt(name, nameInKernel(reader), blockLoops(plan) + kRow));
  };
  for (const Expr* reader : exprs) {
    const auto* result = reader->output()->as<TensorView>();
    if (!isReduction(reader->op()) && !isPaired(result, map, plan)) continue;
    for (const Val* operand : reader->inputs()) {
      if (operand->isScalar()) continue;
      const auto* tensor = operand->as<TensorView>();
      const auto input = std::find_if(plan.sides.begin(), plan.sides.end(),
                                      [&](const SideTensor& each) { return each.tensor == tensor; });
      if (input != plan.sides.end()) {
        hold(heldOf(*input), result);
      } else if (map.contains(tensor) && !isPaired(tensor, map, plan) &&
                 runsOverReduced(tensor->definition(), map, reduced)) {
        hold(tensor->name(), result);
      }
    }
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
    if (each.isInput) schedule.push_back(on(TransformKind::CacheAfter, each.tensor->name(), nextOf(each)));
    schedule.push_back(on(TransformKind::CacheAfter, nextOf(each), tileOf(each)));
    if (each.held) schedule.push_back(on(TransformKind::CacheAfter, tileOf(each), heldOf(each)));
  }
  cacheOutputs(part, schedule);
  const std::string name = nameInKernel(map.reference());
  tileSums(schedule, name, plan);
  schedule.push_back(on(TransformKind::Propagate, name));
  schedule.push_back(on(TransformKind::ParallelizeAllLike, name));
  for (const SideTensor& each : plan.sides) {
    for (const TensorView* maker : each.makers) tileSide(schedule, maker->name(), each, plan);
    tileSide(schedule, nextOf(each), each, plan);
    tileSide(schedule, tileOf(each), each, plan);
    keepInShared(schedule, tileOf(each), paddingOfSide(each, plan));
  }
  schedule.push_back(on(TransformKind::InlineMost, ""));
  for (const SideTensor& each : plan.sides) {
    schedule.push_back(computeAt(nextOf(each), tileOf(each), blockLoops(plan) + kTerm));
    if (each.isInput) schedule.push_back(on(TransformKind::DoubleBuffer, nextOf(each)));
  }
  holdSides(schedule, exprs, map, plan);
  return schedule;
}

}  // namespace fuser
