#pragma once
// Mutators for the targets that take text: half of the calls mutate the program (fuzz/mutate), the others the bytes.

#include <cstdint>
#include <functional>
#include <span>

namespace fuser::fuzz {

// Mutates the bytes in place, up to maxSize; returns the new size. LLVMFuzzerMutate is one.
using ByteMutator = std::function<size_t(uint8_t* data, size_t size, size_t maxSize)>;

// Implements LLVMFuzzerCustomMutator: applies one to three mutations of programs or, in half of the calls, for text
// that is not a case, and for results longer than maxSize, calls `bytes`.
size_t mutateText(uint8_t* data, size_t size, size_t maxSize, unsigned seed, const ByteMutator& bytes);

// Implements LLVMFuzzerCustomCrossOver: mutates the first program with the second as donor (mutate.h). If one is not a
// case, or the result is too long, joins a random head of the first text and a random tail of the second.
size_t crossOverTexts(std::span<const uint8_t> first, std::span<const uint8_t> second, uint8_t* out, size_t maxSize,
                      unsigned seed);

}  // namespace fuser::fuzz
