#include "fuser/schedule/padded_rows.h"

#include <algorithm>

namespace fuser {

// What the banks hold is a line. Threads across have `column` bytes of a row, and as many rows as that lets be. Each
// row, or each line of short rows, begins so many bytes further on: that moves them to other banks, and rows of one
// line stay apart, since the lines are few.
RowPadding paddingOf(int64_t row, int64_t rows, int64_t bytesOfElement) {
  constexpr int64_t kLine = 128, kBank = 4, kLanes = 32;  // bytes; bytes; of a warp, which takes a line at a time
  const int64_t lanes = std::min(kLanes, kLine / bytesOfElement);
  const int64_t column = lanes / std::min(lanes, rows) * bytesOfElement;
  return {std::max(row, kLine / bytesOfElement), std::max({kBank, column, bytesOfElement}) / bytesOfElement};
}

int64_t bytesOfTile(int64_t elements, const RowPadding& padding, int64_t bytesOfElement) {
  constexpr int64_t kAlignment = 16;  // bytes, of a buffer in shared memory
  const int64_t padded = elements + elements / padding.row * padding.elements;
  return (padded * bytesOfElement + kAlignment - 1) / kAlignment * kAlignment;
}

void keepInShared(Schedule& schedule, const std::string& name, const RowPadding& padding) {
  schedule.push_back(on(TransformKind::SetMemoryType, name));
  schedule.back().memory = MemoryType::Shared;
  schedule.push_back(on(TransformKind::Pad, name));
  schedule.back().axis = padding.row;
  schedule.back().factor = padding.elements;
}

}  // namespace fuser
