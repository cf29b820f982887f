#pragma once
// The bodies of the fuzz targets, which libFuzzer and a seeded loop share (that of end_to_end_fuzz is in judged/). Each
// one throws for a finding and returns otherwise, also for a UserError; libFuzzer keeps an input that throws.

#include <cstddef>
#include <cstdint>
#include <span>

namespace fuser::fuzz {

using Bytes = std::span<const uint8_t>;

// Takes any text. It must be a case that prints and parses back, or give one located error.
void parseTarget(Bytes text);

// Takes any text. Compiles a case of at most 400 ops without sizes, then for the first run's sizes, up to the host
// program and the printed CUDA, with every check on. Does not link LibTorch, and runs no kernel.
void compileTarget(Bytes text);

}  // namespace fuser::fuzz
