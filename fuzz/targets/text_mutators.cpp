#include "fuzz/targets/text_mutators.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "fuser/support/set_up_error.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuzz/mutate/mutate.h"

namespace fuser::fuzz {
namespace {

std::optional<Case> parsed(std::span<const uint8_t> text) {
  try {
    return parseCase({reinterpret_cast<const char*>(text.data()), text.size()}, "input");
  } catch (const UserError& error) {
    rethrowIfSetUpError(error);
    return std::nullopt;
  }
}

// 0 where it does not fit.
size_t store(const std::string& text, uint8_t* out, size_t maxSize) {
  if (text.size() > maxSize) return 0;
  std::memcpy(out, text.data(), text.size());
  return text.size();
}

}  // namespace

size_t mutateText(uint8_t* data, size_t size, size_t maxSize, unsigned seed, const ByteMutator& bytes) {
  Choices choices(seed, size);
  std::optional<Case> testCase = choices.chance(0.5) ? std::nullopt : parsed({data, size});
  if (!testCase) return bytes(data, size, maxSize);
  for (int64_t i = choices.integer(1, 3); i > 0; --i) testCase = mutate(*testCase, choices).testCase;
  const size_t stored = store(printCase(*testCase), data, maxSize);
  return stored ? stored : bytes(data, size, maxSize);
}

size_t crossOverTexts(std::span<const uint8_t> first, std::span<const uint8_t> second, uint8_t* out, size_t maxSize,
                      unsigned seed) {
  Choices choices(seed, first.size());
  const std::optional<Case> base = parsed(first), donor = parsed(second);
  if (base && donor) {
    const size_t stored = store(printCase(mutate(*base, choices, &*donor).testCase), out, maxSize);
    if (stored) return stored;
  }
  const size_t head = std::min(choices.index(first.size() + 1), maxSize);
  const size_t from = choices.index(second.size() + 1);
  const size_t tail = std::min(second.size() - from, maxSize - head);
  std::copy_n(first.begin(), head, out);
  std::copy_n(second.begin() + static_cast<std::ptrdiff_t>(from), tail, out + head);
  return head + tail;
}

}  // namespace fuser::fuzz
