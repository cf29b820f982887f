#pragma once
// Shrinks byte streams of choices, as Hypothesis does. Missing bytes count as zeros, and a zero is each decision's
// first choice, so shorter streams with smaller bytes give smaller cases.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fuser::fuzz {

// One edit of a stream, applied to the bytes [begin, end).
struct StreamEdit {
  enum class Kind : uint8_t { Remove, Zero, Halve, Decrement } kind;
  size_t begin;
  size_t end;
};

// Returns edits from the largest to the smallest. Each one makes the stream shorter or a byte smaller, so that repeated
// shrinking terminates. At most about 2,500 edits, for any length.
std::vector<StreamEdit> smallerStreams(const std::vector<uint8_t>& bytes);

std::vector<uint8_t> applyEdit(std::vector<uint8_t> bytes, const StreamEdit& edit);

}  // namespace fuser::fuzz
