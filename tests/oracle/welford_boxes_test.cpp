// Boxes for var and var_mean: whatever order and split Welford's method takes, on whatever numbers the operand's sets
// hold, its results lie in the sets that the oracle gives; so do LibTorch's, and the true values.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "fuser/ir/builder.h"
#include "oracle/compare.h"
#include "oracle/reference/reference.h"
#include "oracle/slice.h"
#include "tests/in_full.h"
#include "tests/oracle/boxes.h"
#include "tests/oracle/dense_array.h"
#include "tests/oracle/random_welford.h"

namespace oracle_test {
namespace {

using fuser::DataType;
using fuser::Expr;
using fuser::Fusion;
using fuser::OpKind;
using oracle::Interval;
using oracle::Value;

constexpr DataType kReal[] = {DataType::Double, DataType::Float, DataType::Half, DataType::BFloat16};

size_t rounds() { return fuser::inFull() ? 20000 : 400; }

Value setsOf(DataType dtype, std::vector<Interval> intervals) {
  Value value;
  value.dtype = dtype;
  value.sizes = {static_cast<int64_t>(intervals.size())};
  value.strides = {1};
  value.real = std::make_shared<const std::vector<Interval>>(std::move(intervals));
  return value;
}

// f(%x: dtype[i0]) { %v, %m = var_mean(%x) {correction} }
struct Program {
  Program(DataType dtype, int64_t correction) {
    auto* x = fuser::build::input(fusion, dtype, {fusion.extentSymbol("i0")}, "x");
    expr = fuser::build::welford(fusion, OpKind::VarMean, x, {0}, correction, false, {"v", "m"})[0]->definition();
  }
  Fusion fusion{"f"};
  const Expr* expr;
};

std::string insideOf(const Value& sets, const DenseArray& actual) {
  const oracle::View view{&sets, true};
  const oracle::Comparison comparison = oracle::compare(oracle::exact(actual.ref()), {&view, 1}, 1);
  if (!comparison.problem.empty()) return comparison.problem;
  if (comparison.counts.outside == 0) return "";
  return comparison.worst[0].got + ", accepts " + comparison.worst[0].accepts;
}

DenseArray scalarOf(double value, DataType compute, DataType dtype) {
  DenseArray result(DataType::Double, {});
  *result.as<double>() = value;
  return result.cast(compute).cast(dtype);
}

// One random evaluation of both results: {variance, mean}, and its depth.
struct Evaluation {
  double variance, mean;
  fuser::ReductionDepth depth;
};

template <class T>
Evaluation evaluate(Random& random, const std::vector<double>& numbers, int64_t correction) {
  std::vector<T> terms;
  for (double number : numbers) terms.push_back(static_cast<T>(number));
  Evaluation result{};
  const WelfordState<T> state =
      welfordAtRandom<T>(random, terms.data(), static_cast<int64_t>(terms.size()), random() % 2 == 0, result.depth);
  result.variance = static_cast<double>(finishedVariance(state, correction));
  result.mean = static_cast<double>(finishedMean(state));
  return result;
}

void expectHeld(const Program& program, const Value& sets, const std::vector<double>& numbers, Random& random,
                const std::string& what) {
  const DataType dtype = sets.dtype, compute = fuser::computeType(dtype);
  const int64_t correction = program.expr->attributes().correction();
  const Evaluation evaluation = compute == DataType::Double ? evaluate<double>(random, numbers, correction)
                                                            : evaluate<float>(random, numbers, correction);
  const std::string outsideVariance = insideOf(oracle::welford(*program.expr, 0, sets, evaluation.depth),
                                               scalarOf(evaluation.variance, compute, dtype));
  EXPECT_EQ(outsideVariance, "") << "variance of " << what;
  const std::string outsideMean =
      insideOf(oracle::welford(*program.expr, 1, sets, evaluation.depth), scalarOf(evaluation.mean, compute, dtype));
  EXPECT_EQ(outsideMean, "") << "mean of " << what;
}

TEST(WelfordBoxesTest, HoldEveryOrderAndSplit) {
  Random random(11);
  for (DataType dtype : kReal) {
    for (int64_t correction : {0, 1, 3}) {
      const Program program(dtype, correction);
      for (size_t round = 0; round < rounds(); ++round) {
        std::vector<Interval> intervals;
        const size_t count = 1 + random() % (round % 8 ? 6 : 60);
        for (size_t i = 0; i < count; ++i) intervals.push_back(randomInterval(random, dtype));
        const Value sets = setsOf(dtype, intervals);
        for (int i = 0; i < 4; ++i) {
          std::vector<double> numbers;
          for (const Interval& set : intervals) {
            const std::vector<double> choices = samples(random, set, dtype, 6);
            numbers.push_back(choices[random() % choices.size()]);
          }
          expectHeld(program, sets, numbers, random, fuser::concat(count, " ", dtype, ", correction ", correction));
          if (HasFailure()) return;
        }
      }
    }
  }
}

// Points and narrow ranges about a mean that is up to 10^6 times the deviation; up to 3000 terms. Held against the true
// values in 64 bits of precision too, which must lie in the sets; and the sets must decide where the numbers allow.
TEST(WelfordBoxesTest, HoldNumbersFarFromZeroAndStayNarrow) {
  Random random(12);
  for (DataType dtype : {DataType::Float, DataType::Double}) {
    const Program program(dtype, 1);
    size_t narrow = 0, easy = 0;
    for (size_t round = 0; round < rounds() / 4; ++round) {
      const double offset = std::pow(10.0, static_cast<double>(random() % 7)) - 1;
      const size_t count = 2 + random() % (round % 4 ? 100 : 3000);
      std::normal_distribution<double> normal(offset, 1);
      std::vector<double> numbers;
      std::vector<Interval> intervals;
      for (size_t i = 0; i < count; ++i) {
        const double x =
            dtype == DataType::Float ? static_cast<double>(static_cast<float>(normal(random))) : normal(random);
        numbers.push_back(x);
        intervals.push_back(Interval::of(x));
      }
      const Value sets = setsOf(dtype, intervals);
      expectHeld(program, sets, numbers, random, fuser::concat(count, " about ", offset));
      long double mean = 0, squares = 0;
      for (double x : numbers) mean += x;
      mean /= static_cast<long double>(count);
      for (double x : numbers) squares += (x - mean) * (x - mean);
      const Value accepted = oracle::welford(*program.expr, 0, sets, {40, 0});
      const Interval& set = accepted.realAt(0);
      const double variance = static_cast<double>(squares / static_cast<long double>(count - 1));
      EXPECT_LE(set.lo, variance * (1 + 1e-7));
      EXPECT_GE(set.hi, variance * (1 - 1e-7));
      if (HasFailure()) return;
      if (offset > 10 || variance < 0.1) continue;
      ++easy;
      narrow += set.hi - set.lo < 0.015625 * set.lo;
    }
    EXPECT_GT(easy, 10u);
    EXPECT_EQ(narrow, easy) << dtype << ": means up to 9 times the deviation are decided";
  }
}

TEST(WelfordBoxesTest, HoldLibTorchs) {
  Random random(13);
  reference::useOneThread();
  for (DataType dtype : kReal) {
    for (int64_t correction : {0, 1}) {
      const Program program(dtype, correction);
      for (size_t round = 0; round < 100; ++round) {
        DenseArray numbers(DataType::Double, {static_cast<int64_t>(random() % 40)});
        std::normal_distribution<double> normal(static_cast<double>(random() % 20), 1);
        for (size_t i = 0; i < numbers.count(); ++i) numbers.as<double>()[i] = normal(random);
        const DenseArray operand = numbers.cast(dtype);
        const reference::Value operands[] = {{operand.ref(), nullptr}};
        for (size_t result : {0, 1}) {
          const reference::Value value = reference::evaluate(*program.expr, operands, {}, result);
          const Value sets = oracle::welford(*program.expr, result, oracle::exact(operand.ref()),
                                             {static_cast<int64_t>(operand.count()), 0});
          EXPECT_EQ(insideOf(sets, toDense(std::get<fuser::TensorRef>(value.value))), "")
              << (result ? "mean" : "variance") << " of " << operand.count() << " " << dtype << ", correction "
              << correction;
        }
        if (HasFailure()) return;
      }
    }
  }
}

std::string accepted(std::vector<double> numbers, int64_t correction, size_t result) {
  const Program program(DataType::Float, correction);
  std::vector<Interval> intervals;
  for (double number : numbers) intervals.push_back(Interval::of(number));
  const Value sets = oracle::welford(*program.expr, result, setsOf(DataType::Float, intervals),
                                     {static_cast<int64_t>(numbers.size()), 0});
  return oracle::toString(sets.realAt(0));
}

TEST(WelfordNamedTest, VarianceOfOneTermIsExactlyZero) {
  EXPECT_EQ(accepted({3.5}, 0, 0), "0");
  EXPECT_EQ(accepted({3.5}, 0, 1), "3.5");
  EXPECT_EQ(accepted({3.5}, 1, 0), "nan");
  EXPECT_EQ(accepted({7, 7, 7}, 1, 0), "0");
  EXPECT_EQ(accepted({7, 7, 7}, 3, 0), "nan") << "0 / max(0, 3 - 3)";
}

TEST(WelfordNamedTest, TooLargeACorrectionGivesInfinity) { EXPECT_EQ(accepted({1, 2, 4}, 5, 0), "inf"); }

TEST(WelfordNamedTest, MeanOfNoTermsIsNan) {
  EXPECT_EQ(accepted({}, 0, 0), "nan");
  EXPECT_EQ(accepted({}, 1, 0), "nan");
  EXPECT_EQ(accepted({}, 0, 1), "nan");
}

TEST(WelfordNamedTest, VarianceWithInfinityOrNanIsNan) {
  EXPECT_EQ(accepted({1, HUGE_VAL, 2}, 1, 0), "nan");
  EXPECT_EQ(accepted({1, HUGE_VAL, 2}, 1, 1), "inf or nan");
  EXPECT_EQ(accepted({1, NAN}, 1, 0), "nan");
}

}  // namespace
}  // namespace oracle_test
