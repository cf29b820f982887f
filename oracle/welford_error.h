#pragma once
// welfordError: how far Welford's method may be off, in whatever order it takes the terms and joins their parts.

#include <cstdint>

#include "fuser/types/dtype.h"

namespace oracle {

using LongReal = long double;  // 64 bits of precision: the reference's own error is 2^-11 of that of f64

struct WelfordSteps {
  int64_t count = 0;    // terms
  int64_t updates = 0;  // of one accumulator, at most
  int64_t joins = 0;    // on a path from an accumulator to the result, at most
};

// What is known of the terms.
struct WelfordTerms {
  LongReal mean = 0;       // at most, in magnitude
  LongReal largest = 0;    // magnitude
  LongReal deviation = 0;  // the root of the sum of squared distances from the mean
};

struct WelfordError {
  LongReal mean = 0;     // |computed - true| of the mean
  LongReal squares = 0;  // and of the sum of squared distances
};

// Both are infinite where one accumulator takes too many terms for the bound.
WelfordError welfordError(const WelfordSteps& steps, const WelfordTerms& terms, fuser::DataType compute);

}  // namespace oracle
