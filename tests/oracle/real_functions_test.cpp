// The library functions at points all over their range, against MPFR: where the reference stops short of the largest
// number, the accepted set must not.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "fuser/ops/op_table.h"
#include "oracle/compare.h"
#include "oracle/interval.h"
#include "oracle/real_rules.h"
#include "oracle/rounding.h"
#include "tests/oracle/true_value.h"

namespace oracle_test {
namespace {

using fuser::DataType;
using fuser::OpKind;
using oracle::Interval;

// What functionRule() is for.
constexpr OpKind kFunctions[] = {OpKind::Exp,   OpKind::Expm1, OpKind::Exp2, OpKind::Log,  OpKind::Log1p,
                                 OpKind::Log2,  OpKind::Log10, OpKind::Sin,  OpKind::Cos,  OpKind::Tan,
                                 OpKind::Asin,  OpKind::Acos,  OpKind::Atan, OpKind::Sinh, OpKind::Cosh,
                                 OpKind::Tanh,  OpKind::Asinh, OpKind::Acosh, OpKind::Atanh, OpKind::Erf,
                                 OpKind::Erfc,  OpKind::Lgamma};

// Eight steps an octave, and steps of 1/16 where e^x and 2^x leave the range of the compute dtype.
std::vector<double> points(DataType compute) {
  const bool isDouble = compute == DataType::Double;
  std::vector<double> all{0.0};
  for (int octave = isDouble ? -1070 : -145; octave <= (isDouble ? 1023 : 127); octave += isDouble ? 37 : 4) {
    for (int part = 8; part < 16; ++part) all.push_back(oracle::convertTo(std::ldexp(part / 8.0, octave), compute));
  }
  const std::vector<double> edges = isDouble ? std::vector<double>{709.78, 710.5, 745.1, 1024, 1074}
                                             : std::vector<double>{88.72, 89.4, 103.9, 128, 149};
  for (double edge : edges) {
    for (int step = -40; step <= 40; ++step) all.push_back(oracle::convertTo(edge + step / 16.0, compute));
  }
  const size_t positive = all.size();
  for (size_t i = 0; i < positive; ++i) all.push_back(-all[i]);
  return all;
}

class FunctionsOverTheirRangeTest : public testing::TestWithParam<DataType> {};

TEST_P(FunctionsOverTheirRangeTest, TheTrueValueIsAccepted) {
  const DataType compute = GetParam();
  const std::vector<double> at = points(compute);
  std::vector<Interval> operands, images(at.size());
  for (double x : at) operands.push_back(Interval::of(x));
  for (OpKind op : kFunctions) {
    oracle::functionRule(op, operands, images, compute);
    size_t wrong = 0;
    for (size_t i = 0; i < at.size(); ++i) {
      const std::optional<double> truth = trueValue(op, at[i], 0, compute);
      ASSERT_TRUE(truth) << fuser::opName(op);
      if (oracle::contains(images[i], *truth)) continue;
      if (++wrong <= 3) ADD_FAILURE() << fuser::opName(op) << "(" << at[i] << ") is " << *truth << ", accepted "
                                      << oracle::toString(images[i]);
    }
    EXPECT_EQ(wrong, 0u) << fuser::opName(op);
  }
}

// Of two neighbours each: both ends' true values are in the image of the range between them.
TEST_P(FunctionsOverTheirRangeTest, ARangeAcceptsTheTrueValuesOfItsEnds) {
  const DataType compute = GetParam();
  std::vector<double> at = points(compute);
  std::sort(at.begin(), at.end());
  std::vector<Interval> operands, images(at.size() - 1);
  for (size_t i = 0; i + 1 < at.size(); ++i) operands.push_back({at[i], at[i + 1], Interval::of(at[i]).flags});
  for (size_t i = 0; i + 1 < at.size(); ++i) operands[i].flags |= Interval::of(at[i + 1]).flags;
  for (OpKind op : kFunctions) {
    oracle::functionRule(op, operands, images, compute);
    size_t wrong = 0;
    for (size_t i = 0; i + 1 < at.size(); ++i) {
      for (double end : {at[i], at[i + 1]}) {
        const double truth = trueValue(op, end, 0, compute).value();
        if (oracle::contains(images[i], truth)) continue;
        if (++wrong <= 3) ADD_FAILURE() << fuser::opName(op) << "(" << end << ") is " << truth << ", accepted of ["
                                        << at[i] << ", " << at[i + 1] << "] " << oracle::toString(images[i]);
      }
    }
    EXPECT_EQ(wrong, 0u) << fuser::opName(op);
  }
}

INSTANTIATE_TEST_SUITE_P(Compute, FunctionsOverTheirRangeTest, testing::Values(DataType::Double, DataType::Float),
                         [](const auto& info) { return std::string(fuser::dtypeName(info.param)); });

}  // namespace
}  // namespace oracle_test
