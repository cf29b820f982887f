// Sizes that only run time can check.

#include "fuser/evaluate/check_shapes.h"

#include <gtest/gtest.h>

#include "fuser/ir/builder.h"

namespace fuser {
namespace {

struct CheckShapesTest : testing::Test {
  TensorView* input(const std::string& name, std::vector<std::string> symbols) {
    std::vector<IntExpr> sizes;
    for (const std::string& symbol : symbols) {
      sizes.push_back(symbol == "1" ? fusion.ints().constant(1) : fusion.extentSymbol(symbol));
    }
    return build::input(fusion, DataType::Float, sizes, name);
  }
  // Empty when the sizes, one entry an input, are accepted.
  std::string rejection(const std::vector<Dims>& sizes) {
    ExpressionEvaluator evaluator(fusion);
    for (size_t i = 0; i < sizes.size(); ++i) evaluator.bindSizes(fusion.inputs()[i]->as<TensorView>(), sizes[i]);
    evaluator.checkInputSizes();
    try {
      ones = checkShapes(fusion, evaluator).ones;
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }
  Fusion fusion{"f"};
  std::vector<IntExpr> ones;  // of the last sizes that were accepted
};

TEST_F(CheckShapesTest, AxesThatMeetHaveOneSize) {
  TensorView* x = input("x", {"i0"});
  build::binary(fusion, OpKind::Add, x, input("y", {"i1"}), "z");
  EXPECT_EQ(rejection({{4}, {4}}), "");
  EXPECT_EQ(rejection({{0}, {0}}), "");
  EXPECT_EQ(rejection({{4}, {5}}), "%z = add: axis 0 of %x has size 4, that of %y has size 5");
}

TEST_F(CheckShapesTest, ASizeOfOneMeetsAnother) {
  TensorView* x = input("x", {"i0"});
  build::binary(fusion, OpKind::Add, x, input("y", {"i1"}), "z");
  const std::vector<IntExpr> first{fusion.extentSymbol("i0")}, second{fusion.extentSymbol("i1")};
  EXPECT_EQ(rejection({{4}, {1}}), "");
  EXPECT_EQ(ones, second);
  EXPECT_EQ(rejection({{1}, {0}}), "");
  EXPECT_EQ(ones, first);
  EXPECT_EQ(rejection({{1}, {1}}), "");
  EXPECT_EQ(ones, std::vector<IntExpr>());
}

TEST_F(CheckShapesTest, ABroadcastAxisMeetsAnySize) {
  TensorView* x = input("x", {"i0", "1"});
  build::binary(fusion, OpKind::Add, x, input("y", {"i0", "i1"}), "z");
  EXPECT_EQ(rejection({{4, 1}, {4, 7}}), "");
}

TEST_F(CheckShapesTest, AnExpandedAxisMeetsOnlyItsOwnSize) {
  TensorView* wide = build::expand(fusion, input("x", {"1"}), {fusion.extentSymbol("i1")}, "wide");
  build::input(fusion, DataType::Float, {fusion.extentSymbol("i1")}, "y");
  build::binary(fusion, OpKind::Add, wide, input("w", {"i2"}), "z");
  EXPECT_EQ(rejection({{1}, {4}, {4}}), "");
  EXPECT_EQ(rejection({{1}, {4}, {5}}), "%z = add: axis 0 of %wide has size 4, that of %w has size 5");
}

TEST_F(CheckShapesTest, RejectsAnExtremumOfAnEmptyAxisAsPyTorchDoes) {
  build::reduction(fusion, OpKind::Amax, input("x", {"i0", "i1"}), {1}, false, "m");
  EXPECT_EQ(rejection({{0, 3}}), "");
  EXPECT_EQ(rejection({{3, 0}}),
            "%m = amax: axis 1 of %x has size 0, and the extreme value of an empty axis is undefined");
  EXPECT_NE(rejection({{0, 0}}), "");
}

TEST_F(CheckShapesTest, AcceptsASumOverAnEmptyAxis) {
  build::reduction(fusion, OpKind::Sum, input("x", {"i0", "i1"}), {1}, false, "m");
  EXPECT_EQ(rejection({{3, 0}}), "");
}

TEST_F(CheckShapesTest, ASliceIsClampedToTheAxis) {
  IntExprArena& ints = fusion.ints();
  build::slice(fusion, input("x", {"i0"}), 0, ints.constant(-3), ints.constant(100), ints.constant(2), "s");
  EXPECT_EQ(rejection({{10}}), "");
  EXPECT_EQ(rejection({{2}}), "");
  EXPECT_EQ(rejection({{0}}), "");
}

TEST_F(CheckShapesTest, APadRemovesAtMostTheWholeAxis) {
  IntExprArena& ints = fusion.ints();
  build::pad(fusion, input("x", {"i0"}), {ints.constant(-3), ints.constant(5)}, fusion.newConstant(0.0), "p");
  EXPECT_EQ(rejection({{3}}), "");
  EXPECT_EQ(rejection({{2}}), "%p = pad: axis 0 of %x has size 2, and padding it by -3 and 5 removes more");
}

TEST_F(CheckShapesTest, CatAllowsAnySizesAlongItsAxisOnly) {
  Val* operands[] = {input("x", {"i0", "i1"}), input("y", {"i2", "i3"})};
  build::cat(fusion, operands, 0, "c");
  EXPECT_EQ(rejection({{4, 3}, {0, 3}}), "");
  EXPECT_EQ(rejection({{4, 3}, {4, 2}}), "%c = cat: axis 1 of %x has size 3, that of %y has size 2");
  EXPECT_EQ(rejection({{4, 3}, {4, 1}}), "%c = cat: axis 1 of %x has size 3, that of %y has size 1");
}

TEST_F(CheckShapesTest, AScatterHasAPlaceAndAnElementForEachIndex) {
  const auto symbols = [&](const char* a, const char* b) {
    return std::vector<IntExpr>{fusion.extentSymbol(a), fusion.extentSymbol(b)};
  };
  TensorView* x = input("x", {"i0", "i1"});
  TensorView* i = build::input(fusion, DataType::Int64, symbols("i2", "i3"), "i");
  TensorView* u = build::input(fusion, DataType::Float, symbols("i4", "i5"), "u");
  build::structuralTensor(fusion, OpKind::Scatter, {x, i, u}, Attributes().dim(0), "y");
  EXPECT_EQ(rejection({{4, 3}, {9, 3}, {9, 3}}), "");
  EXPECT_EQ(rejection({{4, 3}, {9, 2}, {10, 5}}), "");
  EXPECT_EQ(rejection({{4, 3}, {0, 7}, {1, 1}}), "");
  EXPECT_EQ(rejection({{4, 3}, {9, 4}, {9, 4}}), "%y = scatter: axis 1 of %x has size 3, that of %i has size 4");
  EXPECT_EQ(rejection({{4, 3}, {9, 3}, {8, 3}}), "%y = scatter: axis 0 of %u has size 8, that of %i has size 9");
  EXPECT_EQ(rejection({{0, 3}, {9, 3}, {9, 3}}),
            "%y = scatter: every index is out of range for axis 0 of %x, of size 0");
}

TEST_F(CheckShapesTest, AGatherHasAnElementForEachIndexAlongTheOtherAxes) {
  TensorView* x = input("x", {"i0", "i1"});
  TensorView* i = build::input(fusion, DataType::Int64, {fusion.extentSymbol("i2"), fusion.extentSymbol("i3")}, "i");
  build::structuralTensor(fusion, OpKind::Gather, {x, i}, Attributes().dim(0), "y");
  EXPECT_EQ(rejection({{4, 3}, {9, 3}}), "");
  EXPECT_EQ(rejection({{4, 3}, {9, 2}}), "");
  EXPECT_EQ(rejection({{4, 3}, {9, 4}}), "%y = gather: axis 1 of %x has size 3, that of %i has size 4");
  EXPECT_EQ(rejection({{4, 3}, {0, 4}}), "");
}

TEST_F(CheckShapesTest, AReshapeKeepsTheNumberOfElements) {
  IntExprArena& ints = fusion.ints();
  build::reshape(fusion, input("x", {"i0"}), {ints.constant(3), ints.constant(-1)}, "r");
  EXPECT_EQ(rejection({{12}}), "");
  EXPECT_EQ(rejection({{0}}), "");
  EXPECT_EQ(rejection({{10}}), "%r = reshape: %x of sizes [10] has 10 elements, and cannot be reshaped to [3, -1]");
}

TEST_F(CheckShapesTest, RejectsAnInferredSizeNextToSizeZeroAsPyTorchDoes) {
  build::reshape(fusion, input("x", {"i0", "i1"}), {fusion.extentSymbol("i0"), fusion.ints().constant(-1)}, "r");
  EXPECT_EQ(rejection({{4, 0}}), "");
  EXPECT_EQ(rejection({{0, 4}}), "%r = reshape: the -1 of [0, -1] is ambiguous, because another size is 0");
}

TEST_F(CheckShapesTest, RejectsNegativeRepeats) {
  TensorView* x = input("x", {"i0"});
  Val* less = build::binary(fusion, OpKind::Sub, build::size(fusion, x, 0), fusion.newConstant(int64_t{5}), "less");
  build::repeat(fusion, input("y", {"i1"}), {fusion.scalarSymbol(less)}, "t");
  EXPECT_EQ(rejection({{5}, {3}}), "");
  EXPECT_EQ(rejection({{4}, {0}}), "%t = repeat: an axis would be repeated -1 times");
}

TEST_F(CheckShapesTest, NegativeAndHugeSizesAreRejected) {
  TensorView* x = input("x", {"i0"});
  Val* less = build::binary(fusion, OpKind::Sub, build::size(fusion, x, 0), fusion.newConstant(int64_t{5}), "less");
  build::full(fusion, {fusion.scalarSymbol(less), fusion.extentSymbol("i0")}, fusion.newConstant(1.0), DataType::Float,
              "t");
  EXPECT_EQ(rejection({{5}}), "");
  EXPECT_EQ(rejection({{4}}), "axis 0 of %t would have the negative size %less = -1");
  EXPECT_EQ(rejection({{1 << 20}}), "%t of sizes [1048571, 1048576] has more than 2147483648 elements");
}

}  // namespace
}  // namespace fuser
