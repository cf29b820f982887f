#pragma once
// One step of a tensor core, as hardware was seen to make it (oracle/sum.h, accumulatorOfMma).

#include <algorithm>
#include <cmath>
#include <span>

namespace oracle_test {

// `sum` and some exact terms, each cut at the last of so many places of the largest one, rounded to f32: to the nearest
// number, or towards zero (`cutsResult`). Where one is infinite or NaN, what plain addition gives.
inline float cutSum(float sum, std::span<const double> terms, int places, bool cutsResult) {
  double largest = std::fabs(static_cast<double>(sum)), plain = sum;
  for (double term : terms) {
    largest = std::fmax(largest, std::fabs(term));
    plain += term;
  }
  if (!std::isfinite(plain)) return static_cast<float>(plain);
  if (largest == 0) return 0;
  const double unit = std::ldexp(1.0, std::ilogb(largest) + 1 - places);
  double total = std::trunc(sum / unit);
  for (double term : terms) total += std::trunc(term / unit);
  const double exact = total * unit;
  const auto nearest = static_cast<float>(exact);
  return cutsResult && std::fabs(nearest) > std::fabs(exact) ? std::nextafter(nearest, 0.0f) : nearest;
}

}  // namespace oracle_test
