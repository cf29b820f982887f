#pragma once
// Exact comparison of what runs produced: for what must be the same to the bit (a run done again),
// where the oracle's sets would be too kind.

#include "fuser/record/run_record.h"

namespace fuser::fuzz {

// The same dtype and sizes and, element by element in logical order, the same bits. NaNs are compared as bits too.
bool sameBits(const HostValue& a, const HostValue& b);

// A hash of a tensor's memory between its first and last element, gaps included. The memory is the host's.
uint64_t memoryHash(const TensorRef& tensor);

}  // namespace fuser::fuzz
