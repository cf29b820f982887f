#pragma once
// Where a series of figures changes by more than its noise: a rank test at every place, calibrated by permutations.

#include <cstddef>
#include <vector>

namespace reports {

struct ChangePoint {
  size_t place = 0;  // the first value after the change
  double p = 1;      // of the whole search in its part of the series
};

// Places at which a series of values, in order of time, changes; in order. At most a share `level` of series that do
// not change get any.
//
// At each place the values before and after are compared by Mann and Whitney's test (rank_test.h), and the least of
// these p-values is what the series is judged by. If nothing changes, each order of the values is equally likely, so
// that the search's own p-value is the share of random orders with as small a least p-value: exact for every
// distribution, for ties and for any number of places (A. N. Pettitt, "A non-parametric approach to the change-point
// problem", 1979, for the search; E. S. Edgington, "Randomization Tests", for (1 + count) / (1 + orders)). The random
// orders have a fixed seed. The change is where a step fits the values best: with the least sum of distances from the
// medians before and after. The parts before and after a change are searched again, each at its share of `level` by
// length; then each change once more between its neighbours, where it stays, moves or goes.
//
// Values that depend on the ones before (a slow drift) are no noise in this sense, and are named as changes.
std::vector<ChangePoint> changePoints(const std::vector<double>& values, double level);

// Whether any order of these values could be a change: at least kFewestValues, and not all of them equal. It does not
// depend on their order, so that series without this need not count where a level is divided among many.
bool mayChange(const std::vector<double>& values);
inline constexpr size_t kFewestValues = 10;

// The least number of values in which a change can be found at this level, if all after it are larger than all before.
size_t fewestValues(double level);

}  // namespace reports
