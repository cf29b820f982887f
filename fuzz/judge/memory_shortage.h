#pragma once
// Determines why an allocation failed: if the process cannot allocate as much as its limit allows, the machine is short
// of memory; otherwise the case exceeded the limit.

#include <cstddef>
#include <exception>

namespace fuser::fuzz {

// Whether this process currently cannot allocate as much memory as its limit, in MiB, allows.
bool isMemoryShort(size_t limitMb);

// Whether the error reports a failed allocation: std::bad_alloc, or the exception that LibTorch throws instead.
bool saysOutOfMemory(const std::exception& error);

}  // namespace fuser::fuzz
