// Cuts the end, removes chunks, zeroes chunks, lowers bytes: in halves, so that a stream of n bytes needs few tries.

#include "fuzz/choices/shrink.h"

#include <algorithm>

namespace fuser::fuzz {
namespace {

constexpr size_t kPieces = 64;        // no more pieces than this are tried in one round …
constexpr size_t kZeroedBytes = 1024;  // … but up to this length single bytes become zeros: no decision moves, so that
                                       // "how many expressions" falls while all else stays as it was drawn
constexpr size_t kSingleBytes = 128;  // up to this length single bytes are lowered

bool allZero(const std::vector<uint8_t>& bytes, size_t begin, size_t end) {
  return std::all_of(bytes.begin() + static_cast<std::ptrdiff_t>(begin),
                     bytes.begin() + static_cast<std::ptrdiff_t>(end), [](uint8_t byte) { return byte == 0; });
}

}  // namespace

std::vector<StreamEdit> smallerStreams(const std::vector<uint8_t>& bytes) {
  using Kind = StreamEdit::Kind;
  std::vector<StreamEdit> edits;
  const size_t count = bytes.size();
  if (count == 0) return edits;
  edits.push_back({Kind::Remove, 0, count});
  for (size_t step = count / 2; step > 0; step /= 2) edits.push_back({Kind::Remove, count - step, count});
  const size_t least = std::max<size_t>(1, count / kPieces);
  for (Kind kind : {Kind::Remove, Kind::Zero}) {
    const size_t smallest = kind == Kind::Zero && count <= kZeroedBytes ? 1 : least;
    for (size_t step = count / 2; step >= smallest && step > 0; step /= 2) {
      for (size_t begin = 0; begin < count; begin += step) {
        const size_t end = std::min(begin + step, count);
        if (kind == Kind::Remove || !allZero(bytes, begin, end)) edits.push_back({kind, begin, end});
      }
    }
  }
  if (count > kSingleBytes) return edits;
  for (size_t i = 0; i < count; ++i) {
    if (bytes[i] > 1) edits.push_back({Kind::Halve, i, i + 1});
    if (bytes[i] > 0) edits.push_back({Kind::Decrement, i, i + 1});
  }
  return edits;
}

std::vector<uint8_t> applyEdit(std::vector<uint8_t> bytes, const StreamEdit& edit) {
  const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(edit.begin);
  const auto end = bytes.begin() + static_cast<std::ptrdiff_t>(edit.end);
  switch (edit.kind) {
    case StreamEdit::Kind::Remove: bytes.erase(begin, end); break;
    case StreamEdit::Kind::Zero: std::fill(begin, end, uint8_t{0}); break;
    case StreamEdit::Kind::Halve: *begin = static_cast<uint8_t>(*begin / 2); break;
    case StreamEdit::Kind::Decrement: *begin = static_cast<uint8_t>(*begin - 1); break;
  }
  return bytes;
}

}  // namespace fuser::fuzz
