#include "fuzz/judge/pattern.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <vector>

#include "oracle/rounding.h"

namespace fuser::fuzz {
namespace {

using oracle::WrongElement;
using oracle::WrongValue;
using Elements = std::vector<WrongElement>;

constexpr double kFewUlps = 8;
constexpr double kSameRatio = 1e-3;

bool hasRange(const WrongElement& element) { return element.low <= element.high; }
double middle(const WrongElement& element) { return element.low + (element.high - element.low) / 2; }

bool isSpecial(const WrongElement& element) { return !std::isfinite(element.got) || !hasRange(element); }

bool hasNan(const WrongElement& element) {
  return std::isnan(element.got) || (!hasRange(element) && element.acceptsNan);
}

bool isNear(const WrongElement& element, DataType dtype) {
  const double off = element.got < element.low ? element.low - element.got : element.got - element.high;
  const double size = std::max(std::fabs(element.low), std::fabs(element.high));
  return off <= kFewUlps * oracle::ulp(size, dtype);
}

bool close(double a, double b) { return std::fabs(a - b) <= kSameRatio * std::max(std::fabs(a), std::fabs(b)); }

bool isConstantFactor(const Elements& elements) {
  if (elements.size() < 2 || middle(elements[0]) == 0) return false;
  const double factor = elements[0].got / middle(elements[0]);
  if (close(factor, 1)) return false;
  const bool several = std::any_of(elements.begin(), elements.end(), [&](const WrongElement& element) {
    return !close(middle(element), middle(elements[0]));
  });
  return several && std::all_of(elements.begin(), elements.end(), [&](const WrongElement& element) {
           return middle(element) != 0 && close(element.got, factor * middle(element));
         });
}

bool isPermuted(const WrongValue& wrong) {
  if (wrong.elements.size() < 2 || static_cast<int64_t>(wrong.elements.size()) < wrong.outside) return false;
  std::vector<double> got, right;
  for (const WrongElement& element : wrong.elements) {
    got.push_back(element.got);
    right.push_back(middle(element));
  }
  // What is almost right where it stands has not moved.
  for (size_t i = 0; i < got.size(); ++i) {
    if (close(got[i], right[i])) return false;
  }
  std::sort(got.begin(), got.end());
  std::sort(right.begin(), right.end());
  return std::equal(got.begin(), got.end(), right.begin(), close);
}

bool isTail(const WrongValue& wrong) {
  return wrong.outside < wrong.judged && wrong.elements.front().place == wrong.judged - wrong.outside;
}

bool isWholeRow(const WrongValue& wrong) {
  const int64_t row = wrong.extents.empty() ? 1 : wrong.extents.back();
  if (row < 2 || wrong.outside == wrong.judged || wrong.outside % row != 0) return false;
  for (size_t i = 0; i < wrong.elements.size(); ++i) {
    const int64_t start = wrong.elements[i - i % static_cast<size_t>(row)].place;
    if (start % row != 0 || wrong.elements[i].place != start + static_cast<int64_t>(i) % row) return false;
  }
  return true;
}

}  // namespace

std::string patternOf(const WrongValue& wrong) {
  const Elements& elements = wrong.elements;
  if (elements.empty()) return "other";
  const auto all = [&](auto&& holds) { return std::all_of(elements.begin(), elements.end(), holds); };
  if (all(isSpecial)) return std::any_of(elements.begin(), elements.end(), hasNan) ? "nan" : "inf";
  if (all([](const WrongElement& element) { return element.got == 0; })) return "zeros";
  const bool numbers = std::none_of(elements.begin(), elements.end(), isSpecial);
  if (numbers) {
    if (isFloating(wrong.dtype) && all([&](const WrongElement& e) { return isNear(e, wrong.dtype); })) {
      return "one-ulp scale";
    }
    if (isPermuted(wrong)) return "permuted";
    if (isConstantFactor(elements)) return "constant factor";
  }
  if (isTail(wrong)) return "tail";
  return isWholeRow(wrong) ? "whole row" : "other";
}

std::string withoutNames(std::string_view message) {
  constexpr size_t kLongest = 160;
  const auto isDigit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  const auto inName = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; };
  std::string text;
  message = message.substr(0, message.find('\n'));
  for (size_t i = 0; i < message.size() && text.size() < kLongest; ++i) {
    if (isDigit(message[i])) {
      if (text.empty() || text.back() != '#') text += '#';
      continue;
    }
    text += message[i];
    if (message[i] != '%') continue;
    while (i + 1 < message.size() && inName(message[i + 1])) ++i;
  }
  return text;
}

}  // namespace fuser::fuzz
