#pragma once
// Bitwise comparison of results, for runs that must be deterministic, where the oracle's sets would be too permissive.

#include "fuser/record/run_record.h"

namespace fuser::fuzz {

// Whether dtype, sizes and the bits of all elements, in logical order, are equal. NaNs are compared bitwise, too.
bool sameBits(const HostValue& a, const HostValue& b);

// The same, with any NaN equal to every NaN.
bool sameNumbers(const HostValue& a, const HostValue& b);

// The first output of two runs of a program that has other numbers; their count if there is none.
size_t firstOther(const RunRecord& a, const RunRecord& b);

// A hash of a tensor's memory from the first to the last element, including gaps. The memory must be on the host.
uint64_t memoryHash(const TensorRef& tensor);

}  // namespace fuser::fuzz
