#pragma once
// The targets without libFuzzer: the files of a seed corpus, then so many inputs made from them. Same seed, same
// inputs.

#include <filesystem>
#include <functional>
#include <vector>

#include "fuzz/choices/choices.h"
#include "fuzz/targets/targets.h"

namespace fuser::fuzz {

using Target = std::function<void(Bytes)>;
// From an input and another of the pool to a new one, of at most 64 KiB.
using Maker = std::function<std::vector<uint8_t>(const std::vector<uint8_t>& input, const std::vector<uint8_t>& other,
                                                 Choices& choices)>;

// The makers of text targets and of byte streams.
std::vector<uint8_t> makeText(const std::vector<uint8_t>& input, const std::vector<uint8_t>& other, Choices& choices);
std::vector<uint8_t> makeStream(const std::vector<uint8_t>& input, const std::vector<uint8_t>& other, Choices& choices);

// Inputs tried. What the target throws comes out with the input's text or bytes in front of it, as a CheckError. Made
// inputs replace others of the pool, so that mutations pile up.
size_t runSeeded(const Target& target, const std::filesystem::path& corpus, const Maker& maker, uint64_t seed,
                 size_t made);

}  // namespace fuser::fuzz
