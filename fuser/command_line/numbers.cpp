#include "fuser/command_line/numbers.h"

#include <charconv>
#include <cmath>
#include <string>

#include "fuser/support/check.h"

namespace fuser {
namespace {

// The decimal number that the text begins with, without a sign; the text goes on behind it.
std::optional<double> takeDecimal(std::string_view& text) {
  if (text.empty() || !(text[0] == '.' || (text[0] >= '0' && text[0] <= '9'))) return std::nullopt;
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number)) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

double scaleOf(char suffix) {
  switch (suffix) {
    case 'k':
    case 'K': return 1e3;
    case 'm':
    case 'M': return 1e6;
    case 'g':
    case 'G': return 1e9;
  }
  return 0;
}

// In falling order: each unit stands once, and smaller ones behind it.
constexpr struct {
  char name;
  double seconds;
} kUnits[] = {{'d', 86400}, {'h', 3600}, {'m', 60}, {'s', 1}};

// All digits, no exponent where a person would write none.
std::string digits(uint64_t number) { return std::to_string(number); }
std::string digits(double number) {
  char text[400];
  const auto [end, error] = std::to_chars(text, text + sizeof text, number, std::chars_format::fixed);
  return std::string(text, end);
}

template <class Number, class Read>
CLI::Option* takes(CLI::Option* option, Number least, Number most, const char* what, Read read) {
  return option->transform(CLI::Validator(
      [=](std::string& text) -> std::string {
        const bool negative = text.size() > 1 && text[0] == '-' && read(std::string_view(text).substr(1));
        const std::optional<Number> number = negative ? std::nullopt : read(text);
        if (!number && !negative) return concat("'", text, "' is not ", what);
        if (negative || *number < least) return concat(text, " is below ", digits(least));
        if (*number > most) return concat(text, " is above ", digits(most));
        text = digits(*number);
        return "";
      },
      ""));
}

}  // namespace

std::optional<uint64_t> countOf(std::string_view text) {
  uint64_t whole = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
  if (error == std::errc() && end == text.data() + text.size()) return whole;
  // Beyond 2^53 not every whole number is a double.
  constexpr double kMost = 9007199254740992;
  std::optional<double> number = takeDecimal(text);
  if (!number) return std::nullopt;
  if (!text.empty()) {
    *number *= scaleOf(text[0]);
    if (text.size() > 1 || scaleOf(text[0]) == 0) return std::nullopt;
  }
  if (*number != std::floor(*number) || *number > kMost) return std::nullopt;
  return static_cast<uint64_t>(*number);
}

std::optional<double> secondsOf(std::string_view text) {
  double seconds = 0;
  bool plain = false;
  auto unit = std::begin(kUnits);
  do {
    const std::optional<double> number = takeDecimal(text);
    if (!number || plain) return std::nullopt;
    plain = text.empty();
    if (plain && unit != std::begin(kUnits)) return std::nullopt;
    if (plain) return *number;
    while (unit != std::end(kUnits) && unit->name != text[0]) ++unit;
    if (unit == std::end(kUnits)) return std::nullopt;
    seconds += *number * unit++->seconds;
    text.remove_prefix(1);
  } while (!text.empty());
  return seconds;
}

CLI::Option* takesCount(CLI::Option* option, uint64_t least, uint64_t most) {
  return takes<uint64_t>(option, least, most, "a whole number; write 20000, 20k or 1e6", countOf);
}

CLI::Option* takesSeconds(CLI::Option* option, double least, double most) {
  return takes<double>(option, least, most, "a time; write 90 or 90s, 10m, 8h, 1h30m", secondsOf);
}

}  // namespace fuser
