// What every row of the op table must keep, and the arithmetic where C++ leaves it open.
#include "fuser/ops/op_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "fuser/ops/op_eval.h"

namespace fuser {
namespace {

// std::lgamma would, and the threads of a case race for it.
bool combines(Family family) {
  return family == Family::Reduction || family == Family::ExtremeIndex || family == Family::Scatter ||
         family == Family::Scan;
}

TEST(OpTableTest, LgammaLeavesTheSignOfGammaAlone) {
  signgam = 7;
  EXPECT_LT(evaluateScalar(OpKind::Lgamma, std::vector<ScalarValue>{-0.5}).as<double>(), 1.3);
  EXPECT_EQ(signgam, 7);
}

TEST(OpTableTest, RowsAreFoundByTheirTextAndNoTwoShareIt) {
  std::set<std::pair<std::string_view, std::string_view>> texts;
  for (OpKind op : kAllOps) {
    EXPECT_EQ(opInfo(op).kind, op);
    EXPECT_TRUE(texts.emplace(opInfo(op).mnemonic, opInfo(op).variant).second) << opName(op);
    EXPECT_EQ(opFromText(opInfo(op).mnemonic, opInfo(op).variant), op);
  }
  EXPECT_FALSE(opFromText("nonsense", ""));
}

TEST(OpTableTest, PointwiseRowsHaveAnExpressionForEveryDtypeTheyAccept) {
  for (OpKind op : kAllOps) {
    EXPECT_EQ(isPointwise(op), !opInfo(op).expression.empty()) << opName(op);
    if (!isPointwise(op)) continue;
    for (DataType dtype :
         {DataType::Double, DataType::Float, DataType::Int64, DataType::Int32, DataType::Int8, DataType::Bool}) {
      EXPECT_EQ(laneFunction(op, dtype) != nullptr, acceptsDtype(op, dtype)) << opName(op) << " " << dtype;
    }
  }
}

TEST(OpTableTest, RulesFitFamilies) {
  for (OpKind op : kAllOps) {
    const OpInfo& info = opInfo(op);
    EXPECT_EQ(info.rule == IntervalRule::Reduction, isReduction(op) || info.family == Family::Scan) << info.name;
    EXPECT_EQ(info.combine.has_value(), combines(info.family)) << info.name;
    EXPECT_EQ(info.results, op == OpKind::VarMean ? 2u : 1u) << info.name;
    EXPECT_GE(info.error, 0) << info.name;
    EXPECT_TRUE(info.agreement != Agreement::Library || info.error > 0) << info.name;
    EXPECT_LE(namedOperands(op).size(), isPointwise(op) ? operandCount(op) - 1 : 0) << info.name;
  }
}

// combine(identity, x) is x, bit for bit up to the sign of zero.
TEST(OpTableTest, IdentitiesChangeNothing) {
  for (OpKind op : {OpKind::Sum, OpKind::Prod, OpKind::Amax, OpKind::Amin, OpKind::Mean}) {
    const OpKind combine = *opInfo(op).combine;
    const Identity identity = reductionIdentity(op, DataType::Double);
    const double inf = std::numeric_limits<double>::infinity();
    for (double x : {0.0, 1.5, -3.0, inf, -inf}) {
      EXPECT_EQ(evaluateScalar(combine, std::vector<ScalarValue>{identity.floating, x}).as<double>(), x) << opName(op);
    }
    EXPECT_TRUE(
        std::isnan(evaluateScalar(combine, std::vector<ScalarValue>{identity.floating, std::nan("")}).as<double>()));
    const Identity integer = reductionIdentity(op, DataType::Int64);
    for (int64_t x :
         {int64_t{0}, int64_t{-7}, std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()}) {
      EXPECT_EQ(evaluateScalar(combine, std::vector<ScalarValue>{integer.integer, x}).as<int64_t>(), x) << opName(op);
    }
  }
}

class ArithmeticTest : public testing::Test {
 protected:
  template <class T>
  static T eval(OpKind op, std::vector<ScalarValue> operands) {
    return evaluateScalar(op, operands).as<T>();
  }
  static constexpr int64_t kLow = std::numeric_limits<int64_t>::min();
  static constexpr int64_t kHigh = std::numeric_limits<int64_t>::max();
};

TEST_F(ArithmeticTest, IntegersWrap) {
  EXPECT_EQ(eval<int64_t>(OpKind::Add, {kHigh, int64_t{1}}), kLow);
  EXPECT_EQ(eval<int64_t>(OpKind::Neg, {kLow}), kLow);
  EXPECT_EQ(eval<int64_t>(OpKind::Abs, {kLow}), kLow);
  EXPECT_EQ(eval<int64_t>(OpKind::Mul, {kHigh, int64_t{2}}), -2);
}

TEST_F(ArithmeticTest, IntegerDivisionIsDefinedEverywhere) {
  for (OpKind op : {OpKind::TruncDiv, OpKind::FloorDiv}) {
    EXPECT_EQ(eval<int64_t>(op, {kLow, int64_t{-1}}), kLow);
    EXPECT_EQ(eval<int64_t>(op, {int64_t{5}, int64_t{0}}), 0);
  }
  for (OpKind op : {OpKind::Fmod, OpKind::Remainder}) {
    EXPECT_EQ(eval<int64_t>(op, {kLow, int64_t{-1}}), 0);
    EXPECT_EQ(eval<int64_t>(op, {int64_t{5}, int64_t{0}}), 0);
  }
}

TEST_F(ArithmeticTest, DivisionsFollowTheirRoundingModes) {
  EXPECT_EQ(eval<int64_t>(OpKind::TruncDiv, {int64_t{-7}, int64_t{2}}), -3);
  EXPECT_EQ(eval<int64_t>(OpKind::FloorDiv, {int64_t{-7}, int64_t{2}}), -4);
  EXPECT_EQ(eval<int64_t>(OpKind::Fmod, {int64_t{-7}, int64_t{2}}), -1);
  EXPECT_EQ(eval<int64_t>(OpKind::Remainder, {int64_t{-7}, int64_t{2}}), 1);
  EXPECT_EQ(eval<double>(OpKind::FloorDiv, {-7.0, 2.0}), -4.0);
  EXPECT_EQ(eval<double>(OpKind::Remainder, {-7.0, 2.0}), 1.0);
  EXPECT_EQ(eval<double>(OpKind::Div, {int64_t{1}, int64_t{2}}), 0.5);
}

TEST_F(ArithmeticTest, MaximumPropagatesNanAndFmaxIgnoresIt) {
  const double nan = std::nan("");
  for (bool first : {true, false}) {
    const std::vector<ScalarValue> operands =
        first ? std::vector<ScalarValue>{nan, 1.0} : std::vector<ScalarValue>{1.0, nan};
    for (OpKind op : {OpKind::Maximum, OpKind::Minimum}) EXPECT_TRUE(std::isnan(eval<double>(op, operands)));
    for (OpKind op : {OpKind::Fmax, OpKind::Fmin}) EXPECT_EQ(eval<double>(op, operands), 1.0);
  }
}

TEST_F(ArithmeticTest, ReluKeepsNanAndDropsTheSignOfZero) {
  EXPECT_TRUE(std::isnan(eval<double>(OpKind::Relu, {std::nan("")})));
  EXPECT_FALSE(std::signbit(eval<double>(OpKind::Relu, {-0.0})));
}

TEST_F(ArithmeticTest, ScalarsPromoteByCategory) {
  EXPECT_EQ(evaluateScalar(OpKind::Add, std::vector<ScalarValue>{true, int64_t{2}}), ScalarValue(int64_t{3}));
  EXPECT_EQ(evaluateScalar(OpKind::Add, std::vector<ScalarValue>{int64_t{1}, 0.5}), ScalarValue(1.5));
  EXPECT_EQ(evaluateScalar(OpKind::Where, std::vector<ScalarValue>{true, int64_t{1}, 2.5}), ScalarValue(1.0));
  EXPECT_EQ(evaluateScalar(OpKind::Lt, std::vector<ScalarValue>{int64_t{1}, 1.5}), ScalarValue(true));
}

}  // namespace
}  // namespace fuser
