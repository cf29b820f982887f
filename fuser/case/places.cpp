// Adds source positions to messages.

#include "fuser/case/places.h"

#include <algorithm>

namespace fuser {
namespace {

bool isNameByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

// Whether a name or word ends before byte `at`.
bool endsAt(std::string_view text, size_t at) { return at >= text.size() || !isNameByte(text[at]); }

}  // namespace

std::string CasePlaces::before(std::string_view what) const {
  const auto found = of.find(what);
  return found == of.end() ? "" : concat(file, ":", found->second.line, ":", found->second.column, ": ");
}

std::string located(const CasePlaces& places, std::string_view message) {
  std::string place;
  constexpr size_t kLongestStatement = 320;  // a name has at most 256 bytes
  for (size_t end = 1; end <= std::min(message.size(), kLongestStatement); ++end) {
    if (!endsAt(message, end)) continue;
    const std::string longer = places.before(message.substr(0, end));
    if (!longer.empty()) place = longer;
  }
  for (size_t at = message.find('%'); place.empty() && at != message.npos; at = message.find('%', at + 1)) {
    size_t end = at + 1;
    while (!endsAt(message, end)) ++end;
    place = places.before(message.substr(at, end - at));
  }
  return place + std::string(message);
}

}  // namespace fuser
