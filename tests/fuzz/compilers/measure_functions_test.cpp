// Errors of functions against MPFR.

#include "fuzz/compilers/measure_functions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "oracle/rounding.h"

namespace fuser::fuzz {
namespace {

std::vector<double> mapped(const std::vector<double>& x, double (*f)(double)) {
  std::vector<double> results;
  for (const double one : x) results.push_back(static_cast<double>(static_cast<float>(f(one))));
  return results;
}

TEST(MeasureFunctionsTest, ACorrectlyRoundedResultIsOffByHalfAnUlpAtMost) {
  const std::vector<double> x = {-8, -1.5, 0, 0.25, 1, 3, 20};
  for (const auto& [op, f] : {std::pair<OpKind, double (*)(double)>{OpKind::Exp, std::exp},
                              {OpKind::Tanh, std::tanh},
                              {OpKind::Sigmoid, [](double a) { return 1 / (1 + std::exp(-a)); }},
                              {OpKind::Gelu, [](double a) { return a * 0.5 * std::erfc(-a / std::sqrt(2.0)); }}}) {
    const Measurement measured = errorOfResults(op, DataType::Float, false, x, x, mapped(x, f));
    ASSERT_TRUE(measured.error) << measured.why;
    EXPECT_LE(measured.error->ulps, 0.5);
    EXPECT_EQ(measured.error->most, oracle::format(DataType::Float).largest);
  }
}

TEST(MeasureFunctionsTest, AnErrorIsCountedInUlpsOfTheTrueValue) {
  std::vector<double> results = mapped({1, 9, 10}, std::exp);
  results[1] += 3 * oracle::ulp(results[1], DataType::Float);
  const std::vector<double> x = {1, 9, 10};
  const Measurement measured = errorOfResults(OpKind::Exp, DataType::Float, false, x, x, results);
  ASSERT_TRUE(measured.error);
  EXPECT_NEAR(measured.error->ulps, 3, 0.5);
}

TEST(MeasureFunctionsTest, BeyondTheFirstWrongOperandNothingIsKnown) {
  const std::vector<double> x = {1, 9, 20, 40};
  std::vector<double> results = mapped(x, std::exp);
  results[3] = NAN;
  const Measurement far = errorOfResults(OpKind::Exp, DataType::Float, false, x, x, results);
  ASSERT_TRUE(far.error);
  EXPECT_EQ(far.error->most, 20);
  EXPECT_NE(far.why, "");
  results[0] = 1;
  EXPECT_FALSE(errorOfResults(OpKind::Exp, DataType::Float, false, x, x, results).error);
}

TEST(MeasureFunctionsTest, AFlushedResultIsNoErrorWhereItIsALiberty) {
  const std::vector<double> x = {1, 20, -88};
  std::vector<double> results = mapped(x, std::exp);
  results[2] = 0;
  EXPECT_LE(errorOfResults(OpKind::Exp, DataType::Float, true, x, x, results).error->ulps, 0.5);
  EXPECT_EQ(errorOfResults(OpKind::Exp, DataType::Float, false, x, x, results).error->most, 20);
}

}  // namespace
}  // namespace fuser::fuzz
