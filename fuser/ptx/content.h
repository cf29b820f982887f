#pragma once
// contentOf(): a hash of what a function does, for telling kernels apart: its own name, those of its parameters and
// labels, and lines of texts do not count. The same on every machine.

#include <cstdint>
#include <string_view>

#include "fuser/ptx/module.h"

namespace fuser::ptx {

uint64_t contentOf(const Function& function);

// Of bytes, beginning with a state: hashes of parts are chained by it.
uint64_t hashOfBytes(std::string_view bytes, uint64_t state = 0);

}  // namespace fuser::ptx
