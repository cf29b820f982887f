#pragma once
// Boxes: random sets of operands at which rules are likely to be wrong (poles, jumps, zeros, infinities, denormals,
// extremes), and samples inside them.

#include <random>
#include <vector>

#include "oracle/interval.h"

namespace oracle_test {

using Random = std::mt19937_64;

// The bounds are values of the dtype.
oracle::Interval randomInterval(Random& random, fuser::DataType dtype);
oracle::Whole randomWhole(Random& random, fuser::DataType dtype);

// Values of the dtype that the set allows: bounds, zeros, specials, points near extrema, and random ones.
std::vector<double> samples(Random& random, const oracle::Interval& set, fuser::DataType dtype, size_t count);
std::vector<int64_t> samples(Random& random, const oracle::Whole& set, size_t count);

}  // namespace oracle_test
