// Reduction: accepts reductions of one shape with their pointwise producers and consumers, as one kernel. The reference
// is the first reduction; I is its kept axes, R its reduced axes, each merged into one:
//   few elements to reduce:   [I] -> [I/128 (BIDx), 128 (TIDx)], R serial in each thread
//   fastest axis reduced:     [I/rows (BIDx), rows (TIDy)], [R/t serial, t (TIDx)]: t threads a row, several rows a
//                             block
//   fastest axis kept:        [I/32 (BIDx), 32 (TIDx)], [R/16 serial, 16 (TIDy)]
//   everything reduced:       [R/512 serial, 512 (TIDx)]
//   with vectors of v elements: R is [R/v/t serial, t (TIDx), v (rFactor)] where the fastest axis is reduced
//   few results of many terms: R on several blocks, too: [I/rows (BIDy), …], [R/t/b serial, b (BIDx), t (TIDx)]
// Each thread accumulates its serial part, then the block combines the threads' parts, then the grid the blocks'.
#include <algorithm>

#include "fuser/schedule/product_plan.h"
#include "fuser/schedule/reduction_facts.h"
#include "fuser/schedule/scheduler_list.h"
#include "fuser/schedule/vector_plan.h"

namespace fuser {
namespace {

// The shape of a block. serial: one thread per result.
struct BlockShape {
  bool serial = false;
  bool inner = true;
  int64_t reducing = 512;  // threads along R
  int64_t keeping = 1;     // threads along I
  int64_t widest = 1;      // elements of a vector along R, at most
  int64_t blocks = 1;      // blocks along R
};

constexpr int64_t kTermsOfThread = 32;  // before another block is worth a barrier of the grid
constexpr int64_t kWideBlock = 256;     // threads along R
constexpr int64_t kMostBlocks = 64;     // along R: each block reads the partial results of all

// With at most so many threads as the device's blocks have, and room for: fewer along the longer side.
BlockShape within(BlockShape shape, const DeviceProperties& device) {
  const int64_t threads = std::min(device.threadsPerBlock, device.optInShared / kScratchOfThread);
  while (shape.reducing * shape.keeping > threads) {
    (shape.reducing > shape.keeping ? shape.reducing : shape.keeping) /= 2;
  }
  return shape;
}

// The number of blocks along R: a power of two, so that classes of sizes are few. 1 if the blocks along I are many, or
// if their number is not known.
int64_t chooseBlocks(const Fusion& part, const BlockShape& shape, const ReferenceMap& map,
                     const std::vector<bool>& reduced, SizeFacts* sizes, const DeviceProperties& device) {
  if (!sizes || shape.serial) return 1;
  const int64_t threads = shape.reducing * shape.keeping;
  const int64_t most = blocksAtOnce(device, threads, threads * kScratchOfThread);
  const IntExpr terms = reducedCount(const_cast<Fusion&>(part), map.reference(), reduced);
  const auto tooFew = [&](int64_t blocks) {
    return !sizes->atMost(terms, kTermsOfThread * shape.reducing * blocks, SizeLimit::Grid);
  };
  if (most < 2 || !tooFew(1)) return 1;
  IntExprArena& ints = const_cast<Fusion&>(part).ints();
  IntExpr results = ints.constant(1);
  const std::vector<IterDomain*>& axes = map.reference()->domain().logical;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (!reduced[i]) results = ints.mul(results, axes[i]->extent());
  }
  int64_t keeping = 1;  // blocks along I, at most, which lie along y
  while (keeping * 2 <= most && !sizes->atMost(results, keeping * shape.keeping, SizeLimit::Grid)) keeping *= 2;
  if (keeping * 2 > most || keeping > device.gridY) return 1;
  int64_t blocks = 1;
  while (blocks * 2 * keeping <= most && blocks < kMostBlocks && tooFew(blocks)) blocks *= 2;
  return blocks;
}

BlockShape chooseShape(const Fusion& part, const PartLoops& loops, const ReferenceMap& map,
                       const std::vector<bool>& reduced, SizeFacts* sizes) {
  const IntExpr count = reducedCount(const_cast<Fusion&>(part), map.reference(), reduced);
  const bool keeps = std::find(reduced.begin(), reduced.end(), false) != reduced.end();
  const auto atMost = [&](int64_t bound) { return sizes && sizes->atMost(count, bound, SizeLimit::Block); };
  if (!keeps) {
    for (int64_t threads : {32, 128}) {
      if (atMost(threads)) return {false, true, threads, 1};
    }
    return {false, true, 512, 1, kWidestVector};
  }
  if (!fastestIsReduced(loops.view.exprs, loops.view.inputs, map, reduced)) {
    return atMost(32) ? BlockShape{true, false, 1, 128} : BlockShape{false, false, 16, 32};
  }
  if (atMost(8)) return {true, true, 1, 128};
  if (atMost(64)) return {false, true, 16, 8, 4};
  if (atMost(512)) return {false, true, 32, 4, kWidestVector};
  return {false, true, 256, 1, kWidestVector};
}

// Each element of a vector goes to an accumulator of its own, so that additions do not wait for each other. A variance
// has three numbers for each, and long updates already.
void keepPartialResults(const Fusion& part, Schedule& schedule) {
  for (const Expr* expr : part.exprs()) {
    if (!isReduction(expr->op()) || hasParts(expr->op())) continue;
    const std::string name = nameInKernel(expr->output());
    schedule.push_back(on(TransformKind::RFactor, name, name + ".parts"));
    schedule.back().axes = {-1};
  }
}

}  // namespace

std::string whyNotReduction(const FusionView& whole, std::shared_ptr<const ReferenceMap>& kept) {
  PartLoops loops;
  std::variant<ReferenceMap, std::string> built = mapOfOneShape(whole, loops);
  if (const std::string* reason = std::get_if<std::string>(&built)) return *reason;
  ReferenceMap& map = std::get<ReferenceMap>(built);
  const std::string reason = whySeveralProducts(loops, map);
  if (reason.empty()) kept = std::make_shared<ReferenceMap>(std::move(map));
  return reason;
}

Schedule scheduleReduction(const Fusion& part, SizeFacts* sizes, const std::vector<InputLayout>& layouts,
                           const ReferenceMap* known, const DeviceProperties& device) {
  const PartLoops loops = loopsOf(part);
  std::optional<ReferenceMap> built;
  if (!known) {
    const std::vector<Expr*>& exprs = loops.view.exprs;
    known = &built.emplace(std::get<ReferenceMap>(ReferenceMap::build(exprs, firstReduction(exprs))));
  }
  const ReferenceMap& map = *known;
  const TensorView* reference = map.reference();
  const std::vector<bool> reduced = reducedPositions(reference);
  BlockShape shape = within(chooseShape(part, loops, map, reduced, sizes), device);
  shape.blocks = chooseBlocks(part, shape, map, reduced, sizes, device);
  VectorPlan vectors;
  if (shape.widest > 1) {
    vectors = planVectors(part, map, fastestReduced(reference), sizes, layouts, shape.widest, false);
  }
  Schedule schedule;
  for (const std::string& input : vectors.inputs) {
    schedule.push_back(on(TransformKind::CacheAfter, input, input + ".cache"));
  }
  cacheOutputs(part, schedule);
  // A reduction that is an output becomes a copy of a local reduction, which is the reference from then on.
  const std::string name = nameInKernel(reference);
  const std::vector<int> order = memoryOrder(reference);
  reorder(schedule, name, order);
  const int64_t reducedCount = std::count(reduced.begin(), reduced.end(), true);
  const int64_t keptCount = static_cast<int64_t>(reduced.size()) - reducedCount;
  for (int64_t i = 1; i < keptCount; ++i) schedule.push_back(merge(name, 0));
  const int64_t first = keptCount > 0 ? 1 : 0;  // R's position
  for (int64_t i = 1; i < reducedCount; ++i) schedule.push_back(merge(name, first));
  const ParallelType reducing = shape.inner ? ParallelType::TIDx : ParallelType::TIDy;
  const ParallelType keeping = shape.inner && !shape.serial ? ParallelType::TIDy : ParallelType::TIDx;
  if (reducedCount > 0 && !shape.serial) {
    if (vectors.width > 1) schedule.push_back(split(name, first, vectors.width));
    schedule.push_back(split(name, first, shape.reducing));
    schedule.push_back(parallelize(name, first + 1, reducing));
    if (shape.blocks > 1) {
      schedule.push_back(split(name, first, shape.blocks));
      schedule.push_back(parallelize(name, first + 1, ParallelType::BIDx));
    }
  }
  if (keptCount > 0) {
    if (shape.keeping > 1) {
      schedule.push_back(split(name, 0, shape.keeping));
      schedule.push_back(parallelize(name, 1, keeping));
    }
    schedule.push_back(parallelize(name, 0, shape.blocks > 1 ? ParallelType::BIDy : ParallelType::BIDx));
  }
  schedule.push_back(on(TransformKind::Propagate, name));
  schedule.push_back(on(TransformKind::ParallelizeAllLike, name));
  vectorize(schedule, vectors);
  if (vectors.width > 1) keepPartialResults(part, schedule);
  schedule.push_back(on(TransformKind::InlineMost, ""));
  // Few warps share a multiprocessor where a block has many: while they add, the next vectors are on their way.
  if (shape.inner && shape.reducing >= kWideBlock) {
    for (const std::string& input : vectors.inputs)
      schedule.push_back(on(TransformKind::DoubleBuffer, input + ".cache"));
  }
  return schedule;
}

}  // namespace fuser
