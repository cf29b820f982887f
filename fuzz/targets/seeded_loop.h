#pragma once
// Runs targets without libFuzzer: on the files of a seed corpus, then on inputs derived from them. Equal seeds give
// equal inputs.

#include <filesystem>
#include <functional>
#include <vector>

#include "fuzz/choices/choices.h"
#include "fuzz/targets/targets.h"

namespace fuser::fuzz {

using Target = std::function<void(Bytes)>;
// Derives an input of at most 64 KiB from two inputs of the pool.
using Maker = std::function<std::vector<uint8_t>(const std::vector<uint8_t>& input, const std::vector<uint8_t>& other,
                                                 Choices& choices)>;

// Makers for text and for byte streams.
std::vector<uint8_t> makeText(const std::vector<uint8_t>& input, const std::vector<uint8_t>& other, Choices& choices);
std::vector<uint8_t> makeStream(const std::vector<uint8_t>& input, const std::vector<uint8_t>& other, Choices& choices);

// Returns the number of inputs tried. Rethrows the target's errors as a CheckError that starts with the input's text or
// bytes. Derived inputs replace others in the pool, so that mutations accumulate.
size_t runSeeded(const Target& target, const std::filesystem::path& corpus, const Maker& maker, uint64_t seed,
                 size_t attempts);

}  // namespace fuser::fuzz
