#pragma once
// The set of values that an element may take (oracle/ORACLE.md#3-sets): Interval for floating dtypes, Whole for
// integers and bool. Value: a set for each element of a tensor or scalar.
//
// Interval arithmetic (R. E. Moore, Interval Analysis, 1966) with f64 bounds. NaN, infinities and the sign of zero are
// flags apart from the range, because a correct compiler may change one without the other.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fuser/types/dims.h"
#include "fuser/types/dtype.h"
#include "fuser/types/sum_forms.h"

namespace oracle {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

enum Flag : uint8_t {
  kNan = 1,
  kPosInf = 2,
  kNegInf = 4,
  kPosZero = 8,   // a zero in the range may be +0
  kNegZero = 16,  // a zero in the range may be -0
  kInfs = kPosInf | kNegInf,
  kZeros = kPosZero | kNegZero,
  kSpecials = kNan | kInfs,
};

// The finite values in [lo, hi] (none if lo > hi) and the special values that the flags allow. A range that contains 0
// has a zero flag; without 0 in the range, zero flags have no meaning. lo and hi are finite.
struct Interval {
  double lo = kInfinity;
  double hi = -kInfinity;
  uint8_t flags = 0;

  bool hasRange() const { return lo <= hi; }
  bool hasZero() const { return lo <= 0 && hi >= 0; }
  bool has(uint8_t any) const { return (flags & any) != 0; }
  bool mayBePositive() const { return (hasRange() && hi > 0) || has(kPosInf) || (hasZero() && has(kPosZero)); }
  bool mayBeNegative() const { return (hasRange() && lo < 0) || has(kNegInf) || (hasZero() && has(kNegZero)); }
  bool hasNumber() const { return hasRange() || has(kInfs); }
  // One number; the sign of a zero may be open.
  bool isPoint() const { return lo == hi && !has(kSpecials); }
  bool empty() const { return !hasRange() && !has(kSpecials); }
  // The smallest and the largest value other than NaN; requires hasNumber().
  double least() const { return has(kNegInf) ? -kInfinity : hasRange() ? lo : kInfinity; }
  double greatest() const { return has(kPosInf) ? kInfinity : hasRange() ? hi : -kInfinity; }
  // Exactly one value, including the sign of a zero.
  bool isSingle() const;
  double single() const;  // that value; requires isSingle()
  // isSingle(), or a zero of open sign.
  bool isOneNumber() const { return isSingle() || (lo == 0 && hi == 0 && !has(kSpecials)); }

  static Interval of(double value);  // the set of this value alone, including the sign of a zero
  static Interval range(double lo, double hi, uint8_t flags) { return {lo, hi, flags}; }
  static Interval everything(double largest) { return {-largest, largest, kSpecials | kZeros}; }
};

inline Interval Interval::of(double value) {
  if (value - value == 0 && value != 0) return {value, value, 0};
  if (value != value) return {kInfinity, -kInfinity, kNan};
  if (value == kInfinity) return {kInfinity, -kInfinity, kPosInf};
  if (value == -kInfinity) return {kInfinity, -kInfinity, kNegInf};
  return {0, 0, static_cast<uint8_t>(1 / value < 0 ? kNegZero : kPosZero)};
}

inline bool Interval::isSingle() const {
  const uint8_t specials = flags & kSpecials;
  if (hasRange())
    return lo == hi && specials == 0 && (lo != 0 || (flags & kZeros) == kPosZero || (flags & kZeros) == kNegZero);
  return specials == kNan || specials == kPosInf || specials == kNegInf;
}

inline double Interval::single() const {
  if (hasRange()) return lo == 0 && has(kNegZero) ? -0.0 : lo == 0 ? 0.0 : lo;
  return has(kNan) ? std::numeric_limits<double>::quiet_NaN() : has(kPosInf) ? kInfinity : -kInfinity;
}

inline Interval hull(const Interval& a, const Interval& b) {
  Interval result{std::min(a.lo, b.lo), std::max(a.hi, b.hi), static_cast<uint8_t>(a.flags | b.flags)};
  // The hull of a negative and a positive range contains a zero that neither of them has.
  if (result.hasZero() && !result.has(kZeros)) result.flags |= kZeros;
  return result;
}

// The integers in [lo, hi], inclusive, for i64, i32, i8 or bool (0, 1), inside the dtype's range; never empty.
struct Whole {
  int64_t lo = 0;
  int64_t hi = 0;
  bool isSingle() const { return lo == hi; }
};
inline Whole hull(const Whole& a, const Whole& b) { return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)}; }
inline constexpr Whole kFalse{0, 0};
inline constexpr Whole kTrue{1, 1};
inline constexpr Whole kEither{0, 1};
Whole fullRange(fuser::DataType dtype);

// Whose functions a run called: any within the error columns, those of Linux's C library, or CUDA's on a GPU that is as
// bad as PTX's manual allows (worst_by_manual.def).
enum class MathLibrary : uint8_t { Any, Glibc, WorstByManual };

struct Profile;

// What a run's options and its engine leave open.
struct Arithmetic {
  bool contraction = false;  // a multiply and an add of one kernel may become an FMA
  MathLibrary library = MathLibrary::Any;
  const Profile* profile = nullptr;  // of another compiler, whose rules count instead; null: our own
  bool flushesAdds = false;          // what atomics of a GPU add in f32 may be taken for 0 where it is subnormal
  std::optional<fuser::SumForms> forms = {};  // of the sum at hand, with contraction; nullopt: any
};

// The range of a product before rounding, for an FMA that uses it (see Arithmetic::contraction).
struct Unrounded {
  double lo;
  double hi;
  bool ofFloat = false;  // its rounding is to f32, which a cast to f64 and back is not
  Unrounded operator-() const { return {-hi, -lo, ofFloat}; }
};
inline Unrounded hull(const Unrounded& a, const Unrounded& b) {
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi), a.ofFloat && b.ofFloat};
}

// The sets of a value's elements: either `real` or `whole` is set. The set of element [i0, …] is at offset sum(i *
// stride); strides are 0 along axes with a single stored element (broadcast, expanded). Scalars have rank 0.
struct Value {
  fuser::DataType dtype = fuser::DataType::Double;
  fuser::Dims sizes;
  fuser::Dims strides;
  std::shared_ptr<const std::vector<Interval>> real;
  std::shared_ptr<const std::vector<Whole>> whole;
  std::shared_ptr<const std::vector<Unrounded>> products;  // parallel to `real`, or null
  std::shared_ptr<const std::vector<double>> scales;       // for sums: sum(|term|), parallel to `real`; or null
  // Parallel to `whole`, or null: the members of each set, where they are not all between its ends; else none.
  std::shared_ptr<const std::vector<std::vector<int64_t>>> candidates = nullptr;

  const Interval& realAt(int64_t offset) const { return (*real)[static_cast<size_t>(offset)]; }
  const Whole& wholeAt(int64_t offset) const { return (*whole)[static_cast<size_t>(offset)]; }
};

// The product before its rounding, where the operand keeps one: a copy may still meet its sum in one kernel.
inline Unrounded unroundedAt(const Value& value, int64_t offset) {
  if (value.products) return (*value.products)[static_cast<size_t>(offset)];
  return {value.realAt(offset).lo, value.realAt(offset).hi, value.dtype == fuser::DataType::Float};
}

inline constexpr int kAllDigits = 17;  // of a double: enough to distinguish any two
// The smallest number of significant digits, at least 6, with which numbers that differ also print differently.
int digitsToTellApart(std::initializer_list<double> numbers);
std::string toString(const Interval& set, int digits = kAllDigits);  // "[1, 2] or nan"
std::string toString(const Whole& set, fuser::DataType dtype);      // "[1, 2]", "true or false"

}  // namespace oracle
