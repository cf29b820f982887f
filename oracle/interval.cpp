#include "oracle/interval.h"

#include <cstdio>

namespace oracle {
namespace {

constexpr int kFewestDigits = 6;

std::string text(double value, int digits) {
  char buffer[40];
  std::snprintf(buffer, sizeof(buffer), "%.*g", digits, value);
  return buffer;
}

}  // namespace

Whole fullRange(fuser::DataType dtype) {
  if (dtype == fuser::DataType::Bool) return kEither;
  const int bits = static_cast<int>(8 * fuser::dtypeSize(dtype));
  if (fuser::isUnsigned(dtype)) return {0, (int64_t{1} << bits) - 1};  // of at most 32 bits
  const int64_t most = static_cast<int64_t>(~uint64_t{0} >> (65 - bits));
  return {-most - 1, most};
}

int digitsToTellApart(std::initializer_list<double> numbers) {
  const auto tells = [&](int digits) {
    for (double a : numbers) {
      for (double b : numbers) {
        if (a < b && text(a, digits) == text(b, digits)) return false;
      }
    }
    return true;
  };
  int digits = kFewestDigits;
  while (digits < kAllDigits && !tells(digits)) ++digits;
  return digits;
}

std::string toString(const Interval& set, int digits) {
  std::string result;
  const auto alternative = [&](const std::string& one) { result += (result.empty() ? "" : " or ") + one; };
  if (set.lo == 0 && set.hi == 0) {
    alternative(!set.has(kNegZero) ? "+0" : !set.has(kPosZero) ? "-0" : "0");
  } else if (set.hasRange()) {
    alternative(set.lo == set.hi ? text(set.lo, digits)
                                 : "[" + text(set.lo, digits) + ", " + text(set.hi, digits) + "]");
  }
  if (set.has(kNegInf)) alternative("-inf");
  if (set.has(kPosInf)) alternative("inf");
  if (set.has(kNan)) alternative("nan");
  return result.empty() ? "nothing" : result;
}

std::string toString(const Whole& set, fuser::DataType dtype) {
  if (dtype == fuser::DataType::Bool) return !set.isSingle() ? "true or false" : set.lo ? "true" : "false";
  if (set.isSingle()) return std::to_string(set.lo);
  return "[" + std::to_string(set.lo) + ", " + std::to_string(set.hi) + "]";
}

}  // namespace oracle
