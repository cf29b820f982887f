#pragma once
// The matrices of `mma.m16n8k16` (PTX ISA), which a warp multiplies at once: see Mma of fuser/kernel/kernel.h.

#include <cstdint>

namespace fuser {

constexpr int64_t kMmaArchitecture = 80;  // the first compute capability that has it, for f16 and bf16

struct MmaShape {
  static constexpr int64_t kRows = 16, kColumns = 8, kTerms = 16;  // of the sums, and of each
  static constexpr int64_t kLanes = 32;                            // the threads of a warp
  static constexpr int64_t kLeft = 8, kRight = 4;                  // the elements of either operand that a lane has
};

}  // namespace fuser
