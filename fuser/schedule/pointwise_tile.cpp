#include "fuser/schedule/pointwise_tile.h"

#include <algorithm>
#include <map>

#include "fuser/analysis/inline_reads.h"

namespace fuser {
namespace {

constexpr int64_t kTileThreads[] = {256, 128, 64};
constexpr int64_t kRows = 4;

// For each input that is read in place alone, and has the axis along which the reference's memory is fastest: the first
// axis that it has elements along, in the reference's order of memory. (What lacks the fastest one is a sector or two
// of a block anyway.)
std::map<size_t, std::vector<const TensorView*>> inputsByFirstAxis(const Fusion& part, const ReferenceMap& map) {
  const std::vector<int> order = memoryOrder(map.reference());
  const InlineReads reads(part);
  std::map<size_t, std::vector<const TensorView*>> inputs;
  for (const Val* val : part.inputs()) {
    if (val->isScalar() || val->uses().empty() || reads.readInline().count(val) != 0) continue;
    const auto* input = val->as<TensorView>();
    const std::optional<std::vector<int>> positions = onlyReading(input->uses(), map, input);
    if (!positions) continue;
    size_t first = order.size();
    bool hasFastest = false;
    for (size_t i = 0; i < positions->size(); ++i) {
      if ((*positions)[i] < 0 || input->axes()[i]->isBroadcast()) continue;
      const auto place = std::find(order.begin(), order.end(), (*positions)[i]);
      first = std::min(first, static_cast<size_t>(place - order.begin()));
      hasFastest |= place + 1 == order.end();
    }
    if (hasFastest) inputs[first].push_back(input);
  }
  return inputs;
}

IntExpr extentOf(Fusion& part, const TensorView* reference, size_t begin, size_t end) {
  const std::vector<int> order = memoryOrder(reference);
  IntExpr extent = part.ints().constant(1);
  for (size_t i = begin; i < end; ++i) {
    extent = part.ints().mul(extent, reference->domain().logical[static_cast<size_t>(order[i])]->extent());
  }
  return extent;
}

}  // namespace

std::optional<PointWiseTile> choosePointWiseTile(const Fusion& part, const ReferenceMap& map, int64_t width,
                                                 SizeFacts* sizes, const DeviceProperties& device) {
  if (!sizes) return std::nullopt;
  PointWiseTile tile{0, 0, kRows, {}};
  const auto inputs = inputsByFirstAxis(part, map);
  for (const auto& [first, own] : inputs) {
    std::vector<const TensorView*> lacking;
    for (auto other = inputs.lower_bound(first); other != inputs.end(); ++other)
      lacking.insert(lacking.end(), other->second.begin(), other->second.end());
    if (first == 0 || lacking.size() <= tile.columnInputs.size()) continue;
    tile.outerAxes = first;
    tile.columnInputs = std::move(lacking);
  }
  if (tile.columnInputs.empty()) return std::nullopt;
  Fusion& fusion = const_cast<Fusion&>(part);  // only interns the products of the extents
  const size_t rank = map.reference()->rank();
  const IntExpr row = extentOf(fusion, map.reference(), tile.outerAxes, rank);
  const IntExpr all = extentOf(fusion, map.reference(), 0, rank);
  for (int64_t threads : kTileThreads) {
    if (threads > device.threadsPerBlock || !sizes->divisibleBy(row, threads * width)) continue;
    const int64_t elements = threads * width * kRows;  // of a block
    if (sizes->atMost(all, device.multiprocessors * elements, SizeLimit::Grid)) continue;
    if (!sizes->atMost(row, device.gridY * threads * width, SizeLimit::Grid)) return std::nullopt;
    tile.threads = threads;
    return tile;
  }
  return std::nullopt;
}

}  // namespace fuser
