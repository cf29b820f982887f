// Scan: accepts parts with scans along one axis, and what is computed element by element beside them. I is the other
// axes, merged into one; R is the scanned axis:
//   short lines, or many lines across memory: [I/128 (BIDx), 128 (TIDx), R]: a thread has whole lines
//   lines along memory:                       [I/4 (BIDx), 4 (TIDy), R/32 serial, 32 (TIDx)]: a warp for each line
//                                             [I (BIDx), R/256 serial, 256 (TIDx)]: a block for each long one
//   few very long lines along memory:         [I (BIDy), R/2048 (BIDx), 8 unrolled, 256 (TIDx)]: many blocks for each
//   few long lines across memory:             [I/32 (BIDx), 32 (TIDx), R/16 serial, 16 (TIDy)]
// Threads that share a line take a turn's places together, and keep what they have of the turns before
// (lower/build_scan.cpp). Blocks that share one wait for each other, and keep their results in registers meanwhile
// (lower/build_grid_scan.cpp): so many turns that all of them run at once.
#include <algorithm>

#include "fuser/analysis/scan_loops.h"
#include "fuser/schedule/pointwise_facts.h"
#include "fuser/schedule/reduction_facts.h"
#include "fuser/schedule/scheduler_list.h"

namespace fuser {
namespace {

// The threads of a block along the axis, and along the lines.
struct ScanShape {
  int64_t along = 1, lines = 1;
  bool inner = true;  // neighbouring threads are of one line
  int64_t turns = 0;  // of each of the blocks that share a line; 0: none share one
};

constexpr int64_t kScanThreads = 128;  // where a thread has whole lines, and where a warp has
constexpr int64_t kScanLanes = 32;
constexpr int64_t kWideScan = 256;
constexpr int64_t kShortLine = 8;                // of one thread, though its neighbours read apart from it
constexpr int64_t kLineOfWarp = 2 * kScanLanes;  // of few lines
constexpr int64_t kOneOfMany = 16 * kScanLanes;  // of many lines: beyond it, fewer turns are worth a block's barriers
constexpr int64_t kShortLineAcross = 128;        // of one thread, whose neighbours read beside it
constexpr int64_t kAlongAcross = 16;
constexpr int64_t kLineOfBlocks = 16 * kWideScan;
constexpr int64_t kBlocksOfLine = 4;        // at least, on as many multiprocessors
constexpr int64_t kFewestTurnsOfBlock = 4;  // each joins the totals of all blocks before it
constexpr int64_t kMostTurnsOfBlock = 16;   // each keeps a register
constexpr int64_t kThreadsThatFill = 64;    // of one line each, on each multiprocessor, have enough loads on their way

// Whether the tensor has elements of its own along this position.
bool isAlong(const TensorView* tensor, int position, const ReferenceMap& map) {
  const std::vector<IterDomain*>& axes = tensor->domain().logical;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (map.positions(tensor)[i] == position && !axes[i]->isBroadcast()) return true;
  }
  return false;
}

// The positions of the reference's axes, but this one.
std::vector<int> positionsBeside(int position, const ReferenceMap& map) {
  std::vector<int> positions;
  for (int i = 0; i < static_cast<int>(map.reference()->domain().logical.size()); ++i) {
    if (i != position) positions.push_back(i);
  }
  return positions;
}

// The threads of a block that has room for what they give each other.
int64_t mostSharing(const DeviceProperties& device) {
  return std::min(mostThreads(device), device.optInShared / kScratchOfThread);
}

// Whether all tensors of the part have the reference's sizes: what no value relates to it may have others, on one grid.
bool haveSizesOfReference(const PartLoops& loops, const ReferenceMap& map) {
  return std::all_of(loops.view.exprs.begin(), loops.view.exprs.end(), [&](const Expr* expr) {
    const auto* result = expr->output()->as<TensorView>();
    return !map.contains(result) || map.extentSet(result) == 0;
  });
}

// How many turns each of the blocks that share a line takes, so that all run at once; 0: they had better not.
int64_t turnsOfBlocks(const PartLoops& loops, const ReferenceMap& map, IntExpr places, IntExpr lines, SizeFacts* sizes,
                      const DeviceProperties& device) {
  if (!haveSizesOfReference(loops, map)) return 0;
  if (!sizes || sizes->atMost(places, kLineOfBlocks, SizeLimit::Block)) return 0;
  if (!sizes->atMost(lines, device.multiprocessors / kBlocksOfLine, SizeLimit::Grid)) return 0;
  IntExprArena& ints = const_cast<Fusion&>(*loops.view.fusion).ints();  // only interns the sizes
  const int64_t atOnce = blocksAtOnce(device, kWideScan, kWideScan * kScratchOfThread);
  if (kWideScan > mostSharing(device) || atOnce == 0 || mustKeepAcrossScans(loops.view.exprs)) return 0;
  // Lines lie along y; no more of them than blocks.
  if (atOnce > device.gridY && !sizes->atMost(lines, device.gridY, SizeLimit::Grid)) return 0;
  for (int64_t turns = kFewestTurnsOfBlock; turns <= kMostTurnsOfBlock; turns *= 2) {
    const IntExpr blocks = ints.mul(lines, ints.ceilDiv(places, ints.constant(turns * kWideScan)));
    if (sizes->atMost(blocks, atOnce, SizeLimit::Grid)) return turns;
  }
  return 0;
}

ScanShape chooseScanShape(const PartLoops& loops, const ReferenceMap& map, int position, SizeFacts* sizes,
                          const DeviceProperties& device) {
  ScanShape shape{1, std::min(kScanThreads, mostThreads(device)), false};
  if (position < 0) return shape;
  std::vector<bool> scanned(map.reference()->domain().logical.size(), false);
  scanned[static_cast<size_t>(position)] = true;
  const IntExpr places = extentAlong({position}, map), lines = extentAlong(positionsBeside(position, map), map);
  const auto arePlaces = [&](int64_t most) { return sizes && sizes->atMost(places, most, SizeLimit::Block); };
  const auto areLines = [&](int64_t most) { return sizes && sizes->atMost(lines, most, SizeLimit::Grid); };
  if (fastestIsReduced(loops.view.exprs, loops.view.inputs, map, scanned)) {
    if (arePlaces(kShortLine)) return shape;
    const ScanShape ofWarps{kScanLanes, shape.lines / kScanLanes, true};
    if (arePlaces(kLineOfWarp)) return ofWarps;
    const bool few = areLines(device.multiprocessors);
    if (!few && arePlaces(kOneOfMany)) return ofWarps;
    if (const int64_t turns = turnsOfBlocks(loops, map, places, lines, sizes, device))
      return {kWideScan, 1, true, turns};
    return {few && !arePlaces(kWideScan) ? mostThreads(device) : kWideScan, 1, true};
  }
  if (arePlaces(kShortLineAcross) || !areLines(kThreadsThatFill * device.multiprocessors)) return shape;
  return {kAlongAcross, kScanLanes, false};
}

// The shape, with fewer threads where a block has no room for so many.
ScanShape scanWithin(ScanShape shape, const DeviceProperties& device) {
  while (shape.along > 1 && shape.along * shape.lines > mostSharing(device)) {
    (shape.along > shape.lines ? shape.along : shape.lines) /= 2;
  }
  return shape;
}

}  // namespace

std::string whyNotScan(const FusionView& whole, std::shared_ptr<const ReferenceMap>& kept) {
  PartLoops loops;
  std::variant<ReferenceMap, std::string> built = mapOfElements(whole, loops);
  if (const std::string* reason = std::get_if<std::string>(&built)) return *reason;
  const ReferenceMap& map = std::get<ReferenceMap>(built);
  const int position = scannedPosition(loops.view.exprs, map);
  for (const Expr* expr : loops.view.exprs) {
    if (loops.trailing.contains(expr)) return concat("%", expr->output()->name(), " is reshaped behind a scan");
    if (expr->family() != Family::Scan) continue;
    const auto* result = expr->output()->as<TensorView>();
    const auto dim = static_cast<size_t>(expr->attributes().dim());
    if (!result->axes()[dim]->isBroadcast() && map.positions(result)[dim] != position)
      return concat("%", result->name(), " is a scan along another axis");
  }
  for (const Val* output : loops.view.outputs) {
    if (position >= 0 && output->isTensor() && !isAlong(output->as<TensorView>(), position, map))
      return concat("%", output->name(), " has one element for all places of a scan");
  }
  kept = std::make_shared<ReferenceMap>(std::move(std::get<ReferenceMap>(built)));
  return "";
}

Schedule scheduleScan(const Fusion& part, SizeFacts* sizes, const std::vector<InputLayout>&, const ReferenceMap* known,
                      const DeviceProperties& device) {
  std::optional<ReferenceMap> built;
  const ReferenceMap& map = knownMap(part, known, built);
  const TensorView* reference = map.reference();
  const std::string& name = reference->name();
  const PartLoops loops = loopsOf(part);
  const int position = scannedPosition(loops.view.exprs, map);
  const ScanShape shape = scanWithin(chooseScanShape(loops, map, position, sizes, device), device);
  Schedule schedule;
  cacheOutputs(part, schedule);
  std::vector<int> order = memoryOrder(reference);
  const auto scanned = std::stable_partition(order.begin(), order.end(), [&](int axis) {
    return position < 0 || map.positions(reference)[static_cast<size_t>(axis)] != position;
  });
  const auto others = static_cast<size_t>(scanned - order.begin());
  reorder(schedule, name, order);
  for (size_t i = 1; i < others; ++i) schedule.push_back(merge(name, 0));
  if (shape.turns > 0) {
    schedule.push_back(split(name, -1, shape.turns * shape.along));
    schedule.push_back(parallelize(name, -2, ParallelType::BIDx));
  }
  if (shape.along > 1) {
    schedule.push_back(split(name, -1, shape.along));
    if (shape.turns > 0) schedule.push_back(parallelize(name, -2, ParallelType::Unroll));
    schedule.push_back(parallelize(name, -1, shape.inner ? ParallelType::TIDx : ParallelType::TIDy));
  }
  if (others > 0) {
    if (shape.lines > 1) {
      schedule.push_back(split(name, 0, shape.lines));
      schedule.push_back(parallelize(name, 1, shape.inner ? ParallelType::TIDy : ParallelType::TIDx));
    }
    schedule.push_back(parallelize(name, 0, shape.turns > 0 ? ParallelType::BIDy : ParallelType::BIDx));
  }
  schedule.push_back(on(TransformKind::Propagate, name));
  schedule.push_back(on(TransformKind::ParallelizeAllLike, name));
  schedule.push_back(on(TransformKind::InlineMost, ""));
  return schedule;
}

}  // namespace fuser
