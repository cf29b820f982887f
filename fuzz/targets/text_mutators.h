#pragma once
// How the targets that take text change it: half of the time as programs (fuzz/mutate), else as bytes.

#include <cstdint>
#include <functional>
#include <span>

namespace fuser::fuzz {

// Changes the bytes in place, within maxSize; gives the new size. LLVMFuzzerMutate is one.
using ByteMutator = std::function<size_t(uint8_t* data, size_t size, size_t maxSize)>;

// As LLVMFuzzerCustomMutator: text that is a case goes through one to three mutations of programs, or through `bytes`;
// other text through `bytes` alone.
size_t mutateText(uint8_t* data, size_t size, size_t maxSize, unsigned seed, const ByteMutator& bytes);

// As LLVMFuzzerCustomCrossOver: the first text's program with the second's spliced in; where one is no case, the head
// of the first with the tail of the second.
size_t crossOverTexts(std::span<const uint8_t> first, std::span<const uint8_t> second, uint8_t* out, size_t maxSize,
                      unsigned seed);

}  // namespace fuser::fuzz
