// How much wider than the errors that occur the sets of var and var_mean are: a table.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "fuser/ir/builder.h"
#include "oracle/interval.h"
#include "oracle/slice.h"
#include "tests/in_full.h"
#include "tests/oracle/random_welford.h"

namespace oracle_test {
namespace {

using fuser::DataType;
using fuser::OpKind;
using oracle::Interval;
using oracle::Value;

using fuser::inFull;

// The terms: a mean of `mean` deviations; uniform(0, 1) where it is negative.
struct Distribution {
  const char* name;
  double mean;
};
constexpr Distribution kDistributions[] = {
    {"normal(0, 1)", 0}, {"uniform(0, 1)", -1}, {"normal(100, 1)", 100}, {"normal(10000, 1)", 1e4}};

std::vector<float> drawTerms(Random& random, const Distribution& distribution, size_t count) {
  std::normal_distribution<double> normal(distribution.mean, 1);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<float> terms(count);
  for (float& term : terms) term = static_cast<float>(distribution.mean < 0 ? uniform(random) : normal(random));
  return terms;
}

// As a block of threads takes them: thread t terms t, t + threads, …; then halves join.
WelfordState<float> ofBlock(const std::vector<float>& terms, size_t threads) {
  std::vector<WelfordState<float>> parts(std::min(threads, terms.size()));
  for (size_t i = 0; i < terms.size(); ++i) update(parts[i % parts.size()], terms[i], false);
  while (parts.size() > 1) {
    const size_t half = (parts.size() + 1) / 2;
    for (size_t i = half; i < parts.size(); ++i) parts[i - half] = joined(parts[i - half], parts[i]);
    parts.resize(half);
  }
  return parts[0];
}

struct TrueValues {
  long double variance, mean;
};
TrueValues trueValuesOf(const std::vector<float>& terms) {
  long double mean = 0, squares = 0;
  for (float x : terms) mean += x;
  mean /= static_cast<long double>(terms.size());
  for (float x : terms) squares += (x - mean) * (x - mean);
  return {squares / static_cast<long double>(terms.size() - 1), mean};
}

struct Widths {
  long double error[2] = {0, 0};  // the largest that occurs, of variance and mean
  double width[2] = {0, 0};       // half of the widest set
  fuser::ReductionDepth depth;

  double ratio(size_t result) const { return width[result] / static_cast<double>(error[result]); }
  double aim() const { return 30 * std::sqrt(static_cast<double>(depth.total())); }
};

Widths widthsOf(Random& random, const Distribution& distribution, size_t count, size_t threads, size_t draws) {
  fuser::Fusion fusion("f");
  auto* x = fuser::build::input(fusion, DataType::Float, {fusion.extentSymbol("i0")}, "x");
  const fuser::Expr* expr =
      fuser::build::welford(fusion, OpKind::VarMean, x, {0}, 1, false, {"v", "m"})[0]->definition();
  Widths widths;
  for (size_t draw = 0; draw < draws; ++draw) {
    const std::vector<float> terms = drawTerms(random, distribution, count);
    const WelfordState<float> computed = ofBlock(terms, threads);
    const TrueValues truth = trueValuesOf(terms);
    widths.error[0] = std::max(widths.error[0], std::fabs(finishedVariance(computed, 1) - truth.variance));
    widths.error[1] = std::max(widths.error[1], std::fabs(computed.mean - truth.mean));
    widths.depth = computed.depth;
    if (draw % 100 != 0) continue;  // sets differ little from draw to draw
    std::vector<Interval> points;
    for (float term : terms) points.push_back(Interval::of(term));
    Value value;
    value.dtype = DataType::Float;
    value.sizes = {static_cast<int64_t>(count)};
    value.strides = {1};
    value.real = std::make_shared<const std::vector<Interval>>(std::move(points));
    for (size_t result : {0, 1}) {
      const Interval set = oracle::welford(*expr, result, value, computed.depth).realAt(0);
      widths.width[result] = std::max(widths.width[result], (set.hi - set.lo) / 2);
    }
  }
  return widths;
}

// Beyond the aim are, by up to 6 times, more terms than 1,000, and by up to 7 times the mean of terms about 0: the
// bound holds for the worst order, in which the mean of each accumulator strays and all of their errors point one way;
// of many accumulators and a random order they cancel.
TEST(WelfordBoundTest, IsWithinThirtyRootsOfTheDepthOfTheLargestError) {
  Random random(14);
  std::printf("%-18s %7s %8s %6s   %-22s %-22s %s\n", "terms", "n", "updates", "joins", "variance: set / error",
              "mean: set / error", "aim");
  for (const Distribution& distribution : kDistributions) {
    for (size_t count : {8, 100, 1000, 10000, 100000}) {
      for (size_t threads : {1, 32, 512}) {
        if (count / threads > 2000 || threads > count) continue;
        const size_t draws = count > 1000 ? (inFull() ? 200 : 20) : (inFull() ? 10000 : 500);
        const Widths widths = widthsOf(random, distribution, count, threads, draws);
        std::printf("%-18s %7zu %8lld %6lld   %-22.1f %-22.1f %.1f\n", distribution.name, count,
                    static_cast<long long>(widths.depth.updates), static_cast<long long>(widths.depth.joins),
                    widths.ratio(0), widths.ratio(1), widths.aim());
        for (size_t result : {0, 1}) {
          EXPECT_GE(widths.ratio(result), 1) << "an error beyond the bound";
          if (count > 1000 || (result == 1 && distribution.mean == 0)) continue;
          EXPECT_LE(widths.ratio(result), widths.aim())
              << (result ? "mean" : "variance") << " of " << distribution.name;
        }
      }
    }
  }
}

}  // namespace
}  // namespace oracle_test
