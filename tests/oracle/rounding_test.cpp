#include "oracle/rounding.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "fuser/types/dtype.h"

namespace oracle_test {
namespace {

using fuser::DataType;

// Any bits, or a few steps from a number at which the order of bits turns.
rc::Gen<double> anyDouble() {
  const double infinity = std::numeric_limits<double>::infinity();
  return rc::gen::oneOf(
      rc::gen::map(rc::gen::arbitrary<uint64_t>(), [](uint64_t bits) { return std::bit_cast<double>(bits); }),
      rc::gen::element(0.0, -0.0, 0x1p-1074, -0x1p-1074, -0x1p-1073, infinity, -infinity, 0x1.fffffffffffffp1023,
                       -0x1.fffffffffffffp1023, std::numeric_limits<double>::quiet_NaN()));
}

RC_GTEST_PROP(RoundingTest, StepsAreThoseOfNextafter, ()) {
  const double value = *anyDouble();
  const int n = *rc::gen::inRange(0, 9);
  double above = value, below = value;
  for (int i = 0; i < n; ++i) {
    above = std::nextafter(above, std::numeric_limits<double>::infinity());
    below = std::nextafter(below, -std::numeric_limits<double>::infinity());
  }
  RC_ASSERT(std::isnan(value) || std::bit_cast<uint64_t>(oracle::up(value, n)) == std::bit_cast<uint64_t>(above));
  RC_ASSERT(std::isnan(value) || std::bit_cast<uint64_t>(oracle::down(value, n)) == std::bit_cast<uint64_t>(below));
}

// A 16-bit number, the middles of the steps beside it (ties), and what lies next to those.
RC_GTEST_PROP(RoundingTest, SixteenBitsRoundAsTheTypesDo, ()) {
  const bool half = *rc::gen::arbitrary<bool>();
  const uint16_t bits = *rc::gen::arbitrary<uint16_t>();
  const DataType dtype = half ? DataType::Half : DataType::BFloat16;
  const double exact = oracle::numberOfNarrow(bits, dtype);
  RC_PRE(std::isfinite(exact));
  const double step = oracle::ulp(exact, dtype);
  const double value = exact + step * *rc::gen::element(0.0, 0.5, -0.5, 0.25, 0.75, 0.5 + 0x1p-20, 0.5 - 0x1p-20);
  const auto single = static_cast<float>(value);
  RC_PRE(static_cast<double>(single) == value);
  const double rounded = half ? fuser::floatFromHalf(fuser::halfFromFloat(single))
                              : fuser::floatFromBfloat16(fuser::bfloat16FromFloat(single));
  RC_ASSERT(oracle::roundToNarrow(value, dtype) == rounded);
}

}  // namespace
}  // namespace oracle_test
