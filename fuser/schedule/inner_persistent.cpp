// InnerPersistent: accepts several reductions over the same axes, the fastest in memory, and what reads them along
// these axes, as one kernel (softmax, layer norm). The reference is the first reduction; I is its kept axes, R its
// reduced ones, each merged into one. R has at most `row` elements, a power of two:
//   [I] -> [I/rows (BIDx), rows (TIDy)]    [R] -> [row] -> [row/t unrolled, t (TIDx)], or with vectors of v elements
//   [row/v/t unrolled, t (TIDx), v]
// A block reads its rows once. What several passes over a row need stays on chip (persistent_plan.h): in registers as
// far as they go, then in shared memory, so that the longest row depends on the device. Inputs are kept in place of
// what is computed from them where they take fewer bytes.
#include <algorithm>
#include <bit>
#include <optional>

#include "fuser/schedule/persistent_plan.h"
#include "fuser/schedule/scheduler_list.h"
#include "fuser/schedule/vector_plan.h"

namespace fuser {
namespace {

constexpr int64_t kShortestRow = 32, kLongestRow = int64_t{1} << 16;
constexpr int64_t kFewThreads = 32, kUsualThreads = 256;
constexpr int64_t kElementsAThread = 4;  // while that makes no more than kUsualThreads
constexpr int64_t kThreadsABlock = 128;  // at least, where several rows fit

// How the threads of a block share rows of at most `row` elements, and what they keep of them where.
struct RowShape {
  int64_t row = kShortestRow;
  int64_t threads = kFewThreads;  // along the row
  int64_t rows = 1;               // of a block
  std::vector<const TensorView*> inShared;  // the others are in registers
};

int64_t mostThreads(const DeviceProperties& device) {
  return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(device.threadsPerBlock)));
}

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

// Places what is kept: in registers as far as they go, the rest in shared memory, beside the scratch memory of
// reductions. False if that is too small.
bool place(const PersistentPlan& plan, RowShape& shape, const DeviceProperties& device) {
  constexpr int64_t kScratch = 24, kAlignment = 16;  // bytes: of a thread, for Welford's parts; of a buffer
  int64_t registers = 0, bytes = shape.threads * shape.rows * kScratch;
  shape.inShared.clear();
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
  return shape.inShared.empty() || bytes <= device.optInShared;
}

// The longest row of which a block has room for what is kept; 0: none.
int64_t longestRow(const PersistentPlan& plan, const DeviceProperties& device) {
  int64_t longest = 0;
  for (int64_t row = kShortestRow; row <= kLongestRow; row *= 2) {
    RowShape shape{row, std::min(row, mostThreads(device)), 1, {}};
    if (!place(plan, shape, device)) break;
    longest = row;
  }
  return longest;
}

// Threads are as few as keep everything in registers, or all.
RowShape shapeFor(const Fusion& part, IntExpr count, const PersistentPlan& plan, SizeFacts* sizes,
                  const DeviceProperties& device) {
  RowShape shape;
  while (!sizes->atMost(count, shape.row)) shape.row *= 2;
  // The indices of elements that move take registers, too.
  const bool moves = std::any_of(part.exprs().begin(), part.exprs().end(), [](const Expr* expr) {
    return familyInfo(expr->family()).elements == Elements::Move;
  });
  const int64_t usual = std::min(moves ? 2 * kUsualThreads : kUsualThreads, mostThreads(device));
  shape.threads = std::clamp(shape.row / kElementsAThread, std::min(kFewThreads, usual), usual);
  const int64_t most = std::min(shape.row, mostThreads(device));
  while (shape.threads < most && !(place(plan, shape, device) && shape.inShared.empty())) shape.threads *= 2;
  FUSER_CHECK(place(plan, shape, device), "a block has no room for a row that was accepted");
  // No more rows than leave that as it is.
  const size_t inShared = shape.inShared.size();
  shape.rows = std::max<int64_t>(1, std::min(kThreadsABlock, mostThreads(device)) / shape.threads);
  while (shape.rows > 1 && !(place(plan, shape, device) && shape.inShared.size() == inShared)) shape.rows /= 2;
  place(plan, shape, device);
  return shape;
}

// The name by which readers in a kernel know a result: an output is a copy of a local tensor.
std::string nameInKernel(const TensorView* tensor) {
  return tensor->isFusionOutput() ? localName(tensor) : tensor->name();
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
  return nameInKernel(tensor->uses().front()->output()->as<TensorView>());
}

// Whether each input that is loaded by vectors is kept, or read once: a copy that readers in several passes share would
// be needed inside the loops of all of them.
bool oneCopyServes(const Fusion& part, const PersistentPlan& plan, const VectorPlan& vectors) {
  return std::all_of(part.inputs().begin(), part.inputs().end(), [&](const Val* input) {
    const auto is = [&](const std::string& name) { return name == input->name(); };
    if (std::none_of(vectors.inputs.begin(), vectors.inputs.end(), is)) return true;
    return input->uses().size() == 1 ||
           std::find(plan.keptInputs.begin(), plan.keptInputs.end(), input) != plan.keptInputs.end();
  });
}

}  // namespace

std::string whyNotInnerPersistent(const FusionView& whole, std::shared_ptr<const ReferenceMap>& kept) {
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
  if (!reason.empty()) return reason;
  if (!fastestIsReduced(view.exprs, view.inputs, map, reduced)) return "rows lie across memory";
  for (const Expr* expr : view.exprs) {
    if (isReduction(expr->op()) && !runsOverReduced(expr, map, reduced))
      return concat("%", expr->output()->name(), " reduces axes of one element");
  }
  const std::variant<PersistentPlan, std::string> planned = planPersistence(loops, map, reduced);
  if (const std::string* problem = std::get_if<std::string>(&planned)) return *problem;
  const int64_t longest = longestRow(std::get<PersistentPlan>(planned), view.device);
  // Only interns the product of the extents.
  const IntExpr count = reducedCount(const_cast<Fusion&>(*view.fusion), reference, reduced);
  if (!view.sizes->atMost(count, longest))
    return concat("a row has more than ", longest, " elements, which is what a block keeps of it");
  kept = std::make_shared<ReferenceMap>(std::move(map));
  return "";
}

Schedule scheduleInnerPersistent(const Fusion& part, SizeFacts* sizes, const std::vector<InputLayout>& layouts,
                                 const ReferenceMap* known, const DeviceProperties& device) {
  const PartLoops loops = loopsOf(part);
  std::optional<ReferenceMap> built;
  if (!known) {
    const std::vector<Expr*>& exprs = loops.view.exprs;
    known = &built.emplace(std::get<ReferenceMap>(ReferenceMap::build(exprs, firstReduction(exprs))));
  }
  const TensorView* reference = known->reference();
  const std::vector<bool> reduced = reducedPositions(reference);
  const auto plan = std::get<PersistentPlan>(planPersistence(loops, *known, reduced));
  const IntExpr count = reducedCount(const_cast<Fusion&>(part), reference, reduced);
  const RowShape shape = shapeFor(part, count, plan, sizes, device);
  // Vectors are between global memory and registers.
  VectorPlan vectors;
  if (shape.inShared.empty()) {
    vectors = planVectors(part, *known, fastestReduced(reference), sizes, layouts, shape.row / shape.threads, true);
    if (!oneCopyServes(part, plan, vectors)) vectors = {};
  }
  Schedule schedule;
  for (const TensorView* input : plan.keptInputs) {
    if (std::find(vectors.inputs.begin(), vectors.inputs.end(), input->name()) != vectors.inputs.end()) continue;
    schedule.push_back(on(TransformKind::CacheAfter, input->name(), input->name() + ".cache"));
  }
  for (const std::string& input : vectors.inputs) {
    schedule.push_back(on(TransformKind::CacheAfter, input, input + ".cache"));
  }
  cacheOutputs(part, schedule);
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
  schedule.push_back(parallelize(name, row + 1, ParallelType::TIDx));
  int64_t shared = 0;  // loops outside of R
  if (keptAxes > 0) {
    ++shared;
    if (shape.rows > 1) {
      schedule.push_back(split(name, 0, shape.rows));
      schedule.push_back(parallelize(name, 1, ParallelType::TIDy));
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
