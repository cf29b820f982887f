#pragma once
// Two samples compared by ranks: nothing is assumed of how the measurements scatter, and an outlier counts as one
// measurement.

#include <cstddef>
#include <vector>

namespace reports {

struct RankTest {
  double u = 0;  // pairs (x, y) with y > x; a tie counts half
  double p = 1;  // two-sided: how likely at least so uneven a U is when both samples come from one distribution
};

// Mann, Whitney: On a test of whether one of two random variables is stochastically larger than the other, 1947. Exact
// up to 400 pairs without ties; otherwise the normal approximation with the correction for ties and for continuity
// (Hollander, Wolfe, Chicken: Nonparametric statistical methods, section 4.1). Both samples hold something.
RankTest mannWhitney(const std::vector<double>& x, const std::vector<double>& y);

struct Shift {
  double estimate = 0;       // Hodges and Lehmann: the median of all differences y - x
  double low = 0, high = 0;  // confidence interval; infinite where the samples are too small for it
};

// The interval that goes with the Mann-Whitney test (same book, section 4.3), at the given confidence in (0, 1). By the
// exact distribution of U up to 400 pairs, beyond by its normal approximation.
Shift shiftOf(const std::vector<double>& x, const std::vector<double>& y, double confidence);

// P(U <= u) of samples of n and m without ties, for u = 0 … n * m.
std::vector<double> distributionOfU(size_t n, size_t m);

}  // namespace reports
