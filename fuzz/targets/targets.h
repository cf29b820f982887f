#pragma once
// What the fuzz targets do with their bytes: one body for libFuzzer and for a seeded loop. Each returns for whatever is
// no finding (a UserError among it), and throws for a finding; libFuzzer keeps the bytes of an input that throws.

#include <cstddef>
#include <cstdint>
#include <span>

namespace fuser::fuzz {

using Bytes = std::span<const uint8_t>;

// Any text: a case, which prints and parses back, or one located error.
void parseTarget(Bytes text);

// Any text: what parses goes through all stages to the host program and the printed CUDA, with every check on; sizes of
// the first run, and without sizes. No LibTorch, and nothing runs.
void compileTarget(Bytes text);

}  // namespace fuser::fuzz
