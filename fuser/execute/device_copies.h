#pragma once
// Computes which ranges of host memory a launch or run copies to the GPU. Overlapping tensors (such as an in-place
// output) share one range, so that they overlap on the device in the same way.

#include <cstdint>
#include <span>
#include <vector>

#include "fuser/types/tensor_ref.h"

namespace fuser {

// A device copy has the same address modulo this as on the host, so that vector accesses are equally aligned.
inline constexpr uintptr_t kKeptAlignment = 256;

struct HostRange {
  uintptr_t begin = 0;
  uintptr_t end = 0;
  bool written = false;  // whether to copy it back
};

struct HostRanges {
  std::vector<HostRange> ranges;     // disjoint, by address
  std::vector<int> rangeOfTensor;    // per tensor: an index in ranges; -1 if it is empty or on the device
};

// `written` says per tensor whether the kernel writes it.
HostRanges hostRanges(std::span<const TensorRef> tensors, const std::vector<bool>& written);

}  // namespace fuser
