// Ranges of memory as ranges of numbers.
#include "fuser/execute/sectors.h"

#include <algorithm>
#include <numeric>

namespace fuser {
namespace {

// A tensor without axes of stride 0 or size 1, by stride; the elements of its first axes that follow each other are
// one `run` of elements.
struct Runs {
  int64_t run = 1;
  Dims sizes, strides;
};

Runs runsOf(const TensorRef& tensor) {
  std::vector<size_t> axes;
  for (size_t i = 0; i < tensor.sizes.size(); ++i) {
    if (tensor.sizes[i] != 1 && tensor.strides[i] != 0) axes.push_back(i);
  }
  std::sort(axes.begin(), axes.end(), [&](size_t a, size_t b) { return tensor.strides[a] < tensor.strides[b]; });
  Runs runs;
  for (size_t axis : axes) {
    if (runs.sizes.empty() && tensor.strides[axis] == runs.run) {
      runs.run *= tensor.sizes[axis];
    } else {
      runs.sizes.push_back(tensor.sizes[axis]);
      runs.strides.push_back(tensor.strides[axis]);
    }
  }
  return runs;
}

}  // namespace

SectorNumbers::SectorNumbers(std::span<const Range> ranges) : shifts_(ranges.size(), 0) {
  std::vector<size_t> order(ranges.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return ranges[a].address < ranges[b].address; });
  uint64_t end = 0;    // of the sectors numbered so far
  uint64_t shift = 0;  // a sector's number is the sector minus this
  for (size_t i : order) {
    if (ranges[i].bytes == 0) continue;
    const uint64_t first = ranges[i].address / kSectorBytes;
    if (first >= end) shift = first - count_;
    shifts_[i] = shift;
    end = std::max(end, (ranges[i].address + ranges[i].bytes - 1) / kSectorBytes + 1);
    count_ = end - shift;
  }
}

int64_t sectorsOf(std::span<const TensorRef> tensors) {
  std::vector<SectorNumbers::Range> ranges;
  for (const TensorRef& tensor : tensors) {
    const int64_t extent = extentInMemory(tensor.sizes, tensor.strides);
    ranges.push_back(
        {reinterpret_cast<uint64_t>(tensor.data), static_cast<uint64_t>(extent) * dtypeSize(tensor.dtype)});
  }
  const SectorNumbers numbers(ranges);
  std::vector<bool> holds(numbers.count());
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (ranges[i].bytes == 0) continue;
    const Runs runs = runsOf(tensors[i]);
    const uint64_t size = dtypeSize(tensors[i].dtype);
    for (int64_t index = 0, count = numel(runs.sizes); index < count; ++index) {
      int64_t rest = index, place = 0;
      for (size_t axis = 0; axis < runs.sizes.size(); ++axis) {
        place += rest % runs.sizes[axis] * runs.strides[axis];
        rest /= runs.sizes[axis];
      }
      const uint64_t address = ranges[i].address + static_cast<uint64_t>(place) * size;
      const uint64_t last = numbers.numberOf(i, address + static_cast<uint64_t>(runs.run) * size - 1);
      for (uint64_t number = numbers.numberOf(i, address); number <= last; ++number) holds[number] = true;
    }
  }
  return std::count(holds.begin(), holds.end(), true);
}

}  // namespace fuser
