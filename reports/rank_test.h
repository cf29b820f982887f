#pragma once
// Rank tests for two samples: nonparametric, so that they assume nothing about the distribution, and robust against
// outliers.

#include <cstddef>
#include <vector>

namespace reports {

struct RankTest {
  double u = 0;  // the number of pairs (x, y) with y > x; a tie counts 1/2
  double p = 1;  // two-sided p-value: the probability of a U at least as extreme if both distributions are equal
};

// Mann, Whitney, "On a test of whether one of two random variables is stochastically larger than the other", 1947.
// Exact up to 400 pairs without ties; otherwise the normal approximation with corrections for ties and continuity
// (Hollander, Wolfe, Chicken, "Nonparametric Statistical Methods", section 4.1). Neither sample may be empty.
RankTest mannWhitney(const std::vector<double>& x, const std::vector<double>& y);

struct Shift {
  double estimate = 0;       // Hodges-Lehmann: the median of all differences y - x
  double low = 0, high = 0;  // confidence interval; infinite if the samples are too small
};

// The shift between two samples with the confidence interval of the Mann-Whitney test (same book, section 4.3), at the
// given confidence in (0, 1). Uses the exact distribution of U up to 400 pairs, otherwise its normal approximation.
Shift shiftOf(const std::vector<double>& x, const std::vector<double>& y, double confidence);

// The middle value, or the mean of the two in the middle. The sample may not be empty.
double medianOf(std::vector<double> sample);

// P(U <= u) for samples of sizes n and m without ties, for u = 0 … n * m.
std::vector<double> distributionOfU(size_t n, size_t m);

}  // namespace reports
