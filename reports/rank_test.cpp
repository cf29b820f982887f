#include "reports/rank_test.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "fuser/support/check.h"

namespace reports {
namespace {

constexpr size_t kExactPairs = 400;

// P(Z <= z) of the standard normal distribution.
double normal(double z) { return std::erfc(-z / std::sqrt(2.0)) / 2; }

// Sum of t^3 - t over groups of t equal values in both samples.
double tieTerm(const std::vector<double>& x, const std::vector<double>& y) {
  std::map<double, double> counts;
  for (double value : x) ++counts[value];
  for (double value : y) ++counts[value];
  double sum = 0;
  for (const auto& [value, count] : counts) sum += count * count * count - count;
  return sum;
}

}  // namespace

double medianOf(std::vector<double> sample) {
  FUSER_CHECK(!sample.empty(), "an empty sample");
  std::sort(sample.begin(), sample.end());
  return (sample[(sample.size() - 1) / 2] + sample[sample.size() / 2]) / 2;
}

std::vector<double> distributionOfU(size_t n, size_t m) {
  // ways[j][u]: orders of i values of x and j of y with u pairs y > x; the recursion of Mann and Whitney by whose value
  // is the largest: one of y adds i pairs, one of x adds none.
  std::vector<std::vector<double>> ways(m + 1, std::vector<double>(n * m + 1, 0));
  for (size_t j = 0; j <= m; ++j) ways[j][0] = 1;
  for (size_t i = 1; i <= n; ++i) {
    // ways[0] stays: without y there is one order, with no pairs.
    for (size_t j = 1; j <= m; ++j) {
      for (size_t u = n * m + 1; u-- > 0;) ways[j][u] += u >= i ? ways[j - 1][u - i] : 0;
    }
  }
  std::vector<double> cumulative = ways[m];
  for (size_t u = 1; u < cumulative.size(); ++u) cumulative[u] += cumulative[u - 1];
  const double all = cumulative.back();
  for (double& value : cumulative) value /= all;
  return cumulative;
}

RankTest mannWhitney(const std::vector<double>& x, const std::vector<double>& y) {
  FUSER_CHECK(!x.empty() && !y.empty(), "an empty sample");
  RankTest test;
  for (double a : x) {
    for (double b : y) test.u += b > a ? 1 : b == a ? 0.5 : 0;
  }
  const double n = static_cast<double>(x.size()), m = static_cast<double>(y.size());
  const double ties = tieTerm(x, y);
  if (ties == 0 && x.size() * y.size() <= kExactPairs) {
    const double lesser = std::min(test.u, n * m - test.u);
    test.p = std::min(1.0, 2 * distributionOfU(x.size(), y.size())[static_cast<size_t>(lesser)]);
    return test;
  }
  const double total = n + m;
  const double variance = n * m / 12 * (total + 1 - ties / (total * (total - 1)));
  if (!(variance > 0)) return test;  // all values are equal
  const double distance = std::max(0.0, std::fabs(test.u - n * m / 2) - 0.5);
  test.p = std::min(1.0, 2 * normal(-distance / std::sqrt(variance)));
  return test;
}

Shift shiftOf(const std::vector<double>& x, const std::vector<double>& y, double confidence) {
  FUSER_CHECK(!x.empty() && !y.empty(), "an empty sample");
  std::vector<double> differences;
  for (double a : x) {
    for (double b : y) differences.push_back(b - a);
  }
  std::sort(differences.begin(), differences.end());
  const size_t pairs = differences.size();
  Shift shift;
  shift.estimate = (differences[(pairs - 1) / 2] + differences[pairs / 2]) / 2;
  // So many differences lie below the interval, and as many above.
  const double tail = (1 - confidence) / 2;
  size_t outside = 0;
  if (pairs <= kExactPairs) {
    const std::vector<double> cumulative = distributionOfU(x.size(), y.size());
    while (outside < cumulative.size() && cumulative[outside] <= tail) ++outside;
  } else {
    const double n = static_cast<double>(x.size()), m = static_cast<double>(y.size());
    double z = 0;
    while (normal(-z) > tail) z += 1e-3;
    const double place = n * m / 2 - z * std::sqrt(n * m * (n + m + 1) / 12);
    outside = place > 0 ? static_cast<size_t>(place) : 0;
  }
  const double infinity = std::numeric_limits<double>::infinity();
  const bool known = outside > 0 && 2 * outside <= pairs;
  shift.low = known ? differences[outside - 1] : -infinity;
  shift.high = known ? differences[pairs - outside] : infinity;
  return shift;
}

}  // namespace reports
