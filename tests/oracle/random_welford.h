#pragma once
// Welford's method on terms in a random order, split over a random number of accumulators that are joined in pairs:
// any order that a correct engine may choose, implemented independently of the compiler.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "fuser/types/reduction_depth.h"
#include "tests/oracle/boxes.h"

namespace oracle_test {

template <class T>
struct WelfordState {
  T mean = 0;
  T squares = 0;
  int64_t count = 0;
  fuser::ReductionDepth depth;
};

// contraction: a product may reach the sum after it unrounded.
template <class T>
void update(WelfordState<T>& state, T term, bool contraction) {
  ++state.count;
  ++state.depth.updates;
  const T before = term - state.mean;
  const T step = before / static_cast<T>(state.count);
  state.mean = state.mean + step;
  const T after = term - state.mean;
  state.squares = contraction ? std::fma(before, after, state.squares) : state.squares + before * after;
}

// From the larger part, a.
template <class T>
WelfordState<T> joinedSmaller(const WelfordState<T>& a, const WelfordState<T>& b) {
  WelfordState<T> merged = a;
  merged.depth = deeper(a.depth, b.depth);
  ++merged.depth.joins;
  if (b.count == 0) return merged;
  merged.count = a.count + b.count;
  const T distance = b.mean - a.mean;
  const T share = static_cast<T>(b.count) / static_cast<T>(merged.count);
  merged.mean = a.mean + distance * share;
  merged.squares = a.squares + b.squares + distance * distance * static_cast<T>(a.count) * share;
  return merged;
}

template <class T>
WelfordState<T> joined(const WelfordState<T>& a, const WelfordState<T>& b) {
  return a.count < b.count ? joinedSmaller(b, a) : joinedSmaller(a, b);
}

// depth grows to that of the tree.
template <class T>
WelfordState<T> welfordAtRandom(Random& random, const T* terms, int64_t count, bool contraction,
                                fuser::ReductionDepth& depth) {
  std::vector<T> order(terms, terms + count);
  std::shuffle(order.begin(), order.end(), random);
  std::vector<WelfordState<T>> parts(1 + random() % static_cast<uint64_t>(std::clamp<int64_t>(count, 1, 64)));
  for (size_t i = 0; i < order.size(); ++i) update(parts[i % parts.size()], order[i], contraction && random() % 2 == 0);
  while (parts.size() > 1) {
    std::vector<WelfordState<T>> next;
    for (size_t i = 0; i + 1 < parts.size(); i += 2) next.push_back(joined(parts[i], parts[i + 1]));
    if (parts.size() % 2) next.push_back(parts.back());
    parts = std::move(next);
  }
  depth = deeper(depth, parts[0].depth);
  return parts[0];
}

template <class T>
T finishedVariance(const WelfordState<T>& state, int64_t correction) {
  if (state.count == 0) return std::numeric_limits<T>::quiet_NaN();
  return state.squares / static_cast<T>(std::max<int64_t>(0, state.count - correction));
}

template <class T>
T finishedMean(const WelfordState<T>& state) {
  return state.count == 0 ? std::numeric_limits<T>::quiet_NaN() : state.mean;
}

}  // namespace oracle_test
