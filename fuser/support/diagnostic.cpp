#include "fuser/support/diagnostic.h"

#include <algorithm>

namespace fuser {
namespace {

// The longest line quoted in full, in bytes; of a longer one, a window around the caret is quoted.
constexpr size_t kShown = 120;
constexpr size_t kShownBefore = 90;

std::string printable(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c == '\t') c = ' ';
    if (c < ' ' || c > '~') c = '?';
  }
  return out;
}

// The line around the offset and a caret below it.
std::string excerpt(std::string_view text, size_t offset) {
  const size_t before = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  const size_t start = before == std::string_view::npos ? 0 : before + 1;
  size_t end = std::min(text.find('\n', offset), text.size());
  if (end > start && text[end - 1] == '\r') --end;
  end = std::max(end, offset);
  const bool whole = end - start <= kShown;
  const size_t from = !whole && offset - start > kShownBefore ? offset - kShownBefore : start;
  const size_t to = whole ? end : std::min(end, from + kShown);
  std::string line = printable(text.substr(from, to - from));
  std::string caret(offset - from, ' ');
  if (from > start) line = "... " + line, caret += "    ";
  if (to < end) line += " ...";
  return "  " + line + "\n  " + caret + "^";
}

std::string describe(std::string_view text, const std::string& fileName, size_t offset, const std::string& message) {
  const SourcePlace place = sourcePlaceAt(text, offset);
  return concat(fileName, ":", place.line, ":", place.column, ": ", message, "\n", excerpt(text, offset));
}

// Cuts the middle out of a long message: it may quote a word of the input, however long that is.
std::string shortened(std::string message) {
  constexpr size_t kKeptBefore = 200, kKeptBehind = 200;
  if (message.size() > kKeptBefore + kKeptBehind)
    message.replace(kKeptBefore, message.size() - kKeptBefore - kKeptBehind, " ... ");
  return message;
}

}  // namespace

std::string withoutControls(std::string_view text) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string clean;
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte >= 0x20 && byte != 0x7f) || c == '\n' || c == '\t') {
      clean += c;
    } else {
      clean += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return clean;
}

SourcePlace sourcePlaceAt(std::string_view text, size_t offset) {
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const size_t newline = before.rfind('\n');
  return {static_cast<size_t>(std::count(before.begin(), before.end(), '\n')) + 1,
          newline == std::string_view::npos ? offset + 1 : offset - newline};
}

LocatedError::LocatedError(std::string_view text, std::string fileName, size_t offset, std::string message)
    : UserError(describe(text, fileName, std::min(offset, text.size()), shortened(message))),
      fileName_(std::move(fileName)),
      place_(sourcePlaceAt(text, offset)),
      message_(shortened(std::move(message))) {}

}  // namespace fuser
