// Exact mode: each rule takes what is exact in every order, and refuses the next larger thing.

#include "fuzz/compilers/exact_mode.h"

#include <gtest/gtest.h>

#include "fuser/case/case.h"
#include "fuser/text/parser.h"

namespace fuser::fuzz {
namespace {

// Of a program over %x and %y of this dtype, with these elements: "" or why not.
std::string whyNot(const std::string& dtype, const std::string& x, const std::string& y, const std::string& line) {
  const std::string type = dtype + "[4] }";
  const std::string text = concat("fusion f(%x: ", dtype, "[i0], %y: ", dtype, "[i0]) {\n  %z = ", line,
                                  "\n  return %z\n}\nrun { %x = values [", x, "] : ", dtype, "[4]\n      %y = values [",
                                  y, "] : ", type, "\n");
  const Case testCase = parseCase(text, "test");
  const RunData data = materialize(testCase, testCase.runs[0]);
  std::vector<reference::Value> inputs;
  for (const auto& input : data.inputs) inputs.push_back({data.tensors[std::get<size_t>(input)].ref, nullptr});
  return whyNotExact(*testCase.fusion, reference::evaluate(*testCase.fusion, inputs));
}

TEST(ExactModeTest, AddTakesSumsThatFit) {
  EXPECT_EQ(whyNot("f16", "1024.0, 1.0, 0.0, 2.0", "1024.0, 0.0, 0.0, 0.0", "add(%x, %y)"), "");
  EXPECT_EQ(whyNot("f16", "1024.0, 1.0, 0.0, 2.0", "1026.0, 0.0, 0.0, 0.0", "add(%x, %y)"),
            "add %z: the sum may need more than the 11 bits of f16");
  EXPECT_EQ(whyNot("i8", "100, 0, 0, 0", "27, 0, 0, 0", "add(%x, %y)"), "");
  EXPECT_EQ(whyNot("i8", "100, 0, 0, 0", "28, 0, 0, 0", "add(%x, %y)"),
            "add %z: the sum may need more than the 7 bits of i8");
}

TEST(ExactModeTest, MulTakesProductsThatFit) {
  EXPECT_EQ(whyNot("bf16", "16.0, 3.0, 0.0, 2.0", "16.0, 1.0, 1.0, 1.0", "mul(%x, %y)"), "");
  EXPECT_EQ(whyNot("bf16", "16.0, 3.0, 0.0, 2.0", "17.0, 1.0, 1.0, 1.0", "mul(%x, %y)"),
            "mul %z: the product may need more than the 8 bits of bf16");
  EXPECT_EQ(whyNot("f32", "0.1, 0.0, 0.0, 0.0", "3.0, 1.0, 1.0, 1.0", "mul(%x, %y)"),
            "mul %z: the product may need more than the 24 bits of f32");
}

TEST(ExactModeTest, DivisionNeedsPowersOfTwo) {
  EXPECT_EQ(whyNot("f32", "1.0, 3.0, 0.0, -5.0", "2.0, -4.0, 0.5, 1.0", "div(%x, %y)"), "");
  EXPECT_EQ(whyNot("f32", "1.0, 3.0, 0.0, -5.0", "3.0, 1.0, 1.0, 1.0", "div(%x, %y)"),
            "div %z: a divisor is no power of two");
  EXPECT_EQ(whyNot("f32", "1.0, 3.0, 0.0, -5.0", "0.0, 1.0, 1.0, 1.0", "div(%x, %y)"),
            "div %z: a divisor is no power of two");
}

TEST(ExactModeTest, QuotientsStayFarFromWholeNumbers) {
  EXPECT_EQ(whyNot("f16", "40.0, 3.0, 0.0, -5.0", "51.0, 2.0, 3.0, 3.0", "remainder(%x, %y)"), "");
  EXPECT_EQ(whyNot("f16", "41.0, 3.0, 0.0, -5.0", "51.0, 2.0, 3.0, 3.0", "remainder(%x, %y)"),
            "remainder %z: the quotient may need more than the 11 bits of f16");
  EXPECT_EQ(whyNot("f32", "41.0, 3.0, 0.0, -5.0", "51.0, 2.0, 0.0, 3.0", "remainder(%x, %y)"),
            "remainder %z: a divisor is 0");
}

TEST(ExactModeTest, ShiftsStayInside) {
  EXPECT_EQ(whyNot("i32", "1, 2, 3, 4", "28, 0, 0, 0", "bitwise_left_shift(%x, %y)"), "");
  EXPECT_EQ(whyNot("i32", "1, 2, 3, 4", "29, 0, 0, 0", "bitwise_left_shift(%x, %y)"),
            "bitwise_left_shift %z: the shifted number may need more than the 31 bits of i32");
  EXPECT_EQ(whyNot("i32", "0, 0, 0, 0", "32, 0, 0, 0", "bitwise_right_shift(%x, %y)"),
            "bitwise_right_shift %z: it shifts too far");
  EXPECT_EQ(whyNot("i32", "0, 0, 0, 0", "-1, 0, 0, 0", "bitwise_right_shift(%x, %y)"),
            "bitwise_right_shift %z: it shifts too far");
}

TEST(ExactModeTest, CastsHoldTheirOperand) {
  EXPECT_EQ(whyNot("f32", "256.0, 1.0, 0.0, 0.0", "0.0, 0.0, 0.0, 0.0", "cast(%x) {dtype = bf16}"), "");
  EXPECT_EQ(whyNot("f32", "257.0, 1.0, 0.0, 0.0", "0.0, 0.0, 0.0, 0.0", "cast(%x) {dtype = bf16}"),
            "cast %z: the operand may need more than the 8 bits of bf16");
  EXPECT_EQ(whyNot("f32", "127.5, -127.0, 0.0, 0.0", "0.0, 0.0, 0.0, 0.0", "cast(%x) {dtype = i8}"),
            "cast %z: the operand may need more than the 7 bits of i8");
  EXPECT_EQ(whyNot("f32", "127.0, -1.5, 0.0, 0.0", "0.0, 0.0, 0.0, 0.0", "cast(%x) {dtype = i8}"), "");
}

TEST(ExactModeTest, SumsAreOfMagnitudes) {
  EXPECT_EQ(whyNot("f16", "1000.0, -1000.0, 24.0, 24.0", "0.0, 0.0, 0.0, 0.0", "sum(%x) {dims = [0]}"), "");
  // The sum is 1, but 1024 - 1024 in another order is not what it adds up.
  EXPECT_EQ(whyNot("f16", "1024.0, -1024.0, 1.0, 0.0", "0.0, 0.0, 0.0, 0.0", "sum(%x) {dims = [0]}"),
            "sum %z: the sum may need more than the 11 bits of f16");
  EXPECT_EQ(whyNot("f32", "1.0, 2.0, 3.0, 5.0", "0.0, 0.0, 0.0, 0.0", "mean(%x) {dims = [0]}"), "");
  EXPECT_EQ(whyNot("i32", "100, 100, 100, 100", "0, 0, 0, 0", "prod(%x) {dims = [0]}"), "");
}

TEST(ExactModeTest, NanAndInfinitiesAreNotJudged) {
  EXPECT_EQ(whyNot("f32", "nan, 1.0, 1.0, 1.0", "0.0, 0.0, 0.0, 0.0", "neg(%x)"),
            "input %x: it has NaN or an infinity");
  EXPECT_EQ(whyNot("f32", "0.0, 1.0, 1.0, 1.0", "0.0, inf, 0.0, 0.0", "maximum(%x, %y)"),
            "input %y: it has NaN or an infinity");
}

TEST(ExactModeTest, LiteralsCount) {
  EXPECT_EQ(whyNot("f32", "3.0, 1.0, 1.0, 1.0", "0.0, 0.0, 0.0, 0.0", "mul(%x, 0.25)"), "");
  EXPECT_EQ(whyNot("f32", "3.0, 1.0, 1.0, 1.0", "0.0, 0.0, 0.0, 0.0", "mul(%x, 0.1)"),
            "mul %z: an operand may need more than the 24 bits of f32");
  EXPECT_EQ(whyNot("i32", "3, 1, 1, 1", "0, 0, 0, 0", "exp(%x)"), "exp %z: it has no row in exact mode");
}

TEST(ExactModeTest, ManyOpsHaveARow) { EXPECT_GT(exactOps().size(), 60u); }

}  // namespace
}  // namespace fuser::fuzz
