#include "fuser/execute/device_copies.h"

#include <algorithm>

namespace fuser {

HostRanges hostRanges(std::span<const TensorRef> tensors, const std::vector<bool>& written) {
  std::vector<HostRange> ranges(tensors.size());
  std::vector<size_t> order;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const int64_t elements = extentInMemory(tensors[i].sizes, tensors[i].strides);
    if (elements == 0 || tensors[i].device.kind == DeviceKind::Cuda) continue;
    const uintptr_t begin = reinterpret_cast<uintptr_t>(tensors[i].data);
    ranges[i] = {begin, begin + static_cast<uintptr_t>(elements) * dtypeSize(tensors[i].dtype), written[i]};
    order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return ranges[a].begin < ranges[b].begin; });
  HostRanges result;
  result.rangeOfTensor.assign(tensors.size(), -1);
  for (size_t i : order) {
    if (result.ranges.empty() || ranges[i].begin >= result.ranges.back().end) result.ranges.push_back(ranges[i]);
    HostRange& range = result.ranges.back();
    range.end = std::max(range.end, ranges[i].end);
    range.written = range.written || ranges[i].written;
    result.rangeOfTensor[i] = static_cast<int>(result.ranges.size()) - 1;
  }
  return result;
}

}  // namespace fuser
