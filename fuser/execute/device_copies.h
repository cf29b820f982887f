#pragma once
// Which host memory a launch, or a run, on a GPU copies: overlapping tensors (an output that reuses an input) share one
// copy, so that they overlap on the device in the same way.

#include <cstdint>
#include <span>
#include <vector>

#include "fuser/types/tensor_ref.h"

namespace fuser {

// A copy on the device keeps the host address modulo this, so that vectors are as aligned as they are on the host.
inline constexpr uintptr_t kKeptAlignment = 256;

struct HostRange {
  uintptr_t begin = 0;
  uintptr_t end = 0;
  bool written = false;  // copied back
};

struct HostRanges {
  std::vector<HostRange> ranges;     // disjoint, by address
  std::vector<int> rangeOfTensor;    // per tensor: index in ranges; -1 for no elements or memory on the device
};

// written: per tensor.
HostRanges hostRanges(std::span<const TensorRef> tensors, const std::vector<bool>& written);

}  // namespace fuser
