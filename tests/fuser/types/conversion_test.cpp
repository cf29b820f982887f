// The 16-bit floats and the guarded conversions, against definitions written another way: values by ldexp, rounding by
// comparing distances in f64.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <rapidcheck/gtest.h>

#include "fuser/types/dtype.h"
#include "fuser/types/scalar_value.h"

namespace fuser {
namespace {

double valueOf(uint16_t bits, int exponentBits, int mantissaBits) {
  const int bias = (1 << (exponentBits - 1)) - 1;
  const int exponent = (bits >> mantissaBits) & ((1 << exponentBits) - 1);
  const int mantissa = bits & ((1 << mantissaBits) - 1);
  const double sign = bits >> 15 ? -1 : 1;
  if (exponent == (1 << exponentBits) - 1) {
    return mantissa ? std::nan("") : sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - mantissaBits);
  return sign * std::ldexp(mantissa + (1 << mantissaBits), exponent - bias - mantissaBits);
}
double valueOf(Half h) { return valueOf(h.bits, 5, 10); }
double valueOf(BFloat16 h) { return valueOf(h.bits, 8, 7); }

template <class T>
void expectNearestEven(float value) {
  const T rounded = convert<T>(value);
  if (std::isnan(value)) {
    RC_ASSERT(std::isnan(valueOf(rounded)));
    return;
  }
  RC_ASSERT(std::signbit(valueOf(rounded)) == std::signbit(value));
  if (std::isinf(value)) {
    RC_ASSERT(valueOf(rounded) == value);
    return;
  }
  const uint16_t magnitude = rounded.bits & 0x7fff;
  // Infinity rounds like the next value after the largest finite one.
  const auto at = [&](uint16_t bits) {
    T finite{bits};
    if (!std::isinf(valueOf(finite))) return valueOf(finite);
    const T below{static_cast<uint16_t>(bits - 1)};
    const T further{static_cast<uint16_t>(bits - 2)};
    return 2 * valueOf(below) - valueOf(further);
  };
  const double exact = std::fabs(static_cast<double>(value));
  const double distance = std::fabs(exact - at(magnitude));
  for (int step : {-1, 1}) {
    if (magnitude == 0 && step < 0) continue;
    if (std::isinf(valueOf(T{magnitude})) && step > 0) continue;
    const double other = std::fabs(exact - at(static_cast<uint16_t>(magnitude + step)));
    if (std::isinf(valueOf(T{magnitude})) && exact > at(magnitude)) continue;
    RC_ASSERT(distance <= other);
    if (distance == other) RC_ASSERT((magnitude & 1) == 0);
  }
}

float anyFloat() {
  const uint32_t bits = *rc::gen::arbitrary<uint32_t>();
  // Half of the draws within f16's exponents, where its rounding has something to do.
  const uint32_t near = (bits & 0x807fffffu) | ((100u + *rc::gen::inRange<uint32_t>(0, 45)) << 23);
  const uint32_t chosen = *rc::gen::arbitrary<bool>() ? bits : near;
  float value;
  std::memcpy(&value, &chosen, sizeof value);
  return value;
}

RC_GTEST_PROP(ConversionTest, HalfIsNearestEven, ()) {
  for (int i = 0; i < 200; ++i) expectNearestEven<Half>(anyFloat());
}
RC_GTEST_PROP(ConversionTest, BFloat16IsNearestEven, ()) {
  for (int i = 0; i < 200; ++i) expectNearestEven<BFloat16>(anyFloat());
}

TEST(ConversionTest, EverySixteenBitValueWidensExactlyAndComesBack) {
  for (uint32_t i = 0; i < 0x10000; ++i) {
    const Half half{static_cast<uint16_t>(i)};
    const BFloat16 brain{static_cast<uint16_t>(i)};
    const double wideHalf = convert<double>(half);
    const double wideBrain = convert<double>(brain);
    if (std::isnan(valueOf(half))) {
      ASSERT_TRUE(std::isnan(wideHalf));
    } else {
      ASSERT_EQ(wideHalf, valueOf(half));
      ASSERT_EQ(convert<Half>(wideHalf).bits, half.bits);
    }
    if (std::isnan(valueOf(brain))) {
      ASSERT_TRUE(std::isnan(wideBrain));
    } else {
      ASSERT_EQ(wideBrain, valueOf(brain));
      ASSERT_EQ(convert<BFloat16>(wideBrain).bits, brain.bits);
    }
  }
}

double valueOf(Float8E4M3 h) {
  if ((h.bits & 0x7f) == 0x7f) return std::nan("");
  const int exponent = (h.bits >> 3) & 15, fraction = h.bits & 7;
  const double magnitude = std::ldexp(exponent ? fraction + 8 : fraction, std::max(exponent, 1) - 10);
  return h.bits >> 7 ? -magnitude : magnitude;
}
double valueOf(Float8E5M2 h) { return valueOf(static_cast<uint16_t>(h.bits << 8), 5, 10); }

// The finite number that is nearest, the even one of two; NaN for what rounds to what would come next.
template <class T>
double nearestOf8Bits(double value, double largest, double next) {
  const double past = std::fabs(value) - (largest + next) / 2;
  if (past > 0 || (past == 0 && convert<T>(static_cast<float>(largest)).bits % 2 != 0)) return std::nan("");
  double nearest = 0;
  int chosen = 0;
  for (int bits = 0; bits < 128; ++bits) {
    const double each = valueOf(T{static_cast<uint8_t>(bits)});
    if (!std::isfinite(each)) continue;
    const double distance = std::fabs(std::fabs(value) - each), least = std::fabs(std::fabs(value) - nearest);
    if (distance < least || (distance == least && bits % 2 == 0 && chosen % 2 != 0)) {
      nearest = each;
      chosen = bits;
    }
  }
  return std::copysign(nearest, value);
}

// All numbers, the middles between neighbours, and what lies next to those.
template <class T>
void expectNearestOf8Bits(double largest, double next, bool hasInfinities) {
  std::vector<double> points = {largest, next, (largest + next) / 2, 1e30, 0x1p-140, 0};
  for (int bits = 0; bits < 127; ++bits) {
    const double low = valueOf(T{static_cast<uint8_t>(bits)}), high = valueOf(T{static_cast<uint8_t>(bits + 1)});
    if (std::isfinite(low)) points.push_back(low);
    if (std::isfinite(low) && std::isfinite(high)) points.push_back((low + high) / 2);
  }
  for (double point : points) {
    const auto middle = static_cast<float>(point);
    for (float near : {middle, std::nextafter(middle, 1e38f), std::nextafter(middle, -1e38f)}) {
      for (float value : {near, -near}) {
        const double given = valueOf(convert<T>(value)), wanted = nearestOf8Bits<T>(value, largest, next);
        if (std::isnan(wanted) && hasInfinities) {
          EXPECT_EQ(given, std::copysign(std::numeric_limits<double>::infinity(), value)) << value;
        } else if (std::isnan(wanted)) {
          EXPECT_TRUE(std::isnan(given)) << value;
        } else {
          EXPECT_EQ(given, wanted) << value;
          EXPECT_EQ(std::signbit(given), std::signbit(value)) << value;
        }
      }
    }
  }
  EXPECT_TRUE(std::isnan(valueOf(convert<T>(std::nanf("")))));
  EXPECT_EQ(std::isinf(valueOf(convert<T>(std::numeric_limits<float>::infinity()))), hasInfinities);
}

TEST(ConversionTest, FloatsOf8BitsAreNearestEven) {
  expectNearestOf8Bits<Float8E4M3>(448, 480, false);
  expectNearestOf8Bits<Float8E5M2>(57344, 65536, true);
}

TEST(ConversionTest, Every8BitValueWidensExactlyAndComesBack) {
  const auto check = [](auto number) {
    const double wide = convert<double>(number);
    if (std::isnan(valueOf(number))) {
      EXPECT_TRUE(std::isnan(wide));
    } else {
      EXPECT_EQ(wide, valueOf(number));
      EXPECT_EQ(convert<decltype(number)>(wide).bits, number.bits);
    }
  };
  for (int bits = 0; bits < 256; ++bits) {
    check(Float8E4M3{static_cast<uint8_t>(bits)});
    check(Float8E5M2{static_cast<uint8_t>(bits)});
  }
}

TEST(ConversionTest, DoubleToHalfGoesThroughFloat) {
  // Just above a tie of f16, but a tie once it is f32.
  const double aboveTie = 1.0 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40);
  EXPECT_EQ(convert<Half>(aboveTie).bits, convert<Half>(1.0f).bits);
}

TEST(ConversionTest, FloatToIntegerOutOfRangeIsTheSmallestInteger) {
  constexpr int64_t kLow64 = std::numeric_limits<int64_t>::min();
  constexpr int32_t kLow32 = std::numeric_limits<int32_t>::min();
  for (double value : {1e300, -1e300, std::nan(""), 9223372036854775808.0}) {
    EXPECT_EQ(convert<int64_t>(value), kLow64);
    EXPECT_EQ(convert<int32_t>(value), kLow32);
  }
  EXPECT_EQ(convert<int32_t>(2147483647.5), 2147483647);
  EXPECT_EQ(convert<int32_t>(-2147483648.5), kLow32);
  EXPECT_EQ(convert<int64_t>(-1.9f), -1);
}

TEST(ConversionTest, IntegersNarrowByWrapping) {
  EXPECT_EQ(convert<int32_t>((int64_t{1} << 32) + 5), 5);
  EXPECT_EQ(convert<int16>(int64{-32769}), 32767);
  EXPECT_EQ(convert<uint8>(int32{-1}), 255);
  EXPECT_EQ(convert<uint32>(int64{-1}), 4294967295u);
  EXPECT_EQ(convert<int8>(uint8{200}), -56);
  EXPECT_EQ(convert<int64>(uint32{4294967295u}), 4294967295);
}

TEST(ConversionTest, FloatsWrapInUnsignedIntegers) {
  EXPECT_EQ(convert<uint8>(255.9), 255);
  EXPECT_EQ(convert<uint8>(-1.5f), 255);
  EXPECT_EQ(convert<uint16>(65537.0f), 1);
  EXPECT_EQ(convert<uint32>(4294967295.0), 4294967295u);
  EXPECT_EQ(convert<uint32>(1e300), 0u);
  EXPECT_EQ(convert<uint8>(std::nan("")), 0);
}

TEST(ConversionTest, TheFormatOfAFloatIsThatOfItsBits) {
  for (DataType dtype : kAllDataTypes) {
    if (!isFloating(dtype)) continue;
    const FloatFormat format = floatFormat(dtype);
    EXPECT_EQ(1 + format.exponentBits + format.fractionBits, static_cast<int>(8 * dtypeSize(dtype))) << dtype;
    dispatch(dtype, [&]<class T>() {
      EXPECT_EQ(convert<double>(convert<T>(format.largest)), format.largest) << dtype;
      const double past = convert<double>(convert<T>(2 * format.largest));
      EXPECT_EQ(std::isinf(past), format.hasInfinities) << dtype;
      EXPECT_EQ(std::isnan(past), !format.hasInfinities) << dtype;
    });
  }
}

TEST(ConversionTest, AnythingButZeroIsTrue) {
  EXPECT_TRUE(convert<bool>(std::nan("")));
  EXPECT_TRUE(convert<bool>(BFloat16{0x7fc0}));
  EXPECT_FALSE(convert<bool>(-0.0f));
}

TEST(ScalarValueTest, LiteralsReadBackExactly) {
  EXPECT_EQ(ScalarValue(0.1).toString(), "0.1");
  EXPECT_EQ(ScalarValue(1.0).toString(), "1.0");
  EXPECT_EQ(ScalarValue(-0.0).toString(), "-0.0");
  EXPECT_EQ(ScalarValue(1e-5).toString(), "1e-05");
  EXPECT_EQ(ScalarValue(std::nan("")).toString(), "nan");
  EXPECT_EQ(ScalarValue(int64_t{7}).toString(), "7");
  EXPECT_EQ(ScalarValue(true).toString(), "true");
  EXPECT_NE(ScalarValue(0.0), ScalarValue(-0.0));
  EXPECT_EQ(ScalarValue(std::nan("")), ScalarValue(-std::nan("")));
}

}  // namespace
}  // namespace fuser
