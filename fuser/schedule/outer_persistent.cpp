// OuterPersistent: accepts several reductions over the same axes, not the fastest in memory, and what reads them along
// these axes, as one kernel (statistics of channels, columns that are quantised): rows that are kept
// (persistent_rows.h), here columns of memory. TIDx is beside the column, so that a warp reads neighbours, and TIDy
// along it.
#include <algorithm>

#include "fuser/schedule/persistent_rows.h"
#include "fuser/schedule/scheduler_list.h"

namespace fuser {
namespace {

constexpr int64_t kShortestColumn = 8, kLongestColumn = int64_t{1} << 14;
constexpr int64_t kColumns[] = {32, 16, 8};  // of a block: of the fewest, a sector holds a row of f32
constexpr int64_t kElementsOfThread = 4;     // while that makes no more than kUsualBlock
constexpr int64_t kUsualBlock = 512;         // of a block
constexpr int64_t kElementsToShare = 1024;   // that keep a multiprocessor busy

// Whether all multiprocessors have a block, or each block has few elements: columns are independent.
bool fillsDevice(int64_t columns, const RowSizes& column, const DeviceProperties& device) {
  return column.sizes->atMost(column.terms, kElementsToShare / columns, SizeLimit::Grid) ||
         !column.sizes->atMost(column.rows, device.multiprocessors * columns - 1, SizeLimit::Grid);
}

// As few threads as keep everything in registers, or all.
std::optional<RowShape> columnShape(int64_t columns, const PersistentPlan& plan, const RowSizes& column,
                                    const DeviceProperties& device) {
  RowShape shape{kShortestColumn, 1, columns};
  const auto isWithin = [&](int64_t row) { return column.sizes->atMost(column.terms, row, SizeLimit::Row); };
  while (shape.row < kLongestColumn && !isWithin(shape.row)) shape.row *= 2;
  if (!isWithin(shape.row) || mostThreads(device) < columns) return std::nullopt;
  const int64_t most = std::min(shape.row, mostThreads(device) / columns);
  shape.threads = std::clamp<int64_t>(shape.row / kElementsOfThread, 1, std::min(most, kUsualBlock / columns));
  while (shape.threads < most && !(placeKept(plan, shape, device) && shape.inShared.empty())) shape.threads *= 2;
  return placeKept(plan, shape, device) ? std::optional(shape) : std::nullopt;
}

// The widest blocks that fill the device.
std::optional<RowShape> chooseColumns(const PersistentPlan& plan, const RowSizes& column,
                                      const DeviceProperties& device) {
  for (int64_t columns : kColumns) {
    if (!fillsDevice(columns, column, device)) continue;
    if (std::optional<RowShape> shape = columnShape(columns, plan, column, device)) return shape;
  }
  return std::nullopt;
}

}  // namespace

std::string whyNotOuterPersistent(const FusionView& whole, std::shared_ptr<const ReferenceMap>& kept) {
  const auto whyNoRoom = [&](const PersistentPlan& plan, const RowSizes& column) -> std::string {
    if (chooseColumns(plan, column, whole.device)) return "";
    const bool fills = std::any_of(std::begin(kColumns), std::end(kColumns),
                                   [&](int64_t columns) { return fillsDevice(columns, column, whole.device); });
    return fills ? "a column has more elements than a block keeps" : "its columns are too few to fill the device";
  };
  return whyNotRows(whole, false, whyNoRoom, kept);
}

Schedule scheduleOuterPersistent(const Fusion& part, SizeFacts* sizes, const std::vector<InputLayout>&,
                                 const ReferenceMap* known, const DeviceProperties& device) {
  const RowPart rows = rowPart(part, known, [](const PartLoops& loops) { return firstReduction(loops.view.exprs); });
  const std::optional<RowShape> shape = chooseColumns(rows.plan, rowSizes(part, rows.map().reference(), sizes), device);
  FUSER_CHECK(shape, "a block has no room for a column that was accepted");
  return scheduleRows(rows, *shape, {}, ParallelType::TIDy, ParallelType::TIDx);
}

}  // namespace fuser
