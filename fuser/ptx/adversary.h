#pragma once
// adversarial(): of the numbers that the bound of a row of approximations.def allows, one that the function and its
// operands alone decide, so that a kernel sees one function of theirs; .ftz changes it by what it flushes alone. A
// program that is right on any device is right with it.
//
// Half of all results are the ends of the bound, as many upper as lower ones. Of operands that are zeros, infinities or
// NaNs, the results are the nearest ones, which the manual has tables of, and so are results that are zeros, infinities
// or NaNs there.

#include <algorithm>
#include <numbers>

#include "fuser/ptx/approximate.h"
#include "fuser/ptx/lanes.h"
#include "fuser/support/split_mix.h"

namespace fuser::ptx::approximate {

// --- bounds ---

struct Bound {
  enum class Kind : uint8_t {
    Exact,     // the nearest number itself
    Ulps,      // so many numbers from the nearest one
    Relative,  // from the exact result
    Absolute,  // from the exact result
    UpTo,      // of any result's magnitude
    Only       // this number
  };
  Kind kind;
  double size;
};
constexpr Bound exact() { return {Bound::Kind::Exact, 0}; }
constexpr Bound ulps(int count) { return {Bound::Kind::Ulps, static_cast<double>(count)}; }
constexpr Bound relative(double error) { return {Bound::Kind::Relative, error}; }
constexpr Bound absolute(double error) { return {Bound::Kind::Absolute, error}; }
constexpr Bound upTo(double magnitude) { return {Bound::Kind::UpTo, magnitude}; }
constexpr Bound only(double number) { return {Bound::Kind::Only, number}; }

// What bounds are made of.
inline constexpr double kPi = std::numbers::pi;
inline double twoTo(double exponent) { return std::exp2(exponent); }
inline bool isWithin(double a, double size) { return std::fabs(a) <= size; }
inline bool isZeroOrInfinite(double a) { return a == 0 || std::isinf(a); }
inline bool isInteger(double a) { return a == std::floor(a); }
inline bool isPowerOfTwo(double a) {
  int exponent = 0;
  return std::fabs(std::frexp(a, &exponent)) == 0.5;
}
inline bool isPowerOfFour(double a) {
  int exponent = 0;
  return std::frexp(a, &exponent) == 0.5 && exponent % 2 != 0;
}

// --- numbers that a bound allows ---

template <class Number>
bool isSubnormal(Number value) {
  return static_cast<double>(flushed(value)) != static_cast<double>(value) && value == value;
}

// Places in the order of the numbers: neighbours are 1 apart. Both zeros have place 0.
template <class Lane>
int64_t placeOf(typename Lane::Value value) {
  constexpr uint64_t kSign = uint64_t{1} << (8 * sizeof(typename Lane::Stored) - 1);
  const uint64_t bits = Lane::encode(value);
  const auto size = static_cast<int64_t>(bits & (kSign - 1));
  return bits & kSign ? -size : size;
}
template <class Lane>
typename Lane::Value numberAt(int64_t place) {
  using Stored = typename Lane::Stored;
  constexpr uint64_t kSign = uint64_t{1} << (8 * sizeof(Stored) - 1);
  const auto size = static_cast<uint64_t>(place < 0 ? -place : place);
  return Lane::decode(static_cast<Stored>(place < 0 ? size | kSign : size));
}

struct Places {
  int64_t lowest, highest;
};

// From `count` numbers below to as many above, in magnitude: no zero, no infinity, and none that flushing would move
// further.
template <class Lane>
Places placesAround(typename Lane::Value nearest, int64_t count) {
  const int64_t size = std::abs(placeOf<Lane>(nearest));
  Places sizes{std::max<int64_t>(size - count, 1), size + count};
  while (isSubnormal(numberAt<Lane>(sizes.lowest)) && !isSubnormal(nearest)) ++sizes.lowest;
  while (!std::isfinite(static_cast<double>(numberAt<Lane>(sizes.highest)))) --sizes.highest;
  return placeOf<Lane>(nearest) < 0 ? Places{-sizes.highest, -sizes.lowest} : sizes;
}

// From the first number that is not below `least` to the last that is not above `most`.
template <class Lane>
Places placesBetween(double least, double most) {
  using Number = typename Lane::Value;
  Places places{placeOf<Lane>(rounded<Number>(least)), placeOf<Lane>(rounded<Number>(most))};
  if (static_cast<double>(numberAt<Lane>(places.lowest)) < least) ++places.lowest;
  if (static_cast<double>(numberAt<Lane>(places.highest)) > most) --places.highest;
  return places;
}

template <class Lane>
Places placesWithin(const Bound& bound, double exact, typename Lane::Value nearest) {
  // What doubles add to the error is less than 2^-27 of a bound.
  const double error = bound.size * (1 - 0x1p-26);
  Places places{};
  switch (bound.kind) {
    case Bound::Kind::Ulps: return placesAround<Lane>(nearest, static_cast<int64_t>(bound.size));
    case Bound::Kind::UpTo: return placesBetween<Lane>(-bound.size, bound.size);
    case Bound::Kind::Relative:
      places = placesBetween<Lane>(exact - std::fabs(exact) * error, exact + std::fabs(exact) * error);
      break;
    case Bound::Kind::Absolute: places = placesBetween<Lane>(exact - error, exact + error); break;
    default: places = {placeOf<Lane>(nearest), placeOf<Lane>(nearest)};
  }
  // A bound that is smaller than the distance of numbers may hold none: then the nearest one it is.
  return {std::min(places.lowest, placeOf<Lane>(nearest)), std::max(places.highest, placeOf<Lane>(nearest))};
}

// Half of all are the ends.
inline int64_t drawn(const Places& places, uint64_t hash) {
  if (hash % 4 == 0) return places.lowest;
  if (hash % 4 == 1) return places.highest;
  return places.lowest + static_cast<int64_t>((hash >> 2) % static_cast<uint64_t>(places.highest - places.lowest + 1));
}

template <class F, class... Doubles>
uint64_t hashOf(Doubles... operands) {
  uint64_t hash = F::kNumber;
  ((hash = splitMix64(hash ^ std::bit_cast<uint64_t>(operands))), ...);
  return hash;
}

template <class F, class Lane, class... Doubles>
typename Lane::Value resultWithin(const Bound& bound, Doubles... operands) {
  using Number = typename Lane::Value;
  if (bound.kind == Bound::Kind::Only) return rounded<Number>(bound.size);
  const double exact = F::of(operands...);
  const auto nearest = rounded<Number>(exact);
  const bool isSpecial = isZeroOrInfinite(static_cast<double>(nearest)) || (isZeroOrInfinite(operands) || ...);
  if (isSpecial || exact != exact) return nearest;
  return numberAt<Lane>(drawn(placesWithin<Lane>(bound, exact, nearest), hashOf<F>(operands...)));
}

// The nearest number, but where the manual says what it is: then that one.
template <class F, bool kFlushes, class BoundOf>
float nearestButGiven(BoundOf boundOf, float a, float b) {
  const Bound bound = boundOf(static_cast<double>(kept<kFlushes>(a)), static_cast<double>(kept<kFlushes>(b)));
  return bound.kind == Bound::Kind::Only ? rounded<float>(bound.size) : nearest<F, kFlushes>(a, b);
}

// `boundOf`: of the operands as doubles.
template <class F, bool kFlushes, class Lane, class BoundOf, class... Numbers>
typename Lane::Value adversarial(BoundOf boundOf, Numbers... operands) {
  const auto result = [&](auto... in) { return resultWithin<F, Lane>(boundOf(in...), in...); };
  return kept<kFlushes>(result(static_cast<double>(kept<kFlushes>(operands))...));
}

// Of f64 the lower word of the operand does not count, and that of the result is 0. Within `size` units of the upper
// word.
template <class F, class BoundOf>
double adversarialUpper(BoundOf boundOf, double operand) {
  const double a = flushed(upper(operand)), below = upper(flushed(F::of(a)));
  if (below != below) return std::bit_cast<double>(0x7fffffff00000000u);
  const Bound bound = boundOf(a);
  if (bound.kind == Bound::Kind::Exact || below == 0 || std::isinf(below)) return below;
  const auto size = static_cast<int64_t>(bound.size);
  const int64_t units = drawn({1 - size, size}, hashOf<F>(a));
  return std::bit_cast<double>(std::bit_cast<uint64_t>(below) + (static_cast<uint64_t>(units) << 32));
}

}  // namespace fuser::ptx::approximate
