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

// From the boldest to the most careful; every edit makes the stream shorter, or some byte smaller, so that trying them
// over and over ends. At most some 2,500, whatever the length.
std::vector<StreamEdit> smallerStreams(const std::vector<uint8_t>& bytes);

std::vector<uint8_t> applyEdit(std::vector<uint8_t> bytes, const StreamEdit& edit);

}  // namespace fuser::fuzz
