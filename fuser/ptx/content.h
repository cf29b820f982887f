#pragma once
// contentOf(): a hash of what a function of a module does, for telling kernels apart: names of its own, of parameters,
// labels and variables, the other functions of the module, and lines of texts do not count. The same on every machine.

#include <cstdint>
#include <string_view>

#include "fuser/ptx/module.h"

namespace fuser::ptx {

uint64_t contentOf(const Module& module, const Function& function);

// Of bytes, beginning with a state: hashes of parts are chained by it.
uint64_t hashOfBytes(std::string_view bytes, uint64_t state = 0);

}  // namespace fuser::ptx
