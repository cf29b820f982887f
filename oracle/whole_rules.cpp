#include "oracle/whole_rules.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "oracle/rounding.h"

namespace oracle {

using fuser::DataType;
using fuser::OpKind;

namespace {

using LongInteger = __int128;

int bits(DataType dtype) { return static_cast<int>(8 * fuser::dtypeSize(dtype)); }

// The integer of the dtype that agrees with value in its bits.
int64_t low(LongInteger value, DataType dtype) {
  const LongInteger modulus = LongInteger{1} << bits(dtype);
  LongInteger rest = value % modulus;
  if (rest < 0) rest += modulus;
  if (rest >= modulus / 2 && !fuser::isUnsigned(dtype)) rest -= modulus;
  return static_cast<int64_t>(rest);
}

// Rounding towards minus infinity or zero; x / 0 = 0, as the language defines it.
LongInteger quotient(LongInteger a, LongInteger b, bool floors) {
  if (b == 0) return 0;
  const LongInteger truncated = a / b;
  return floors && a % b != 0 && (a < 0) != (b < 0) ? truncated - 1 : truncated;
}
LongInteger rest(LongInteger a, LongInteger b, bool floors) { return b == 0 ? 0 : a - quotient(a, b, floors) * b; }

Whole divided(OpKind op, const Whole& a, const Whole& b, DataType dtype) {
  const bool floors = op == OpKind::FloorDiv || op == OpKind::Remainder;
  if (!b.isSingle()) return fullRange(dtype);
  if (op == OpKind::TruncDiv || op == OpKind::FloorDiv) {
    const LongInteger ends[] = {quotient(a.lo, b.lo, floors), quotient(a.hi, b.lo, floors)};
    return wrapped(std::min(ends[0], ends[1]), std::max(ends[0], ends[1]), dtype);
  }
  const LongInteger first = rest(a.lo, b.lo, floors);
  const LongInteger last = rest(a.hi, b.lo, floors);
  // Without a jump of the quotient the rest rises with the dividend.
  if (a.isSingle() || (quotient(a.lo, b.lo, floors) == quotient(a.hi, b.lo, floors) && b.lo != 0)) {
    return {static_cast<int64_t>(first), static_cast<int64_t>(last)};
  }
  const LongInteger bound = b.lo < 0 ? -LongInteger{b.lo} : LongInteger{b.lo};
  return wrapped(-std::max<LongInteger>(bound - 1, 0), std::max<LongInteger>(bound - 1, 0), dtype);
}

Whole product(const Whole& a, const Whole& b, DataType dtype) {
  const LongInteger corners[] = {LongInteger{a.lo} * b.lo, LongInteger{a.lo} * b.hi, LongInteger{a.hi} * b.lo,
                                 LongInteger{a.hi} * b.hi};
  return wrapped(*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4), dtype);
}

Whole absoluteWhole(const Whole& a, DataType dtype) {
  if (a.lo >= 0) return a;
  if (a.hi <= 0) return wrapped(-LongInteger{a.hi}, -LongInteger{a.lo}, dtype);
  return wrapped(0, std::max(LongInteger{a.hi}, -LongInteger{a.lo}), dtype);
}

// Magnitude in the dtype: that of the smallest integer wraps to itself.
int64_t magnitude(int64_t a, DataType dtype) { return a < 0 ? low(-LongInteger{a}, dtype) : a; }

int64_t greatestDivisor(int64_t a, int64_t b, DataType dtype) {
  a = magnitude(a, dtype);
  b = magnitude(b, dtype);
  while (a != 0) {
    const int64_t rest = static_cast<int64_t>(LongInteger{b} % LongInteger{a});
    b = a;
    a = rest;
  }
  return b;
}

int64_t leastMultiple(int64_t a, int64_t b, DataType dtype) {
  const int64_t divisor = greatestDivisor(a, b, dtype);
  if (divisor == 0) return 0;
  const LongInteger multiple = low(quotient(a, divisor, false), dtype) * LongInteger{b};
  // 8 and 16 bits are multiplied as 32: their magnitude is taken before it wraps.
  if (bits(dtype) < 32) return low(multiple < 0 ? -multiple : multiple, dtype);
  return magnitude(low(multiple, dtype), dtype);
}

// Wraps after every multiplication: the low bits of a product depend on the factors' low bits alone.
int64_t powerOf(int64_t a, int64_t b, DataType dtype) {
  if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0;
  int64_t result = 1;
  for (; b != 0; b >>= 1) {
    if (b & 1) result = low(LongInteger{result} * a, dtype);
    a = low(LongInteger{a} * a, dtype);
  }
  return result;
}

// Of J. Salmon et al. (SC11), Philox4x32-10: ten times, half of the four words are the low ones of two products, and
// half their high ones beside the other words and the key, which grows.
int64_t randomWord(uint64_t counter, uint64_t key) {
  std::array<uint64_t, 4> word{counter & 0xFFFFFFFF, counter >> 32, 0, 0};
  std::array<uint64_t, 2> keys{key & 0xFFFFFFFF, key >> 32};
  for (int round = 0; round < 10; ++round) {
    const uint64_t even = word[0] * 0xD2511F53, odd = word[2] * 0xCD9E8D57;
    word = {(odd >> 32) ^ word[1] ^ keys[0], odd & 0xFFFFFFFF, (even >> 32) ^ word[3] ^ keys[1], even & 0xFFFFFFFF};
    keys = {(keys[0] + 0x9E3779B9) & 0xFFFFFFFF, (keys[1] + 0xBB67AE85) & 0xFFFFFFFF};
  }
  return static_cast<int64_t>(word[0] | word[1] << 32);
}

int64_t ofSingles(OpKind op, int64_t a, int64_t b, DataType dtype) {
  const int width = bits(dtype);
  if (op == OpKind::BitwiseAnd) return a & b;
  if (op == OpKind::BitwiseOr) return a | b;
  if (op == OpKind::BitwiseXor) return a ^ b;
  if (op == OpKind::LeftShift) return b < 0 || b >= width ? 0 : low(LongInteger{a} * (LongInteger{1} << b), dtype);
  if (op == OpKind::RightShift) return b < 0 || b >= width ? (a < 0 ? -1 : 0) : a >> b;
  if (op == OpKind::Gcd) return greatestDivisor(a, b, dtype);
  if (op == OpKind::Lcm) return leastMultiple(a, b, dtype);
  if (op == OpKind::Philox) return low(randomWord(static_cast<uint64_t>(a), static_cast<uint64_t>(b)), dtype);
  FUSER_CHECK(op == OpKind::Pow, "no rule for integers");
  return powerOf(a, b, dtype);
}

}  // namespace

Whole wrapped(LongInteger lo, LongInteger hi, DataType dtype) {
  const Whole full = fullRange(dtype);
  if (lo >= full.lo && hi <= full.hi) return {static_cast<int64_t>(lo), static_cast<int64_t>(hi)};
  const Whole ends{low(lo, dtype), low(hi, dtype)};
  const bool alike = hi - lo == LongInteger{ends.hi} - LongInteger{ends.lo};
  return alike ? ends : full;
}

Whole unaryWhole(OpKind op, const Whole& a, DataType dtype) {
  if (op == OpKind::Abs) return absoluteWhole(a, dtype);
  if (op == OpKind::Neg) return wrapped(-LongInteger{a.hi}, -LongInteger{a.lo}, dtype);
  if (op == OpKind::Relu) return {std::max<int64_t>(a.lo, 0), std::max<int64_t>(a.hi, 0)};
  if (op == OpKind::Relu6) return {std::clamp<int64_t>(a.lo, 0, 6), std::clamp<int64_t>(a.hi, 0, 6)};
  if (op == OpKind::Square) {
    const Whole size = absoluteWhole(a, dtype);
    return size.lo < 0 ? product(a, a, dtype) : product(size, size, dtype);
  }
  if (op == OpKind::Sign) return {(a.lo > 0) - (a.lo < 0), (a.hi > 0) - (a.hi < 0)};
  if (op == OpKind::BitwiseNot)
    return dtype == DataType::Bool ? logicalNot(a) : Whole{low(~a.hi, dtype), low(~a.lo, dtype)};
  FUSER_CHECK(op == OpKind::Floor || op == OpKind::Ceil || op == OpKind::Trunc || op == OpKind::Round,
              "no rule for integers");
  return a;
}

Whole binaryWhole(OpKind op, const Whole& a, const Whole& b, DataType dtype) {
  const bool boolean = dtype == DataType::Bool;
  if (op == OpKind::Maximum || op == OpKind::Fmax || op == OpKind::ClampMin) {
    return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
  }
  if (op == OpKind::Minimum || op == OpKind::Fmin || op == OpKind::ClampMax) {
    return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
  }
  if (op == OpKind::Add && boolean) return {a.lo | b.lo, a.hi | b.hi};
  if (op == OpKind::Mul && boolean) return {a.lo & b.lo, a.hi & b.hi};
  if (op == OpKind::Add) return wrapped(LongInteger{a.lo} + b.lo, LongInteger{a.hi} + b.hi, dtype);
  if (op == OpKind::Sub) return wrapped(LongInteger{a.lo} - b.hi, LongInteger{a.hi} - b.lo, dtype);
  if (op == OpKind::Mul) return product(a, b, dtype);
  if (op == OpKind::TruncDiv || op == OpKind::FloorDiv || op == OpKind::Fmod || op == OpKind::Remainder) {
    return divided(op, a, b, dtype);
  }
  // Bits, shifts, powers, divisors: of single operands alone.
  if (!a.isSingle() || !b.isSingle()) return fullRange(dtype);
  const int64_t value = ofSingles(op, a.lo, b.lo, dtype);
  return {value, value};
}

Order compare(const Whole& a, const Whole& b) {
  return {a.lo < b.hi, a.lo <= b.hi && b.lo <= a.hi, a.hi > b.lo, false};
}

Whole truth(const Whole& a) {
  const bool mayBeFalse = a.lo <= 0 && a.hi >= 0;
  return {mayBeFalse ? 0 : 1, a.lo == 0 && a.hi == 0 ? 0 : 1};
}

Whole classified(OpKind op, const Whole& a) {
  if (op == OpKind::LogicalNot) return logicalNot(truth(a));
  if (op == OpKind::Signbit) return {a.hi < 0 ? 1 : 0, a.lo < 0 ? 1 : 0};
  if (op == OpKind::IsFinite) return kTrue;
  FUSER_CHECK(op == OpKind::IsNan || op == OpKind::IsInf || op == OpKind::IsPosInf || op == OpKind::IsNegInf,
              "no rule for integers");
  return kFalse;
}

Whole logicalNot(const Whole& a) { return {1 - a.hi, 1 - a.lo}; }

Whole logical(OpKind op, const Whole& a, const Whole& b) {
  if (op == OpKind::LogicalAnd) return {a.lo & b.lo, a.hi & b.hi};
  if (op == OpKind::LogicalOr) return {a.lo | b.lo, a.hi | b.hi};
  FUSER_CHECK(op == OpKind::LogicalXor, "no logical op");
  return a.isSingle() && b.isSingle() ? Whole{a.lo ^ b.lo, a.lo ^ b.lo} : kEither;
}

Whole comparison(OpKind op, const Order& order) {
  const auto set = [](bool mayBeTrue, bool mayBeFalse) { return Whole{mayBeFalse ? 0 : 1, mayBeTrue ? 1 : 0}; };
  const auto [less, equal, greater, unordered] = order;
  if (op == OpKind::Eq) return set(equal, less || greater || unordered);
  if (op == OpKind::Ne) return set(less || greater || unordered, equal);
  if (op == OpKind::Lt) return set(less, equal || greater || unordered);
  if (op == OpKind::Le) return set(less || equal, greater || unordered);
  if (op == OpKind::Gt) return set(greater, less || equal || unordered);
  FUSER_CHECK(op == OpKind::Ge, "no comparison");
  return set(greater || equal, less || unordered);
}

Whole toWhole(const Interval& a, DataType to) {
  if (to == DataType::Bool) return truth(a);
  if (fuser::isUnsigned(to)) return toWhole(toWhole(a, DataType::Int64), to);  // which wraps
  const Whole full = fullRange(to);
  const double first = static_cast<double>(full.lo);  // exact: a power of two
  const double past = -first;
  Whole result{full.hi, full.lo};
  const auto include = [&](int64_t lo, int64_t hi) { result = hull(result, {lo, hi}); };
  if (a.has(kSpecials)) include(full.lo, full.lo);
  if (a.hasRange()) {
    const double lo = std::trunc(a.lo);
    const double hi = std::trunc(a.hi);
    if (lo < first || hi >= past) include(full.lo, full.lo);
    const double inLo = std::max(lo, first);
    if (inLo <= hi && inLo < past) {
      include(static_cast<int64_t>(inLo), hi >= past ? full.hi : static_cast<int64_t>(hi));
    }
  }
  return result;
}

Whole toWhole(const Whole& a, DataType to) { return to == DataType::Bool ? truth(a) : wrapped(a.lo, a.hi, to); }

Interval toReal(const Whole& a, DataType to) {
  const auto convert = [to](int64_t value) {
    if (to == DataType::Double) return static_cast<double>(value);
    return convertTo(static_cast<double>(static_cast<float>(value)), to);  // one rounding to f32, not two by way of f64
  };
  return roundTo({convert(a.lo), convert(a.hi), static_cast<uint8_t>(a.lo <= 0 && a.hi >= 0 ? kPosZero : 0)}, to);
}

Interval toReal(const Interval& a, DataType to) {
  if (to == DataType::Double) return a;
  const Interval single = roundTo(a, DataType::Float);
  return to == DataType::Float ? single : roundTo(single, to);
}

}  // namespace oracle
