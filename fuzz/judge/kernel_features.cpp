// One walk over a kernel's statements, and a look at its buffers and its launch.

#include "fuzz/judge/kernel_features.h"

#include <algorithm>
#include <utility>

#include "fuser/analysis/inline_reads.h"
#include "fuser/analysis/scan_loops.h"
#include "fuser/ir/fusion.h"
#include "fuser/kernel/kernel.h"
#include "fuser/kernel/shared_layout.h"
#include "fuser/ops/op_table.h"
#include "fuser/runtime/fusion_executor_cache.h"
#include "fuzz/faults/rows_in_block.h"

namespace fuser::fuzz {
namespace {

constexpr int64_t kWidths[] = {2, 4, 8, 16};

std::string vectorsOf(int64_t width) { return concat("vectors of ", width); }

bool isOverBlocks(const TensorView* tensor) {
  const std::vector<IterDomain*>& loops = tensor->domain().loop;
  return std::any_of(loops.begin(), loops.end(),
                     [](const IterDomain* loop) { return loop->isReduction() && isBlockDim(loop->parallelType()); });
}

// Of a reduction in a block of this shape.
void addFeaturesOf(const TensorView* reduction, const std::array<int64_t, 3>& block, std::set<std::string>& found) {
  const bool isOfVariance = isWelford(reduction->definition()->op());
  if (isOverBlocks(reduction)) {
    found.insert("grid reduction");
    if (isOfVariance) found.insert("Welford of blocks");
  }
  const std::array<bool, 3> reduced = reducedThreads(reduction);
  bool isOfThreads = false, hasOthers = false;
  for (size_t dim = 0; dim < 3; ++dim) (reduced[dim] ? isOfThreads : hasOthers) |= block[dim] > 1;
  if (!isOfThreads) return;
  found.insert("block reduction");
  if (isOfVariance) found.insert("Welford of threads");
  if (hasOthers) found.insert("rows beside rows");
}

// Whether the statement is an `if` on the place of the block alone, with a loop inside.
bool isLoopOfSomeBlocks(const Kernel& kernel, const Statement& statement) {
  const If* guarded = std::get_if<If>(&statement.node);
  if (!guarded) return false;
  bool isOfBlock = false, isOfOthers = false;
  forEachSymbol(guarded->condition, [&](IntExpr symbol) {
    const auto& blocks = kernel.blockIdx;
    const bool isBlock = std::find(blocks.begin(), blocks.end(), symbol) != blocks.end();
    isOfBlock |= isBlock;
    isOfOthers |= !isBlock && kernel.ints->symbolOf(symbol).extent;
  });
  bool hasLoop = false;
  forEachStatement(guarded->body, [&](const Statement& inner) { hasLoop |= std::holds_alternative<For>(inner.node); });
  return isOfBlock && !isOfOthers && hasLoop;
}

}  // namespace

const std::vector<std::string>& allKernelFeatures() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = {"another device",
                                    "atomic adds",
                                    "block barrier",
                                    "block reduction",
                                    "checked index",
                                    "cooperative launch",
                                    "double buffer",
                                    "circular buffer",
                                    "loaded index",
                                    "loop of some blocks",
                                    "grid barrier",
                                    "grid for several sizes",
                                    "grid reduction",
                                    "inline read",
                                    "mma",
                                    "narrow indices",
                                    "random schedule",
                                    "recomputed",
                                    "row in registers",
                                    "row in shared memory",
                                    "rows beside rows",
                                    "scan of blocks",
                                    "scan of threads",
                                    "several extents",
                                    "shared memory",
                                    "skewed rows",
                                    "thread partials",
                                    "trailing reshape",
                                    "unrolled loop",
                                    "unswitched loop",
                                    "Welford of blocks",
                                    "Welford of threads",
                                    "wide indices",
                                    "workspace"};
    for (int64_t width : kWidths) all.push_back(vectorsOf(width));
    std::sort(all.begin(), all.end());
    return all;
  }();
  return names;
}

std::set<std::string> featuresOf(const Kernel& kernel) {
  std::set<std::string> found;
  forEachStatement(kernel.body, [&](const Statement& statement) {
    if (const Barrier* barrier = std::get_if<Barrier>(&statement.node))
      found.insert(barrier->ofGrid() ? "grid barrier" : "block barrier");
    const For* loop = std::get_if<For>(&statement.node);
    if (loop && loop->unroll) found.insert("unrolled loop");
    if (std::holds_alternative<LoadIndex>(statement.node)) found.insert("loaded index");
    if (std::holds_alternative<Mma>(statement.node)) found.insert("mma");
    if (std::holds_alternative<AtomicAdd>(statement.node)) found.insert("atomic adds");
    const Move* move = std::get_if<Move>(&statement.node);
    if (move && move->width > 1) found.insert(vectorsOf(move->width));
  });
  for (const Buffer& buffer : kernel.buffers) {
    if (buffer.memory == MemoryType::Shared) found.insert("shared memory");
  }
  for (const Workspace& workspace : kernel.workspaces) {
    if (workspace.kind == Workspace::Kind::Scratch) found.insert("workspace");
    if (workspace.kind == Workspace::Kind::ErrorWord) found.insert("checked index");
  }
  const KeptRows kept(kernel);
  if (kept.in(MemoryType::Local)) found.insert("row in registers");
  if (kept.in(MemoryType::Shared)) found.insert("row in shared memory");
  if (std::any_of(kernel.gridDim.begin(), kernel.gridDim.end(), isForSeveralSizes)) {
    found.insert("grid for several sizes");
    const bool isSkipped = std::any_of(kernel.body.begin(), kernel.body.end(), [&](const Statement& statement) {
      return isLoopOfSomeBlocks(kernel, statement);
    });
    if (isSkipped) found.insert("loop of some blocks");
  }
  if (hasGridBarrier(kernel)) found.insert("cooperative launch");
  if (!(kernel.device == defaultDevice())) found.insert("another device");
  found.insert(kernel.narrowIndices ? "narrow indices" : "wide indices");
  return found;
}

std::set<std::string> featuresOf(const Schedule& schedule, const Fusion& scheduledPart,
                                 const std::array<int64_t, 3>& block) {
  std::set<std::string> found;
  for (const Transform& step : schedule) {
    if (step.kind == TransformKind::RFactor) found.insert("thread partials");
    if (step.kind == TransformKind::DoubleBuffer) found.insert("double buffer");
    if (step.kind == TransformKind::CircularBuffer) found.insert("circular buffer");
    if (step.kind == TransformKind::Recompute) found.insert("recomputed");
    if (step.kind == TransformKind::Pad || step.kind == TransformKind::Swizzle) found.insert("skewed rows");
    if (step.type == ParallelType::Unswitch) found.insert("unswitched loop");
  }
  if (!InlineReads(scheduledPart).readInline().empty()) found.insert("inline read");
  for (const Val* val : scheduledPart.usedVals()) {
    const bool isReduced = val->isTensor() && val->definition() && isReduction(val->definition()->op());
    if (isReduced) addFeaturesOf(val->as<TensorView>(), block, found);
    if (val->isTensor() && val->definition() && val->definition()->family() == Family::Scan) {
      const std::optional<ScanLoops> loops = findScanLoops(val->definition());
      if (loops && loops->threads) found.insert("scan of threads");
      if (loops && loops->blocks) found.insert("scan of blocks");
    }
    if (val->isTensor() && val->as<TensorView>()->domain().trails) found.insert("trailing reshape");
    if (val->isTensor() && val->as<TensorView>()->domain().extentSet > 0) found.insert("several extents");
  }
  return found;
}

void KernelFeatures::beforeSegmentCache(const Fusion&, CacheSettings& inner) {
  inner_.push_back(std::make_unique<KernelFeatures>(counts_));
  inner.context.observers.push_back(inner_.back().get());
}

void KernelFeatures::afterSchedule(int segment, Fusion& part, Schedule& schedule) {
  const std::vector<Expr*> exprs = part.exprs();
  exprs_ = std::count_if(exprs.begin(), exprs.end(), [](const Expr* expr) { return !expr->isScalarExpr(); });
  schedule_ = schedule;
  found_.clear();
  const bool isGiven = case_ && (case_->schedule || case_->segmentSchedules.count(segment) != 0);
  if (isGiven) found_.insert("random schedule");
}

void KernelFeatures::afterApplySchedule(int, Fusion& part) { part_ = &part; }

void KernelFeatures::afterLower(int, Kernel& kernel) {
  found_.merge(featuresOf(kernel));
  found_.merge(featuresOf(schedule_, *part_, kernel.blockDim));
  for (const std::string& feature : found_) ++counts_[feature][exprs_];
}

}  // namespace fuser::fuzz
