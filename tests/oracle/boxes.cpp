#include "tests/oracle/boxes.h"

#include <cmath>
#include <numbers>

#include "oracle/rounding.h"

namespace oracle_test {

using fuser::DataType;
using oracle::Interval;
using oracle::Whole;

namespace {

double uniform(Random& random, double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(random); }
int64_t integer(Random& random, int64_t lo, int64_t hi) {
  return std::uniform_int_distribution<int64_t>(lo, hi)(random);
}
bool chance(Random& random, double p) { return uniform(random, 0, 1) < p; }

double finite(double value, DataType dtype) {
  const double converted = oracle::convertTo(value, dtype);
  const double largest = oracle::format(dtype).largest;
  return std::clamp(converted, -largest, largest);
}

// A number next to which some function turns, jumps or ends.
double landmark(Random& random, DataType dtype) {
  static const double fixed[] = {0,      1,      -1,    0.5,      -0.5,   2,       -2,    3,      10,
                                 -10,    88.7,   -88.8, 88.72284, -104,   709.782, 709.9, -710.3, -745.13,
                                 11.089, -17.33, 65504, -65504,   3.4e38, -3.4e38, 1e-38, -1e-38, 0.6931471805599453};
  const int64_t kind = integer(random, 0, 5);
  if (kind == 0) return static_cast<double>(integer(random, -64, 64)) * std::numbers::pi / 2;
  if (kind == 1) return static_cast<double>(integer(random, -20, 20));
  if (kind == 2) return oracle::format(dtype).smallest * static_cast<double>(integer(random, -8, 8));
  if (kind == 3) return oracle::format(dtype).largest * (chance(random, 0.5) ? 1 : -1);
  return fixed[static_cast<size_t>(integer(random, 0, std::size(fixed) - 1))];
}

double anyNumber(Random& random, DataType dtype) {
  if (chance(random, 0.3)) return landmark(random, dtype);
  const double sign = chance(random, 0.5) ? 1 : -1;
  if (chance(random, 0.6)) return uniform(random, -10, 10);
  const double largest = std::log2(oracle::format(dtype).largest);
  return sign * std::exp2(uniform(random, -largest - 10, largest));
}

double stepped(double value, int64_t steps, DataType dtype) {
  return value + static_cast<double>(steps) * oracle::ulp(value, dtype);
}

uint8_t randomZeros(Random& random) {
  const int64_t kind = integer(random, 0, 2);
  return kind == 0 ? oracle::kPosZero : kind == 1 ? oracle::kNegZero : oracle::kZeros;
}

}  // namespace

Interval randomInterval(Random& random, DataType dtype) {
  Interval set;
  if (chance(random, 0.94)) {
    double lo = anyNumber(random, dtype);
    double hi = lo;
    const int64_t kind = integer(random, 0, 9);
    if (kind >= 3 && kind <= 5) hi = stepped(lo, integer(random, 1, 6), dtype);
    if (kind == 6) hi = lo + std::fabs(lo) * uniform(random, 0, 0.01);
    if (kind == 7) hi = lo + uniform(random, 0, 8);
    if (kind >= 8) hi = anyNumber(random, dtype);
    lo = finite(lo, dtype);
    hi = finite(hi, dtype);
    set.lo = std::min(lo, hi) + 0.0;
    set.hi = std::max(lo, hi) + 0.0;
    if (set.hasZero()) set.flags |= randomZeros(random);
  }
  const double special = set.hasRange() ? 0.06 : 0.5;
  for (uint8_t flag : {oracle::kNan, oracle::kPosInf, oracle::kNegInf}) {
    if (chance(random, special)) set.flags |= flag;
  }
  if (!oracle::format(dtype).hasInfinities && set.has(oracle::kInfs))
    set.flags = static_cast<uint8_t>((set.flags & ~oracle::kInfs) | oracle::kNan);
  return set.empty() ? Interval::of(1) : set;
}

Whole randomWhole(Random& random, DataType dtype) {
  const Whole full = oracle::fullRange(dtype);
  if (dtype == DataType::Bool)
    return chance(random, 0.3) ? oracle::kEither : chance(random, 0.5) ? oracle::kTrue : oracle::kFalse;
  const auto number = [&] {
    const int64_t kind = integer(random, 0, 5);
    if (kind == 0) return integer(random, full.lo, full.hi);
    if (kind == 1) return full.lo + integer(random, 0, 3);
    if (kind == 2) return full.hi - integer(random, 0, 3);
    return std::max(integer(random, -20, 20), full.lo);
  };
  const int64_t a = number();
  const int64_t b = chance(random, 0.5) ? a : number();
  return {std::min(a, b), std::max(a, b)};
}

std::vector<double> samples(Random& random, const Interval& set, DataType dtype, size_t count) {
  std::vector<double> result;
  if (set.has(oracle::kNan)) result.push_back(std::nan(""));
  if (set.has(oracle::kPosInf)) result.push_back(oracle::kInfinity);
  if (set.has(oracle::kNegInf)) result.push_back(-oracle::kInfinity);
  if (!set.hasRange()) return result;
  const auto add = [&](double value) {
    const double inside = std::clamp(finite(value, dtype), set.lo, set.hi);
    if (inside != 0) {
      result.push_back(inside);
      return;
    }
    if (set.has(oracle::kPosZero)) result.push_back(0.0);
    if (set.has(oracle::kNegZero)) result.push_back(-0.0);
  };
  add(set.lo);
  add(set.hi);
  if (set.hasZero()) add(0);
  while (result.size() < count) {
    const int64_t kind = integer(random, 0, 3);
    if (kind == 0) add(landmark(random, dtype));
    if (kind == 1) add(stepped(chance(random, 0.5) ? set.lo : set.hi, integer(random, -3, 3), dtype));
    if (kind >= 2) add(set.lo / 2 + set.hi / 2 + (set.hi / 2 - set.lo / 2) * uniform(random, -1, 1));
  }
  return result;
}

std::vector<int64_t> samples(Random& random, const Whole& set, size_t count) {
  std::vector<int64_t> result{set.lo, set.hi};
  const auto add = [&](int64_t value) { result.push_back(std::clamp(value, set.lo, set.hi)); };
  add(0);
  while (result.size() < count) add(chance(random, 0.5) ? integer(random, set.lo, set.hi) : integer(random, -3, 3));
  return result;
}

}  // namespace oracle_test
