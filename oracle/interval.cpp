#include "oracle/interval.h"

#include <cstdio>

namespace oracle {
namespace {

std::string text(double value) {
  char buffer[40];
  std::snprintf(buffer, sizeof(buffer), "%.17g", value);
  return buffer;
}

}  // namespace

Whole fullRange(fuser::DataType dtype) {
  if (dtype == fuser::DataType::Bool) return kEither;
  if (dtype == fuser::DataType::Int8) return {std::numeric_limits<int8_t>::min(), std::numeric_limits<int8_t>::max()};
  if (dtype == fuser::DataType::Int32) {
    return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
  }
  return {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
}

std::string toString(const Interval& set) {
  std::string result;
  const auto alternative = [&](const std::string& one) { result += (result.empty() ? "" : " or ") + one; };
  if (set.lo == 0 && set.hi == 0) {
    alternative(!set.has(kNegZero) ? "+0" : !set.has(kPosZero) ? "-0" : "0");
  } else if (set.hasRange()) {
    alternative(set.lo == set.hi ? text(set.lo) : "[" + text(set.lo) + ", " + text(set.hi) + "]");
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
