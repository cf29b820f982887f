#include "reports/markup.h"

#include <cstdint>

#include "fuser/support/check.h"

namespace reports {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

struct Decoded {
  uint32_t point = 0;
  size_t length = 0;  // 0: no UTF-8
};

// RFC 3629: no overlong forms, no surrogates, nothing past U+10FFFF.
Decoded decode(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  if (byte(0) < 0x80) return {byte(0), 1};
  const size_t length = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : byte(0) >= 0xC2 ? 2 : 0;
  if (length == 0 || byte(0) > 0xF4 || text.size() < length) return {};
  uint32_t point = byte(0) & (0x7Fu >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    point = point << 6 | (byte(i) & 0x3Fu);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (point < kLeast[length] || point > 0x10FFFF || (point >= 0xD800 && point < 0xE000)) return {};
  return {point, length};
}

bool isShown(uint32_t point) {
  if (point == '\n' || point == '\t') return true;
  if (point < 0x20 || (point >= 0x7F && point < 0xA0) || point == 0xFFFE || point == 0xFFFF) return false;
  const bool reorders = (point >= 0x202A && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069) ||
                        point == 0x200E || point == 0x200F || point == 0x061C;
  return !reorders;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Decoded next = decode(text);
    if (next.length == 0 || !isShown(next.point)) {
      out += kReplacement;
    } else if (next.point == '&') {
      out += "&amp;";
    } else if (next.point == '<') {
      out += "&lt;";
    } else if (next.point == '>') {
      out += "&gt;";
    } else if (next.point == '"') {
      out += "&quot;";
    } else if (next.point == '\'') {
      out += "&#39;";
    } else {
      out += text.substr(0, next.length);
    }
    text.remove_prefix(next.length == 0 ? 1 : next.length);
  }
  return out;
}

void Markup::start(std::string_view tag, Attributes attributes) {
  out_ += '<';
  out_ += tag;
  for (const auto& [name, value] : attributes) {
    out_ += ' ';
    out_ += name;
    out_ += "=\"" + escaped(value) + '"';
  }
}

Markup& Markup::open(std::string_view tag, Attributes attributes) {
  start(tag, attributes);
  out_ += '>';
  open_.emplace_back(tag);
  return *this;
}

Markup& Markup::close() {
  FUSER_CHECK(!open_.empty(), "no element is open");
  out_ += "</" + open_.back() + ">\n";
  open_.pop_back();
  return *this;
}

Markup& Markup::text(std::string_view text) {
  out_ += escaped(text);
  return *this;
}

Markup& Markup::element(std::string_view tag, Attributes attributes, std::string_view content) {
  return open(tag, attributes).text(content).close();
}

Markup& Markup::empty(std::string_view tag, Attributes attributes) {
  start(tag, attributes);
  out_ += "/>";
  return *this;
}

Markup& Markup::verbatim(std::string_view text) {
  FUSER_CHECK(text.find_first_of("<&") == text.npos, "verbatim text holds '<' or '&'");
  out_ += text;
  return *this;
}

std::string Markup::release() {
  FUSER_CHECK(open_.empty(), "<", open_.back(), "> is open");
  return std::move(out_);
}

}  // namespace reports
