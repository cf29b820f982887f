#pragma once
// Why an allocation failed: if the process cannot have the memory that its limit allows, the machine is short of
// memory; if it can, the case asked for more than the limit.

#include <cstddef>
#include <exception>

namespace fuser::fuzz {

// Whether this process cannot have, right now, the memory that its limit allows. Limit in MiB.
bool isMemoryShort(size_t limitMb);

// Whether the error reports a failed allocation: std::bad_alloc, and what LibTorch throws instead.
bool saysOutOfMemory(const std::exception& error);

}  // namespace fuser::fuzz
