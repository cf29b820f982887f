#pragma once
// Sectors: the 32-byte units in which a GPU moves global memory. A sector begins at an address that is a multiple
// of 32.

#include <cstdint>
#include <span>
#include <vector>

#include "fuser/types/tensor_ref.h"

namespace fuser {

inline constexpr uint64_t kSectorBytes = 32;

// Numbers the sectors of some ranges of memory from 0, in the order of addresses. Ranges share the numbers of sectors
// that they share.
class SectorNumbers {
 public:
  struct Range {
    uint64_t address = 0;
    uint64_t bytes = 0;  // 0: no sector
  };
  explicit SectorNumbers(std::span<const Range> ranges);

  uint64_t count() const { return count_; }
  // The number of the sector of an address in the range. (Unsigned: it may pass through numbers below 0.)
  uint64_t numberOf(size_t range, uint64_t address) const { return address / kSectorBytes - shifts_[range]; }

 private:
  std::vector<uint64_t> shifts_;
  uint64_t count_ = 0;
};

// The number of different sectors that hold elements of these tensors; what lies between their elements counts not.
int64_t sectorsOf(std::span<const TensorRef> tensors);

}  // namespace fuser
