#include "fuser/tools/run_error.h"

#include <algorithm>

namespace fuser {
namespace {

size_t offsetOf(std::string_view text, SourcePlace place) {
  size_t start = 0;
  for (size_t line = 1; line < place.line; ++line) start = std::min(text.find('\n', start), text.size() - 1) + 1;
  return start + place.column - 1;
}

}  // namespace

std::string withSourceLine(const CasePlaces& places, std::string_view text, const std::string& message) {
  const std::string sentence = located(places, message);
  for (const auto& [what, place] : places.of) {
    if (sentence != places.before(what) + message) continue;
    return LocatedError(text, places.file, offsetOf(text, place), message).what();
  }
  return sentence;
}

}  // namespace fuser
