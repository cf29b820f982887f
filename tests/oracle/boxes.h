#pragma once
// Boxes: random sets of operands where rules go wrong (poles, jumps, zeros, infinities, denormals, extremes), and
// samples inside them.

#include <random>
#include <vector>

#include "oracle/interval.h"

namespace oracle_test {

using Random = std::mt19937_64;

// Ends are values of the dtype.
oracle::Interval randomInterval(Random& random, fuser::DataType dtype);
oracle::Whole randomWhole(Random& random, fuser::DataType dtype);

// Values of the dtype that the set allows: ends, zeros, specials, points next to where functions turn, and random ones.
std::vector<double> samples(Random& random, const oracle::Interval& set, fuser::DataType dtype, size_t count);
std::vector<int64_t> samples(Random& random, const oracle::Whole& set, size_t count);

}  // namespace oracle_test
