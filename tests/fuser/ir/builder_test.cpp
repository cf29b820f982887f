#include "fuser/ir/builder.h"

#include <gtest/gtest.h>

#include "fuser/ir/clone.h"
#include "fuser/ir/equality.h"
#include "fuser/ir/infer.h"
#include "fuser/ir/verify.h"

namespace fuser {
namespace {

class BuilderTest : public testing::Test {
 protected:
  TensorView* input(DataType dtype, const std::vector<std::string>& sizes, const std::string& name) {
    std::vector<IntExpr> extents;
    for (const std::string& size : sizes) {
      extents.push_back(size == "1" ? fusion.ints().constant(1) : fusion.extentSymbol(size));
    }
    return build::input(fusion, dtype, extents, name);
  }
  void TearDown() override { EXPECT_TRUE(findViolations(fusion).empty()); }
  Fusion fusion{"f"};
};

TEST_F(BuilderTest, PromotionInsertsACast) {
  Val* sum = build::binary(fusion, OpKind::Add, input(DataType::BFloat16, {"i0"}, "a"),
                           input(DataType::Float, {"i0"}, "b"), "c");
  EXPECT_EQ(typeText(sum), "f32[i0]");
  EXPECT_EQ(sum->definition()->input(0)->definition()->op(), OpKind::Cast);
  EXPECT_EQ(sum->definition()->input(0)->name(), "a.c1");
}

TEST_F(BuilderTest, Rank0TensorDoesNotWidenItsCategory) {
  EXPECT_EQ(
      build::binary(fusion, OpKind::Mul, input(DataType::Half, {"i0"}, "a"), input(DataType::Double, {}, "b"))->dtype(),
      DataType::Half);
}

TEST_F(BuilderTest, FloatScalarMakesAnIntegerTensorF32) {
  EXPECT_EQ(build::binary(fusion, OpKind::Mul, input(DataType::Int64, {"i0"}, "a"), fusion.newConstant(0.5))->dtype(),
            DataType::Float);
}

TEST_F(BuilderTest, TrueDivisionOfIntegersIsF32) {
  TensorView* a = input(DataType::Int32, {"i0"}, "a");
  EXPECT_EQ(build::binary(fusion, OpKind::Div, a, a)->dtype(), DataType::Float);
}

TEST_F(BuilderTest, BroadcastingInsertsAnUnsqueeze) {
  Val* sum = build::binary(fusion, OpKind::Add, input(DataType::Float, {"i0", "i1"}, "a"),
                           input(DataType::Float, {"i1"}, "b"));
  EXPECT_EQ(typeText(sum), "f32[i0, i1]");
  EXPECT_EQ(sum->definition()->input(1)->name(), "b.b1");
  EXPECT_EQ(typeText(sum->definition()->input(1)), "f32[1, i1]");
}

TEST_F(BuilderTest, KeepdimIsAnUnsqueezeOfTheReduction) {
  TensorView* sum = build::reduction(fusion, OpKind::Sum, input(DataType::Float, {"i0", "i1"}, "a"), {-1}, true, "s");
  EXPECT_EQ(typeText(sum), "f32[i0, 1]");
  EXPECT_EQ(sum->definition()->op(), OpKind::Unsqueeze);
}

TEST_F(BuilderTest, SumOfBoolCountsInI64) {
  EXPECT_EQ(build::reduction(fusion, OpKind::Sum, input(DataType::Bool, {"i0"}, "a"), {}, false)->dtype(),
            DataType::Int64);
}

TEST_F(BuilderTest, ExpandKeepsOneElementInMemory) {
  TensorView* wide = build::expand(fusion, input(DataType::Float, {"1", "i0"}, "a"),
                                   {fusion.ints().constant(7), fusion.ints().constant(-1)});
  EXPECT_EQ(typeText(wide), "f32[1*7, i0]");
}

TEST_F(BuilderTest, ScalarsStayScalars) {
  Val* s = build::binary(fusion, OpKind::Div, fusion.newConstant(int64_t{1}), fusion.newConstant(int64_t{2}));
  EXPECT_TRUE(s->isScalar());
  EXPECT_EQ(s->dtype(), DataType::Double);
}

TEST_F(BuilderTest, BadProgramsAreTheCallersErrors) {
  TensorView* a = input(DataType::Float, {"i0"}, "a");
  TensorView* flags = input(DataType::Bool, {"i0"}, "m");
  EXPECT_THROW(build::reduction(fusion, OpKind::Sum, a, {1}, false), UserError);
  EXPECT_THROW(build::reduction(fusion, OpKind::Sum, a, {0, 0}, false), UserError);
  EXPECT_THROW(build::squeeze(fusion, input(DataType::Float, {"1", "i0"}, "b"), {2}), UserError);
  EXPECT_NO_THROW(build::squeeze(fusion, a, {0})) << "a run says whether the axis has one element";
  EXPECT_THROW(build::binary(fusion, OpKind::Sub, flags, flags), UserError);
  EXPECT_THROW(build::where(fusion, a, a, a), UserError);
  EXPECT_THROW(build::permute(fusion, a, {0, 1}), UserError);
  EXPECT_THROW(build::cast(fusion, fusion.newConstant(1.0), DataType::Half), UserError);
}

TEST_F(BuilderTest, CloneIsEqualAndKeepsIds) {
  TensorView* a = input(DataType::Float, {"i0", "1"}, "a");
  Scalar* n = build::size(fusion, a, 0, "n");
  TensorView* ones = build::full(fusion, {fusion.scalarSymbol(n)}, fusion.newConstant(1.0), DataType::Half, "ones");
  fusion.addOutput(ones);
  fusion.addOutput(build::reduction(fusion, OpKind::Amax, a, {0, 1}, false, "m"));
  const ClonedFusion clone = cloneFusion(fusion);
  EXPECT_EQ(firstDifference(fusion, *clone.fusion), "");
  EXPECT_EQ(fingerprint(fusion), fingerprint(*clone.fusion));
  EXPECT_EQ(clone.vals.at(ones)->id(), ones->id());
  EXPECT_TRUE(findViolations(*clone.fusion).empty());
}

TEST_F(BuilderTest, EqualityIgnoresNamesButNotOrderOfOperands) {
  const auto make = [](const std::string& name, bool swap) {
    auto other = std::make_unique<Fusion>(name);
    TensorView* a = build::input(*other, DataType::Float, {other->extentSymbol(name)}, name + "a");
    TensorView* b = build::input(*other, DataType::Float, {other->extentSymbol(name)}, name + "b");
    other->addOutput(build::binary(*other, OpKind::Sub, swap ? b : a, swap ? a : b));
    return other;
  };
  EXPECT_TRUE(sameFusion(*make("p", false), *make("q", false)));
  EXPECT_FALSE(sameFusion(*make("p", false), *make("q", true)));
}

TEST_F(BuilderTest, PartTakesTheScalarsThatItsExtentsName) {
  TensorView* a = input(DataType::Float, {"i0"}, "a");
  Scalar* n = build::size(fusion, a, 0, "n");
  TensorView* ones = build::full(fusion, {fusion.scalarSymbol(n)}, fusion.newConstant(1.0), DataType::Float, "ones");
  fusion.addOutput(ones);
  const ClonedPart part = clonePart(fusion, {ones->definition()}, {}, {ones});
  ASSERT_EQ(part.inputs.size(), 1u);
  EXPECT_EQ(part.inputs[0], n);
  EXPECT_TRUE(findViolations(*part.fusion).empty());
}

}  // namespace
}  // namespace fuser
