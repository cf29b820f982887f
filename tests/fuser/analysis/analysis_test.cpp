#include <gtest/gtest.h>

#include "fuser/analysis/axis_map.h"
#include "fuser/analysis/fusion_view.h"
#include "fuser/analysis/loop_map.h"
#include "fuser/analysis/reference_map.h"
#include "fuser/analysis/scheduler.h"
#include "fuser/ir/builder.h"

namespace fuser {
namespace {

class AnalysisTest : public testing::Test {
 protected:
  TensorView* input(const std::vector<std::string>& sizes, const std::string& name) {
    std::vector<IntExpr> extents;
    for (const std::string& size : sizes) {
      extents.push_back(size == "1" ? fusion.ints().constant(1) : fusion.extentSymbol(size));
    }
    return build::input(fusion, DataType::Float, extents, name);
  }
  TensorView* exp(TensorView* a) { return build::unary(fusion, OpKind::Exp, a)->as<TensorView>(); }
  TensorView* add(TensorView* a, TensorView* b) { return build::binary(fusion, OpKind::Add, a, b)->as<TensorView>(); }
  std::variant<ReferenceMap, std::string> mapFrom(const TensorView* reference) {
    return ReferenceMap::build(fusion.exprs(), reference);
  }
  static std::vector<int> axesRead(const TensorView* result, size_t operand = 0) {
    const Expr* expr = result->definition();
    return producerAxes(expr, expr->input(operand)->as<TensorView>());
  }
  Fusion fusion{"f"};
};

TEST_F(AnalysisTest, AxisMapsFollowTheOps) {
  TensorView* x = input({"i0", "1", "i1"}, "x");
  EXPECT_EQ(axesRead(build::permute(fusion, x, {2, 0, 1})), (std::vector<int>{2, 0, 1}));
  EXPECT_EQ(axesRead(build::unsqueeze(fusion, x, {0, 2})), (std::vector<int>{-1, 0, -1, 1, 2}));
  EXPECT_EQ(axesRead(build::squeeze(fusion, x, {1})), (std::vector<int>{0, 2}));
  EXPECT_EQ(axesRead(build::reduction(fusion, OpKind::Sum, x, {0, 2}, false)), (std::vector<int>{0, 1, 2}));
}

TEST_F(AnalysisTest, BroadcastAndPermutedAxesFindTheirReference) {
  TensorView* bias = exp(input({"i1"}, "b"));
  TensorView* transposed = build::permute(fusion, exp(input({"i1", "i0"}, "x")), {1, 0});
  TensorView* sum = add(transposed, bias);
  const auto map = mapFrom(sum);
  ASSERT_TRUE(std::holds_alternative<ReferenceMap>(map)) << std::get<std::string>(map);
  EXPECT_EQ(std::get<ReferenceMap>(map).positions(bias), (std::vector<int>{1}));
  EXPECT_EQ(std::get<ReferenceMap>(map).positions(transposed->definition()->input(0)->as<TensorView>()),
            (std::vector<int>{1, 0}));
}

TEST_F(AnalysisTest, AValueNeededAlongTwoAxesHasNoMap) {
  TensorView* x = exp(input({"i0", "i0"}, "x"));
  EXPECT_TRUE(std::holds_alternative<std::string>(mapFrom(add(x, build::permute(fusion, x, {1, 0})))));
}

TEST_F(AnalysisTest, AnInputReadAlongTwoAxesRelatesNothing) {
  TensorView* x = input({"i0", "i0"}, "x");
  const auto map = mapFrom(add(x, build::permute(fusion, x, {1, 0})));
  ASSERT_TRUE(std::holds_alternative<ReferenceMap>(map));
  EXPECT_FALSE(std::get<ReferenceMap>(map).relatesInputs());
}

TEST_F(AnalysisTest, ReadersOfOneInputAreRelated) {
  TensorView* x = input({"i0"}, "x");
  TensorView* a = exp(x);
  TensorView* b = exp(x);
  const auto map = mapFrom(a);
  ASSERT_TRUE(std::holds_alternative<ReferenceMap>(map));
  EXPECT_EQ(std::get<ReferenceMap>(map).positions(b), (std::vector<int>{0}));
}

TEST_F(AnalysisTest, OneValueBroadcastAlongAxesOfDifferentSizesHasNoMap) {
  TensorView* scale = exp(input({"1"}, "s"));
  TensorView* a = add(input({"i0"}, "a"), scale);
  add(input({"i1"}, "b"), scale);
  EXPECT_TRUE(std::holds_alternative<std::string>(mapFrom(a)));
}

TEST_F(AnalysisTest, ReductionAxesAreNotShared) {
  TensorView* x = exp(input({"i0", "i1"}, "x"));
  TensorView* sum = build::reduction(fusion, OpKind::Sum, x, {1}, false);
  TensorView* y = exp(sum);
  EXPECT_EQ(sharableLoops(x, sum->definition()), 2u);
  EXPECT_EQ(sharableLoops(sum, y->definition()), 1u);
}

TEST_F(AnalysisTest, LoopsOfDifferentParallelTypesAreNotShared) {
  TensorView* x = exp(input({"i0", "i1"}, "x"));
  TensorView* y = exp(x);
  y->domain().loop[1]->parallelize(ParallelType::TIDx);
  EXPECT_EQ(sharableLoops(x, y->definition()), 1u);
}

TEST(SizeFactsTest, RemembersEachQuestionOnce) {
  IntExprArena ints;
  const IntExpr n = ints.symbol("i0");
  int asked = 0;
  SizeFacts facts([&](IntExpr) {
    ++asked;
    return int64_t{12};
  });
  EXPECT_TRUE(facts.divisibleBy(n, 4));
  EXPECT_TRUE(facts.divisibleBy(n, 4));
  EXPECT_FALSE(facts.isZero(n));
  EXPECT_TRUE(facts.atMost(ints.constant(3), 3));  // a constant is the same for all sizes: no question
  EXPECT_EQ(asked, 2);
  ASSERT_EQ(facts.asked().size(), 2u);
  EXPECT_TRUE(SizeFacts::answer(facts.asked()[0].first, 8));
  EXPECT_FALSE(SizeFacts::answer(facts.asked()[0].first, 9));
}

TEST(SizeFactsTest, AQuestionSaysWhatItsNumberIsTheLimitOf) {
  IntExprArena ints;
  const IntExpr n = ints.symbol("i0");
  SizeFacts facts([](IntExpr) { return int64_t{12}; });
  facts.atMost(n, 32, SizeLimit::Row);
  facts.divisibleBy(n, 4);
  facts.isZero(n);
  ASSERT_EQ(facts.asked().size(), 3u);
  EXPECT_EQ(facts.asked()[0].first.limit, SizeLimit::Row);
  EXPECT_EQ(facts.asked()[1].first.limit, SizeLimit::Vector);
  EXPECT_EQ(facts.asked()[2].first.limit, SizeLimit::None);
}

TEST(SchedulerTypeTest, NamesComeBack) {
  EXPECT_EQ(schedulerTypeName(SchedulerType::None), "None");
  EXPECT_EQ(schedulerTypeFromName("None"), SchedulerType::None);
  EXPECT_EQ(schedulerTypeName(SchedulerType::PointWise), "PointWise");
  for (const auto& [type, name, summary] : allSchedulers()) {
    EXPECT_NE(type, SchedulerType::None);
    EXPECT_EQ(schedulerTypeName(type), name);
    EXPECT_EQ(schedulerTypeFromName(name), type);
    EXPECT_FALSE(summary.empty()) << name;
  }
  EXPECT_FALSE(schedulerTypeFromName("Magic"));
}

}  // namespace
}  // namespace fuser
