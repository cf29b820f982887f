#include "tests/oracle/operand_points.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "fuser/support/split_mix.h"
#include "oracle/rounding.h"

namespace oracle_test {

using fuser::DataType;
using fuser::OpKind;

namespace {

// Of f32 and f64: the bits of numbers, and their places in the order of the numbers, in which -0 stands beside 0.
struct Layout {
  int bits;
  int fraction;
  int bias;
};
Layout layoutOf(DataType dtype) { return dtype == DataType::Double ? Layout{64, 52, 1023} : Layout{32, 23, 127}; }

uint64_t bitsOf(double value, DataType dtype) {
  if (dtype == DataType::Double) return std::bit_cast<uint64_t>(value);
  return std::bit_cast<uint32_t>(static_cast<float>(value));
}

// Zero is in the middle; a negative number is below it by its magnitude's bits.
uint64_t placeOf(uint64_t bits, const Layout& layout) {
  const uint64_t sign = uint64_t{1} << (layout.bits - 1);
  return bits & sign ? sign - (bits & (sign - 1)) : sign + bits;
}
uint64_t bitsAt(uint64_t place, const Layout& layout) {
  const uint64_t sign = uint64_t{1} << (layout.bits - 1);
  return place >= sign ? place - sign : sign | (sign - place);
}

// The index-th of `count` numbers below 2^bits, one in each of `count` equal parts.
uint64_t stratum(uint64_t index, uint64_t count, int bits, uint64_t seed) {
  __extension__ using Wide = unsigned __int128;
  const Wide range = Wide{1} << bits;
  const Wide begin = range * index / count, end = range * (index + 1) / count;
  return static_cast<uint64_t>(begin + fuser::splitMix64(index ^ seed) % std::max<Wide>(end - begin, 1));
}

// Where the op, or a library's way to compute it, changes, by magnitude: zeros, poles, ends of domains, overflow and
// underflow, the ends of polynomials, points of argument reduction. Sources: fdlibm and its successors in glibc (ends
// of polynomials), CUDA's math library (105615, from where on sin, cos and tan reduce their operand in integers), the
// dtypes (overflow and underflow).
std::vector<double> breakpointsOf(OpKind op) {
  constexpr double kLn2 = std::numbers::ln2;
  switch (op) {
    case OpKind::Sin:
    case OpKind::Cos:
    case OpKind::Tan:
    case OpKind::Sinc: {
      std::vector<double> points{105615, 48039, 120, 71476, 2.5, 0.785398, 0.6744, 33554432, 1.2e19, 0.126};
      for (int k = 1; k <= 40; ++k) points.push_back(k * std::numbers::pi / 4);
      for (int e = 6; e < 24; ++e) points.push_back(std::exp2(e) * std::numbers::pi / 2);
      for (int k = 1; k <= 6; ++k) points.push_back(k);  // of sinc
      return points;
    }
    case OpKind::Exp:
    case OpKind::Expm1:
    case OpKind::Sigmoid:
    case OpKind::Silu:
    case OpKind::Softplus:
    case OpKind::Mish:
    case OpKind::LogSigmoid:
    case OpKind::Elu:
    case OpKind::Celu:
    case OpKind::Selu:
      return {88.72284, 87.33655,   103.27893, 103.97208, 709.782712893384, 708.3964185, 745.1332191, kLn2 / 2,
              kLn2,     1.5 * kLn2, 17.32868,  16.63553,  18.714973,        37.42994775, 56 * kLn2,   27 * kLn2,
              104,      89,         20,        1.0397};
    case OpKind::Exp2: return {127, 126, 149, 150, 1022, 1074, 1075, 1.5, 2.5, 0.25};
    case OpKind::Log:
    case OpKind::Log2:
    case OpKind::Log10:
    case OpKind::Logit:
      return {std::numbers::sqrt2, std::numbers::sqrt2 / 2, 2.0 / 3, 4.0 / 3, 0.75, 1.5, 0.9375, 1.0645, 10, 100, 1e10};
    case OpKind::Log1p: return {0.41421356, 0.29289322, 0.375, 0.75, 5.9604645e-8, 1.1920929e-7, 3, 33554432};
    case OpKind::Tanh:
    case OpKind::Tanhshrink:
    case OpKind::GeluTanh: return {0.55, 0.6, 0.625, 9.010913, 10, 20, 22, 44, 19.0615, 8.3178, 7.90531, 5.0};
    case OpKind::Erf:
    case OpKind::Erfc:
    case OpKind::Gelu:
      return {0.84375, 1.25,   1 / 0.35, 3.92,   3.8325067, 4,   6,    1.00296, 9.194549,
              10.0546, 26.543, 28,       27.226, 0.4769,    5.4, 13.0, 14.2,    2.5};
    case OpKind::Asin:
    case OpKind::Acos: return {0.5, 0.5625, 0.5725, 0.975, std::numbers::sqrt2 / 2, 0.6, 0.875};
    case OpKind::Atan: return {0.4375, 0.6875, 1.1875, 2.4375, 33554432, 1.7e10};
    case OpKind::Sinh:
    case OpKind::Cosh: return {88.72284, 89.41599, 709.7827, 710.4758600739439, 22, kLn2 / 2, 9, 44, 87.33655, 0.9999};
    case OpKind::Asinh: return {268435456, 2.0000001, 6.1e-5, 1.8446744e19};
    case OpKind::Acosh: return {268435456, 2.0000001, 1.0000001, 1.8446744e19, 1.5};
    case OpKind::Atanh: return {0.5, 0.9999999, 0.57, 1.0 / 3, 3.7e-9};
    case OpKind::Lgamma:
      return {2.4570247, 2.7476826, 3.1435809, 3.9552942, 2.2637, 1.4616321, 0.5040830, 1.5734985, 3,   4,   5, 7.8,
              8,         0.23164,   0.73164,   1.23164,   1.7316, 58.6,      4.0850e36, 1e7,       0.7, 1.5, 12};
    case OpKind::Hardswish:
    case OpKind::Hardsigmoid: return {3, 6, 9};
    case OpKind::Relu6: return {6};
    case OpKind::Floor:
    case OpKind::Ceil:
    case OpKind::Trunc:
    case OpKind::Round:
    case OpKind::Frac: return {1.5, 2.5, 3.5, 8388607.5, 4503599627370495.5, 3, 5, 100};
    case OpKind::Sqrt:
    case OpKind::Rsqrt:
    case OpKind::Reciprocal:
    case OpKind::Square: return {3, 1.8446743e19, 1.0842022e-19, 2.938736e-39, 8.5e37, std::numbers::sqrt2, 1.4e154};
    default: return {};
  }
}

}  // namespace

OperandPoints::OperandPoints(DataType dtype) : dtype_(dtype), count_(65536) {
  FUSER_CHECK(fuser::dtypeSize(dtype) == 2, dtype, " has more numbers");
}

OperandPoints::OperandPoints(OpKind op, DataType dtype, uint64_t count) : dtype_(dtype), count_(count) {
  const Layout layout = layoutOf(dtype);
  const oracle::Format& format = oracle::format(dtype);
  std::vector<double> common{0, format.largest, std::exp2(format.minExponent), 3, 10};
  for (int e = -30; e <= 30; ++e) common.push_back(std::exp2(e));
  const std::vector<double> own = breakpointsOf(op);
  // The op's own runs take two thirds together: more changes there than at a power of two.
  const uint64_t inRuns = count / 4;
  const uint64_t ofOwn = own.empty() ? 0 : inRuns * 2 / 3 / (2 * own.size());
  const uint64_t ofCommon = (inRuns - ofOwn * 2 * own.size()) / (2 * common.size());
  uint64_t begin = 0;
  const auto add = [&](double point, uint64_t length) {
    runs_.push_back({placeOf(bitsOf(point, dtype), layout), begin});
    begin += length;
  };
  for (double point : common) {
    add(point, ofCommon);
    add(-point, ofCommon);
  }
  for (double point : own) {
    add(point, ofOwn);
    add(-point, ofOwn);
  }
  runs_.push_back({0, begin});
}

uint64_t OperandPoints::bits(uint64_t index) const {
  if (runs_.empty()) return index;
  const Layout layout = layoutOf(dtype_);
  const uint64_t inRuns = runs_.back().begin;
  if (index < inRuns) {
    const auto next = std::upper_bound(runs_.begin(), runs_.end(), index,
                                       [](uint64_t value, const Run& run) { return value < run.begin; });
    const Run& run = *std::prev(next);
    return bitsAt(run.middle + (index - run.begin) - (next->begin - run.begin) / 2, layout);
  }
  const uint64_t inside = (count_ - inRuns) / 2, everywhere = count_ - inRuns - inside;
  index -= inRuns;
  if (index < everywhere) return stratum(index, everywhere, layout.bits, 1);
  // 22 exponents of both signs: strata of their fractions.
  index -= everywhere;
  const uint64_t binade = index % 44;
  const uint64_t fraction = stratum(index / 44, inside / 44 + 1, layout.fraction, 2 + binade);
  const uint64_t exponent = static_cast<uint64_t>(layout.bias - 14) + binade % 22;
  return (binade / 22) << (layout.bits - 1) | exponent << layout.fraction | fraction;
}

}  // namespace oracle_test
