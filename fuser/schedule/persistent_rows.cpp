#include "fuser/schedule/persistent_rows.h"
#include "fuser/schedule/product_plan.h"

#include <algorithm>
#include <optional>

namespace fuser {
namespace {

// Half of the registers are for what is on the way.
bool fits(const RowShape& shape, int64_t registers, const DeviceProperties& device) {
  return shape.row / shape.threads * registers <= device.registersPerThread / 2 &&
         shape.row * shape.rows * registers <= device.registersPerBlock / 2;
}

std::vector<const TensorView*> allKept(const PersistentPlan& plan) {
  std::vector<const TensorView*> kept = plan.keptInputs;
  kept.insert(kept.end(), plan.kept.begin(), plan.kept.end());
  return kept;
}

// The steps that let each pass compute again what it reads of what is not kept.
void computeAgain(const PersistentPlan& plan, Schedule& schedule) {
  const auto nameIn = [](const TensorView* tensor, int pass) { return concat(nameInKernel(tensor), ".again", pass); };
  for (const PersistentPlan::Recomputed& each : plan.recomputed) {
    const std::string reader = each.readerAgain ? nameIn(each.reader, each.pass) : nameInKernel(each.reader);
    schedule.push_back(on(TransformKind::Recompute, reader, nameIn(each.tensor, each.pass)));
    schedule.back().axis = static_cast<int64_t>(each.operand);
  }
}

// A reader of a tensor, by its name in the kernel.
std::string readerOf(const TensorView* tensor) {
  if (tensor->uses().empty()) return tensor->name();  // an output's own copy
  return nameInKernel(tensor->uses().front()->output());
}

}  // namespace

bool placeKept(const PersistentPlan& plan, RowShape& shape, const DeviceProperties& device) {
  constexpr int64_t kAlignment = 16;  // of a buffer, in bytes
  // As many are for what is on the way to the accumulators: with fewer, ptxas spilled in the kernel of a seed.
  int64_t registers = 2 * plan.accumulators, bytes = shape.threads * shape.rows * kScratchOfThread;
  shape.inShared.clear();
  if (registers > 0 && !fits(shape, registers, device)) return false;
  for (const TensorView* tensor : allKept(plan)) {
    const int64_t element = static_cast<int64_t>(dtypeSize(tensor->dtype())), own = (element + 3) / 4;
    if (fits(shape, registers + own, device)) {
      registers += own;
    } else if (plan.onlyInRegisters.count(tensor) != 0) {
      return false;
    } else {
      bytes += (shape.row * shape.rows * element + kAlignment - 1) / kAlignment * kAlignment;
      shape.inShared.push_back(tensor);
    }
  }
  return bytes <= device.optInShared;
}

RowSizes rowSizes(const Fusion& part, const TensorView* reference, SizeFacts* sizes) {
  const std::vector<bool> reduced = reducedPositions(reference);
  Fusion& fusion = const_cast<Fusion&>(part);  // only interns the products of the extents
  IntExpr rows = fusion.ints().constant(1);
  for (size_t i = 0; i < reduced.size(); ++i) {
    if (!reduced[i]) rows = fusion.ints().mul(rows, reference->domain().logical[i]->extent());
  }
  return {reducedCount(fusion, reference, reduced), rows, sizes};
}

std::string whyNotRows(const FusionView& whole, bool inner, const WhyNoRoom& whyNoRoom,
                       std::shared_ptr<const ReferenceMap>& kept) {
  if (!whole.sizes) return "nothing is known of the length of a row";
  PartLoops loops;
  std::variant<ReferenceMap, std::string> built = mapOfReductions(whole, loops);
  if (const std::string* reason = std::get_if<std::string>(&built)) return *reason;
  ReferenceMap& map = std::get<ReferenceMap>(built);
  const FusionView& view = loops.view;
  const TensorView* reference = map.reference();
  const std::vector<bool> reduced = reducedPositions(reference);
  std::string reason = whyShapesDiffer(view.exprs, map, reduced, true);
  if (reason.empty()) reason = whyOutputsUnwritten(view, map, reduced);
  if (reason.empty()) reason = whySeveralProducts(loops, map);
  if (!reason.empty()) return reason;
  if (fastestIsReduced(view.exprs, view.inputs, map, reduced) != inner)
    return inner ? "rows lie across memory" : "rows lie along memory";
  for (const Expr* expr : view.exprs) {
    if (isReduction(expr->op()) && !runsOverReduced(expr, map, reduced))
      return concat("%", expr->output()->name(), " reduces axes of one element");
  }
  const std::variant<PersistentPlan, std::string> planned = planPersistence(loops, map, reduced);
  if (const std::string* problem = std::get_if<std::string>(&planned)) return *problem;
  reason = whyNoRoom(std::get<PersistentPlan>(planned), rowSizes(*view.fusion, reference, view.sizes));
  if (!reason.empty()) return reason;
  kept = std::make_shared<ReferenceMap>(std::move(map));
  return "";
}

RowPart rowPart(const Fusion& part, const ReferenceMap* known,
                const std::function<const TensorView*(const PartLoops&)>& referenceOf) {
  RowPart rows{part, loopsOf(part), std::nullopt, known, {}};
  if (!known) {
    const std::vector<Expr*>& exprs = rows.loops.view.exprs;
    rows.built = std::get<ReferenceMap>(ReferenceMap::build(exprs, referenceOf(rows.loops)));
  }
  const ReferenceMap& map = known ? *known : *rows.built;
  rows.plan = std::get<PersistentPlan>(planPersistence(rows.loops, map, reducedPositions(map.reference())));
  return rows;
}

Schedule scheduleRows(const RowPart& rows, const RowShape& shape, const VectorPlan& vectors, ParallelType alongRow,
                      ParallelType besideRow) {
  const PersistentPlan& plan = rows.plan;
  const TensorView* reference = rows.map().reference();
  const std::vector<bool> reduced = reducedPositions(reference);
  Schedule schedule;
  for (const TensorView* input : plan.keptInputs) {
    if (std::find(vectors.inputs.begin(), vectors.inputs.end(), input->name()) != vectors.inputs.end()) continue;
    schedule.push_back(on(TransformKind::CacheAfter, input->name(), input->name() + ".cache"));
  }
  for (const std::string& input : vectors.inputs) {
    schedule.push_back(on(TransformKind::CacheAfter, input, input + ".cache"));
  }
  cacheOutputs(rows.part, schedule);
  computeAgain(plan, schedule);
  const std::string name = nameInKernel(reference);
  reorder(schedule, name, memoryOrder(reference));
  const int64_t reducedAxes = std::count(reduced.begin(), reduced.end(), true);
  const int64_t keptAxes = static_cast<int64_t>(reduced.size()) - reducedAxes;
  for (int64_t i = 1; i < keptAxes; ++i) schedule.push_back(merge(name, 0));
  const int64_t row = keptAxes > 0 ? 1 : 0;  // R's position
  for (int64_t i = 1; i < reducedAxes; ++i) schedule.push_back(merge(name, row));
  schedule.push_back(bound(name, row, shape.row));
  if (vectors.width > 1) schedule.push_back(split(name, row, vectors.width));
  schedule.push_back(split(name, row, shape.threads));
  schedule.push_back(parallelize(name, row, ParallelType::Unroll));
  schedule.push_back(parallelize(name, row + 1, alongRow));
  int64_t shared = 0;  // loops outside of R
  if (keptAxes > 0) {
    ++shared;
    if (shape.rows > 1) {
      schedule.push_back(split(name, 0, shape.rows));
      schedule.push_back(parallelize(name, 1, besideRow));
      ++shared;
    }
    if (shape.turns > 1) {
      schedule.push_back(split(name, 0, shape.turns));
      ++shared;
    }
    schedule.push_back(parallelize(name, 0, ParallelType::BIDx));
  }
  schedule.push_back(on(TransformKind::Propagate, name));
  schedule.push_back(on(TransformKind::ParallelizeAllLike, name));
  vectorize(schedule, vectors);
  const std::vector<const TensorView*>& inShared = shape.inShared;
  const auto keepInShared = [&](const TensorView* tensor, const std::string& kept) {
    if (std::find(inShared.begin(), inShared.end(), tensor) == inShared.end()) return;
    schedule.push_back(on(TransformKind::SetMemoryType, kept));
    schedule.back().memory = MemoryType::Shared;
  };
  for (const TensorView* input : plan.keptInputs) keepInShared(input, input->name() + ".cache");
  for (const TensorView* tensor : plan.kept) keepInShared(tensor, nameInKernel(tensor));
  schedule.push_back(on(TransformKind::InlineMost, ""));
  for (const TensorView* input : plan.keptInputs) {
    schedule.push_back(computeAt(input->name() + ".cache", readerOf(input), shared));
  }
  for (const TensorView* tensor : plan.kept) {
    schedule.push_back(computeAt(nameInKernel(tensor), readerOf(tensor), shared));
  }
  return schedule;
}

}  // namespace fuser
