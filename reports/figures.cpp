#include "reports/figures.h"

#include <charconv>
#include <cmath>

#include "fuser/support/check.h"

namespace reports {

std::string grouped(int64_t count) {
  std::string text = std::to_string(count);
  const size_t first = count < 0 ? 1 : 0;
  for (size_t at = text.size(); at > first + 3;) text.insert(at -= 3, ",");
  return text;
}

std::string plural(int64_t count, const std::string& one, const std::string& many) {
  return grouped(count) + " " + (count == 1 ? one : many);
}

std::string fixed(double value, int digits) {
  if (!std::isfinite(value)) return value > 0 ? "inf" : value < 0 ? "-inf" : "nan";
  char buffer[400];
  const std::to_chars_result end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, digits);
  FUSER_CHECK(end.ec == std::errc(), "no room for ", value);
  const std::string text(buffer, end.ptr);
  return text.find_first_of("123456789") == text.npos && text[0] == '-' ? text.substr(1) : text;
}

std::string compact(int64_t count) {
  if (count < 1000) return std::to_string(count);
  auto value = static_cast<double>(count);
  const char* unit = "";
  for (const char* next : {"k", "M", "G", "T", "P", "E"}) {
    if (value < 999.5) break;
    value /= 1000;
    unit = next;
  }
  return fixed(value, value < 9.95 ? 1 : 0) + unit;
}

std::string percent(double share) {
  if (share > 0 && share < 0.0001) return "<0.01 %";
  if (share < 1 && share > 0.9999) return ">99.99 %";
  return fixed(100 * share, 2) + " %";
}

std::string signedPercent(double change) {
  const std::string text = fixed(100 * change, 1) + " %";
  return text[0] == '-' ? text : "+" + text;
}

std::string duration(double seconds) {
  if (seconds < 10) return fixed(seconds, 2) + " s";
  if (seconds < 59.5) return fixed(seconds, 0) + " s";
  const auto whole = static_cast<int64_t>(std::llround(seconds));
  const auto two = [](int64_t value) { return (value < 10 ? "0" : "") + std::to_string(value); };
  if (whole < 3600) return std::to_string(whole / 60) + " min " + two(whole % 60) + " s";
  return std::to_string(whole / 3600) + " h " + two(whole / 60 % 60) + " min";
}

std::string padded(const std::string& text, size_t width, bool right) {
  const std::string blanks(text.size() < width ? width - text.size() : 0, ' ');
  return right ? blanks + text : text + blanks;
}

}  // namespace reports
