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

// The bytes of the UTF-8 character that the text begins with; 0 where its first byte begins none, is one of a control
// character past ASCII (0xc2 0x80 … 0xc2 0x9f), or spells a character longer than it needs.
size_t lengthOfCharacter(std::string_view text) {
  const auto byteAt = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto isNext = [&](size_t i, unsigned least, unsigned most) { return byteAt(i) >= least && byteAt(i) <= most; };
  const unsigned first = byteAt(0);
  if (first < 0x80) return 1;
  const bool second = isNext(1, first == 0xe0                    ? 0xa0
                                : first == 0xf0                  ? 0x90
                                : first == 0xc2                  ? 0xa0
                                                                 : 0x80,
                             first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf);
  if (first < 0xc2 || first > 0xf4 || !second) return 0;
  if (first < 0xe0) return 2;
  if (!isNext(2, 0x80, 0xbf)) return 0;
  if (first < 0xf0) return 3;
  return isNext(3, 0x80, 0xbf) ? 4 : 0;
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
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text.front());
    const bool isControl = byte == 0x7f || (byte < 0x20 && byte != '\n' && byte != '\t');
    const size_t length = isControl ? 0 : lengthOfCharacter(text);
    if (length > 0) {
      clean += text.substr(0, length);
    } else {
      clean += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    }
    text.remove_prefix(std::max<size_t>(length, 1));
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
