#pragma once
// Whose fault it is that an allocation fails: a process that may take so much memory, and does not get it, is short of
// it by its surroundings; one that would get it has asked for more.

#include <cstddef>
#include <exception>

namespace fuser::fuzz {

// Whether this process cannot have, right now, what it may take at most.
bool isMemoryShort(size_t limitMb);

// Whether the error says that memory could not be had: std::bad_alloc, and what LibTorch throws instead.
bool saysOutOfMemory(const std::exception& error);

}  // namespace fuser::fuzz
