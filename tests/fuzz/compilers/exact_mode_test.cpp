// Exact mode: each rule takes what is exact in every order, and refuses the next larger thing.

#include "fuzz/compilers/exact_mode.h"

#include <gtest/gtest.h>

#include <limits>

#include "fuser/case/case.h"
#include "fuser/text/parser.h"

namespace fuser::fuzz {
namespace {

Exactness exactnessOfText(const std::string& text) {
  const Case testCase = parseCase(text, "test");
  const RunData data = materialize(testCase, testCase.runs[0]);
  std::vector<reference::Value> inputs;
  for (const auto& input : data.inputs) inputs.push_back({data.tensors[std::get<size_t>(input)].ref, nullptr});
  Exactness exactness = exactnessOf(*testCase.fusion, reference::evaluate(*testCase.fusion, inputs));
  std::vector<std::string> outputs;
  for (const Val* output : testCase.fusion->outputs()) outputs.push_back(exactness.of(*output));
  exactness.why = outputs;  // in the outputs' order
  return exactness;
}

// Of a program over %x and %y of this dtype, with these elements: "" or why not.
std::string whyNot(const std::string& dtype, const std::string& x, const std::string& y, const std::string& line) {
  const std::string type = dtype + "[4] }";
  return exactnessOfText(concat("fusion f(%x: ", dtype, "[i0], %y: ", dtype, "[i0]) {\n  %z = ", line,
                                "\n  return %z\n}\nrun { %x = values [", x, "] : ", dtype, "[4]\n      %y = values [",
                                y, "] : ", type, "\n"))
      .why.at(0);
}
// Of one operand.
std::string whyNot(const std::string& dtype, const std::string& x, const std::string& line) {
  return whyNot(dtype, x, dtype[0] == 'i' ? "1, 1, 1, 1" : "1.0, 1.0, 1.0, 1.0", line);
}

TEST(ExactModeTest, AddTakesSumsThatFit) {
  EXPECT_EQ(whyNot("f16", "1024.0, 1.0, 0.0, 2.0", "1024.0, 0.0, 0.0, 0.0", "add(%x, %y)"), "");
  EXPECT_EQ(whyNot("f16", "1025.0, 1.0, 0.0, 2.0", "1024.0, 0.0, 0.0, 0.0", "add(%x, %y)"),
            "add %z: the sum is too wide (f16)");
  EXPECT_EQ(whyNot("i8", "100, 0, 0, 0", "27, 0, 0, 0", "add(%x, %y)"), "");
  EXPECT_EQ(whyNot("i8", "100, 0, 0, 0", "28, 0, 0, 0", "add(%x, %y)"), "add %z: the sum is too wide (i8)");
}

TEST(ExactModeTest, ElementsAreTakenOneByOne) {
  // No sum is wide, though the largest numbers of both would make one.
  EXPECT_EQ(whyNot("f16", "2048.0, 1.0, 0.0, 2.0", "0.0, 1025.0, 1.0, 0.0", "add(%x, %y)"), "");
}

TEST(ExactModeTest, MulTakesProductsThatFit) {
  EXPECT_EQ(whyNot("bf16", "16.0, 3.0, 0.0, 2.0", "16.0, 1.0, 1.0, 1.0", "mul(%x, %y)"), "");
  EXPECT_EQ(whyNot("bf16", "17.0, 3.0, 0.0, 2.0", "17.0, 1.0, 1.0, 1.0", "mul(%x, %y)"),
            "mul %z: the product is too wide (bf16)");
  EXPECT_EQ(whyNot("f32", "0.1, 0.0, 0.0, 0.0", "3.0, 1.0, 1.0, 1.0", "mul(%x, %y)"),
            "mul %z: the product is too wide (f32)");
  EXPECT_EQ(whyNot("f16", "45.0, 3.0, 0.0, 2.0", "square(%x)"), "");
  EXPECT_EQ(whyNot("f16", "47.0, 3.0, 0.0, 2.0", "square(%x)"), "square %z: the product is too wide (f16)");
}

TEST(ExactModeTest, FormulasCountAllTheirTerms) {
  EXPECT_EQ(whyNot("f16", "40.0, 3.0, 0.0, 2.0", "40.0, 1.0, 1.0, 1.0", "addcmul(%x, %x, %y)"), "");
  EXPECT_EQ(whyNot("f16", "45.0, 3.0, 0.0, 2.0", "45.0, 1.0, 1.0, 1.0", "addcmul(%x, %x, %y)"),
            "addcmul %z: the sum is too wide (f16)");
  EXPECT_EQ(whyNot("bf16", "10.0, 3.0, 0.0, 2.0", "20.0, 1.0, 1.0, 1.0", "lerp(%x, %y, 0.5)"), "");
  EXPECT_EQ(whyNot("bf16", "101.0, 3.0, 0.0, 2.0", "20.0, 1.0, 1.0, 1.0", "lerp(%x, %y, 0.5)"),
            "lerp %z: the sum is too wide (bf16)");
}

TEST(ExactModeTest, DivisionNeedsPowersOfTwo) {
  EXPECT_EQ(whyNot("f32", "1.0, 3.0, 0.0, -5.0", "2.0, -4.0, 0.5, 1.0", "div(%x, %y)"), "");
  EXPECT_EQ(whyNot("f32", "1.0, 3.0, 0.0, -5.0", "3.0, 1.0, 1.0, 1.0", "div(%x, %y)"),
            "div %z: a divisor is no power of two (f32)");
  EXPECT_EQ(whyNot("f32", "1.0, 3.0, 0.0, -5.0", "0.0, 1.0, 1.0, 1.0", "div(%x, %y)"),
            "div %z: a divisor is no power of two (f32)");
  EXPECT_EQ(whyNot("f32", "1.0, -4.0, 0.5, 0.25", "reciprocal(%x)"), "");
  EXPECT_EQ(whyNot("f32", "1.0, -4.0, 0.5, 0.75", "reciprocal(%x)"),
            "reciprocal %z: a divisor is no power of two (f32)");
}

TEST(ExactModeTest, QuotientsStayFarFromWholeNumbers) {
  EXPECT_EQ(whyNot("f16", "40.0, 3.0, 0.0, -5.0", "51.0, 2.0, 3.0, 3.0", "remainder(%x, %y)"), "");
  EXPECT_EQ(whyNot("f16", "41.0, 3.0, 0.0, -5.0", "51.0, 2.0, 3.0, 3.0", "remainder(%x, %y)"),
            "remainder %z: the quotient is too near a whole number (f16)");
  EXPECT_EQ(whyNot("f32", "41.0, 3.0, 0.0, -5.0", "51.0, 2.0, 0.0, 3.0", "remainder(%x, %y)"),
            "remainder %z: a divisor is 0 (f32)");
}

TEST(ExactModeTest, IntegersStayBelowTheirLimits) {
  EXPECT_EQ(whyNot("i32", "1, 2, 3, 4", "30, 0, 0, 0", "bitwise_left_shift(%x, %y)"), "");
  EXPECT_EQ(whyNot("i32", "2, 2, 3, 4", "30, 0, 0, 0", "bitwise_left_shift(%x, %y)"),
            "bitwise_left_shift %z: it shifts too far (i32)");
  EXPECT_EQ(whyNot("i32", "0, 0, 0, 0", "32, 0, 0, 0", "bitwise_right_shift(%x, %y)"),
            "bitwise_right_shift %z: it shifts too far (i32)");
  EXPECT_EQ(whyNot("i32", "0, 0, 0, 0", "-1, 0, 0, 0", "bitwise_right_shift(%x, %y)"),
            "bitwise_right_shift %z: it shifts too far (i32)");
  EXPECT_EQ(whyNot("i8", "12, 1, 1, 1", "10, 1, 1, 1", "lcm(%x, %y)"), "");
  EXPECT_EQ(whyNot("i8", "12, 1, 1, 1", "11, 1, 1, 1", "lcm(%x, %y)"), "lcm %z: the product is too wide (i8)");
}

TEST(ExactModeTest, SignsOfZerosAreNotKnown) {
  EXPECT_EQ(whyNot("f32", "0.0, 1.0, 2.0, 3.0", "-1.0, 1.0, 2.0, 3.0", "copysign(%x, %y)"), "");
  EXPECT_EQ(whyNot("f32", "1.0, 1.0, 2.0, 3.0", "0.0, 1.0, 2.0, 3.0", "copysign(%x, %y)"),
            "copysign %z: a zero may have either sign (f32)");
  EXPECT_EQ(whyNot("f32", "1.0, -1.0, 2.0, 3.0", "signbit(%x)"), "");
  EXPECT_EQ(whyNot("f32", "1.0, -1.0, 0.0, 3.0", "signbit(%x)"), "signbit %z: a zero may have either sign (f32)");
}

TEST(ExactModeTest, CastsHoldTheirOperand) {
  EXPECT_EQ(whyNot("f32", "256.0, 1.0, 0.0, 0.0", "cast(%x) {dtype = bf16}"), "");
  EXPECT_EQ(whyNot("f32", "257.0, 1.0, 0.0, 0.0", "cast(%x) {dtype = bf16}"),
            "cast %z: the dtype has no such number (bf16)");
  EXPECT_EQ(whyNot("f32", "128.0, -127.0, 0.0, 0.0", "cast(%x) {dtype = i8}"),
            "cast %z: the dtype has no such number (i8)");
  EXPECT_EQ(whyNot("f32", "127.5, -1.5, 0.0, 0.0", "cast(%x) {dtype = i8}"), "");
}

TEST(ExactModeTest, SumsAreOfMagnitudes) {
  EXPECT_EQ(whyNot("f16", "1000.0, -1000.0, 24.0, 24.0", "sum(%x) {dims = [0]}"), "");
  // The sum is 1, but 1024 - 1024 in another order is not what it adds up.
  EXPECT_EQ(whyNot("f16", "1024.0, -1024.0, 1.0, 0.0", "sum(%x) {dims = [0]}"), "sum %z: the sum is too wide (f16)");
  EXPECT_EQ(whyNot("f32", "1.0, 2.0, 3.0, 5.0", "mean(%x) {dims = [0]}"), "");
  EXPECT_EQ(whyNot("i32", "100, 100, 100, 100", "prod(%x) {dims = [0]}"), "");
  EXPECT_EQ(whyNot("f16", "8.0, 8.0, 8.0, 3.0", "prod(%x) {dims = [0]}"), "");
  EXPECT_EQ(whyNot("f16", "8.0, 9.0, 9.0, 5.0", "prod(%x) {dims = [0]}"), "prod %z: the product is too wide (f16)");
}

TEST(ExactModeTest, ScansAreOfAllTermsOfALine) {
  EXPECT_EQ(whyNot("f16", "1000.0, -1000.0, 24.0, 24.0", "cumsum(%x) {dim = 0}"), "");
  EXPECT_EQ(whyNot("f16", "1.0, 0.0, 1024.0, -1024.0", "cumsum(%x) {dim = 0}"), "cumsum %z: the sum is too wide (f16)");
  EXPECT_EQ(whyNot("f16", "8.0, 0.5, -16.0, 2.0", "cumprod(%x) {dim = 0}"), "");
  EXPECT_EQ(whyNot("f16", "8.0, 9.0, 9.0, 5.0", "cumprod(%x) {dim = 0}"), "cumprod %z: the product is too wide (f16)");
}

TEST(ExactModeTest, RangesEndBeforeTheyRound) {
  // 257 is rounded to 256, which is a number of bf16.
  EXPECT_EQ(whyNot("bf16", "1.0, 2.0, 3.0, 4.0", "arange() {start = 0, end = 256, step = 1, dtype = bf16}"), "");
  EXPECT_EQ(whyNot("bf16", "1.0, 2.0, 3.0, 4.0", "arange() {start = 0, end = 258, step = 1, dtype = bf16}"),
            "arange %z: the dtype has no such number (bf16)");
}

// A reduction over the first of two axes, of [[a, b], [c, d]].
std::string whyNotRows(const std::string& elements, const std::string& line) {
  return exactnessOfText(concat("fusion f(%x: f16[i0, i1]) {\n  %z = ", line, "\n  return %z\n}\nrun { %x = values [",
                                elements, "] : f16[2, 2] }\n"))
      .why.at(0);
}

std::string whyNotScan(const std::string& elements, int dim) {
  return whyNotRows(elements, concat("cumsum(%x) {dim = ", dim, "}"));
}

TEST(ExactModeTest, EachRowOfAReductionCountsByItself) {
  EXPECT_EQ(whyNotRows("2000.0, 0.125, 48.0, 0.125", "sum(%x) {dims = [0]}"), "");
  EXPECT_EQ(whyNotRows("2000.0, 0.125, 48.0, 0.125", "sum(%x) {dims = [1]}"), "sum %z: the sum is too wide (f16)");
  EXPECT_EQ(whyNotScan("2000.0, 0.125, 48.0, 0.125", 0), "");
  EXPECT_EQ(whyNotScan("2000.0, 0.125, 48.0, 0.125", 1), "cumsum %z: the sum is too wide (f16)");
}

TEST(ExactModeTest, LiteralsCount) {
  EXPECT_EQ(whyNot("f32", "3.0, 1.0, 1.0, 1.0", "mul(%x, 0.25)"), "");
  EXPECT_EQ(whyNot("f32", "3.0, 1.0, 1.0, 1.0", "mul(%x, 0.1)"), "mul %z: an operand is too wide (f32)");
  EXPECT_EQ(whyNot("i32", "3, 1, 1, 1", "exp(%x)"), "exp %z: it has no row in exact mode (f32)");
}

TEST(ExactModeTest, AnInputMayBeTooWide) {
  EXPECT_EQ(whyNot("f32", "1e-40, 1.0, 1.0, 1.0", "neg(%x)"), "input %x: the dtype has no such number (f32)");
}

TEST(ExactModeTest, EachOutputIsDecidedByWhatItIsMadeOf) {
  const Exactness exactness = exactnessOfText(R"(
fusion f(%x: f32[i0]) {
  %a = mul(%x, 0.1)
  %b = neg(%a)
  %c = add(%x, 1.0)
  %dead = exp(%x)
  return %b, %c, %x
}
run { %x = values [1.0, 2.0] : f32[2] }
)");
  EXPECT_EQ(exactness.why, (std::vector<std::string>{"mul %a: an operand is too wide (f32)", "", ""}));
  EXPECT_TRUE(exactness.sizesAreExact);
  EXPECT_EQ(exactness.ops.at("Mul").at("f32").stops.at("an operand is too wide"), 1);
  EXPECT_EQ(exactness.ops.at("Neg").at("f32").dependent, 1);
  EXPECT_EQ(exactness.ops.at("Add").at("f32").exact, 1);
  EXPECT_EQ(exactness.ops.count("Exp"), 0u);
}

TEST(ExactModeTest, SizesMayBeInexact) {
  const Exactness exactness = exactnessOfText(R"(
fusion f(%x: f32[i0], %h: f64[] {device = cpu}) {
  %s = item(%h)
  %m = mul(%s, 0.1)
  %n = cast(%m) {dtype = i64}
  %y = slice(%x) {dim = 0, start = 0, end = %n}
  return %y
}
run {
  %x = values [1.0, 2.0] : f32[2]
  %h = values [11.0] : f64[]
}
)");
  EXPECT_FALSE(exactness.sizesAreExact);
  EXPECT_EQ(exactness.why.at(0), "mul %m: the product is too wide (f64)");
}

TEST(ExactModeTest, ManyOpsHaveARow) { EXPECT_GT(exactOps().size(), 70u); }

// --- liberties of a target -------------------------------------------------------------------------------------------

// Of an input of these two elements: "" or why not, for the target.
std::string whyNotFor(std::string_view target, const std::string& dtype, const std::string& elements,
                      const std::string& line) {
  const Case testCase =
      parseCase(concat("fusion f(%x: ", dtype, "[2]) {\n  %y = ", line, "\n  return %y\n}\nrun { %x = ", "values [",
                       elements, "] : ", dtype, "[2] }\n"),
                "test");
  const RunData data = materialize(testCase, testCase.runs[0]);
  const std::vector<reference::Value> inputs{{data.tensors[0].ref, nullptr}};
  const auto values = reference::evaluate(*testCase.fusion, inputs);
  return exactnessOf(*testCase.fusion, values, {"onnx", target}).of(*testCase.fusion->outputs().front());
}

TEST(ExactModeTest, ATargetMayHoldANumberInFewerBits) {
  struct {
    const char *dtype, *fits, *isWide, *line;
  } const rows[] = {
      {"i32", "16777214, 1", "16777216, 1", "add(%x, 1)"},                        // f32
      {"i32", "5592405, 1", "5592406, 1", "div(%x, 3) {rounding_mode = trunc}"},  // a quotient of floats
      {"i64", "1073741824, 0", "2147483648, 0", "flip(%x) {dims = [0]}"},         // i32, of which f32 has the first
      {"i64", "16777215, 1", "16777217, 1", "sum(%x) {dims = [0]}"},
      {"f64", "1.5, 0.5", "0.1, 0.5", "neg(%x)"},
      {"f64", "nan, 0.5", "inf, 0.5", "neg(%x)"},
      {"f64", "16777215.0, 1.0", "16777216.0, 1.0", "sum(%x) {dims = [0]}"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(whyNotFor("openvino", row.dtype, row.fits, row.line), "") << row.line;
    EXPECT_NE(whyNotFor("openvino", row.dtype, row.isWide, row.line).find("the target may hold it in fewer bits"),
              std::string::npos)
        << row.dtype << ' ' << row.line;
    EXPECT_EQ(whyNotFor("onnxruntime", row.dtype, row.isWide, row.line), "") << row.line;
  }
}

TEST(ExactModeTest, WhatNoTargetHoldsIsNoLiberty) {
  EXPECT_EQ(whyNotFor("openvino", "f16", "1025.0, 1024.0", "sum(%x) {dims = [0]}"),
            "sum %y: the sum is too wide (f16)");
}

TEST(ExactModeTest, AQuotientMayBeAProductWithAReciprocal) {
  const char* line = "div(%x, 41.0) {rounding_mode = trunc}";
  EXPECT_EQ(whyNotFor("xla-cpu", "f32", "42.0, 81.0", line), "");
  EXPECT_NE(whyNotFor("xla-cpu", "f32", "42.0, 82.0", line), "") << "41 * (1 / 41) is below 1";
  EXPECT_EQ(whyNotFor("onnxruntime", "f32", "42.0, 82.0", line), "");
  EXPECT_EQ(whyNotFor("xla-cpu", "f32", "42.0, 84.0", "div(%x, 2.0) {rounding_mode = trunc}"), "");
}

// (x + c) * d is x * d + c * d to OpenVINO, and x / (y / z) is x * z / y to XLA.
TEST(ExactModeTest, ATargetMayComputeInAnotherOrder) {
  const auto whyFor = [](std::string_view target, const std::string& body, const char* elements) {
    const Case testCase = parseCase(
        concat("fusion f(%x: f32[2]) {\n", body, "  return %y\n}\nrun { %x = values [", elements, "] : f32[2] }\n"),
        "test");
    const RunData data = materialize(testCase, testCase.runs[0]);
    const std::vector<reference::Value> inputs{{data.tensors[0].ref, nullptr}};
    const auto values = reference::evaluate(*testCase.fusion, inputs);
    return exactnessOf(*testCase.fusion, values, {"onnx", target}).of(*testCase.fusion->outputs().front());
  };
  const std::string linear = "  %a = add(%x, -8388608.0)\n  %b = flip(%a) {dims = [0]}\n  %y = mul(%b, 5.0)\n";
  EXPECT_EQ(whyFor("openvino", linear, "8388607.0, 8388606.0"),
            "mul %y: the target may compute it in another order (f32)");
  EXPECT_EQ(whyFor("xla-cpu", linear, "8388607.0, 8388606.0"), "");
  EXPECT_EQ(whyFor("openvino", "  %a = add(%x, -8.0)\n  %y = mul(%a, 5.0)\n", "7.0, 6.0"), "");
  EXPECT_EQ(whyFor("openvino", "  %a = add(%x, -8388608.0)\n  %y = mul(%a, %x)\n", "8388607.0, 1.0"), "");
  const std::string quotients = "  %a = div(%x, %x)\n  %y = div(%x, %a)\n";
  EXPECT_NE(whyFor("xla-cpu", quotients, "1.2676506002282294e+30, 1.0"), "");
  EXPECT_EQ(whyFor("openvino", quotients, "1.2676506002282294e+30, 1.0"), "");
  EXPECT_EQ(whyFor("xla-cpu", quotients, "2.0, 4.0"), "");
}

// --- NaN and infinities ----------------------------------------------------------------------------------------------

TEST(ExactModeTest, OnnxSaysNothingOfTheMaximumOfNan) {
  const Case testCase = parseCase("fusion f(%x: f32[2]) {\n  %y = amax(%x) {dims = [0]}\n  return %y\n}\n", "f");
  const Val& maximum = *testCase.fusion->outputs().front();
  const auto whyIn = [&](float first, std::string_view format) {
    std::vector<float> data{first, 1};
    const std::vector<reference::Value> inputs{{TensorRef{data.data(), DataType::Float, {2}, {1}, {}}, nullptr}};
    return exactnessOf(*testCase.fusion, reference::evaluate(*testCase.fusion, inputs), {format, ""})
        .of(maximum);
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(whyIn(nan, "pytorch"), "");
  EXPECT_EQ(whyIn(nan, "stablehlo"), "");
  EXPECT_EQ(whyIn(nan, "onnx"), "amax %y: it meets a NaN, and no sentence says what it gives (f32)");
  EXPECT_EQ(whyIn(2, "onnx"), "");
}

// x * convert(condition) is select(condition, x, 0) to XLA, on purpose.
TEST(ExactModeTest, AProductWithAConditionMayBeAChoice) {
  const Case testCase = parseCase(R"(
fusion f(%x: f32[2], %b: bool[2]) {
  %c = cast(%b) {dtype = f32} : f32[2]
  %d = add(%c, 0.0) : f32[2]
  %r = flip(%d) {dims = [0]} : f32[2]
  %y = mul(%x, %r)
  return %y
}
)",
                                  "f");
  const auto whyFor = [&](float first, std::string_view target) {
    std::vector<float> data{first, 1};
    std::vector<uint8_t> truth{1, 0};
    const std::vector<reference::Value> inputs{{TensorRef{data.data(), DataType::Float, {2}, {1}, {}}, nullptr},
                                               {TensorRef{truth.data(), DataType::Bool, {2}, {1}, {}}, nullptr}};
    return exactnessOf(*testCase.fusion, reference::evaluate(*testCase.fusion, inputs), {"stablehlo", target})
        .of(*testCase.fusion->outputs().front());
  };
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_NE(whyFor(infinity, "xla-cpu"), "");
  EXPECT_EQ(whyFor(infinity, "iree-cpu"), "");
  EXPECT_EQ(whyFor(2, "xla-cpu"), "");
}

TEST(ExactModeTest, ASentenceFixesNan) {
  for (const char* line :
       {"add(%x, %y)", "mul(%x, %y)", "div(%x, %y)", "maximum(%x, %y)", "fmin(%x, %y)", "lt(%x, %y)", "ne(%x, %y)",
        "neg(%x)", "floor(%x)", "isnan(%x)", "sum(%x) {dims = [0]}", "amax(%x) {dims = [0]}", "flip(%x) {dims = [0]}",
        "cast(%x) {dtype = bf16}", "cast(%x) {dtype = bool}"}) {
    EXPECT_EQ(whyNot("f32", "nan, 1.0, 1.0, 1.0", "2.0, nan, 1.0, 1.0", line), "") << line;
  }
}

TEST(ExactModeTest, WhatNoSentenceFixesIsNotJudged) {
  for (const char* line : {"relu(%x)", "sign(%x)", "clamp(%x) {min = 0.0, max = 1.0}",
                           "threshold(%x) {threshold = 0.0, value = 1.0}", "hardtanh(%x)", "copysign(%x, %y)"}) {
    EXPECT_NE(whyNot("f32", "nan, 1.0, 1.0, 1.0", line).find("it meets a NaN, and no sentence says what it gives"),
              std::string::npos)
        << line;
  }
  EXPECT_EQ(whyNot("f32", "inf, 1.0, 1.0, 1.0", "remainder(%x, %y)"),
            "remainder %z: it meets an infinity, and no sentence says what it gives (f32)");
  EXPECT_EQ(whyNot("f32", "nan, 1.0, 1.0, 1.0", "cast(%x) {dtype = i32}"),
            "cast %z: the dtype has no such number (i32)");
}

TEST(ExactModeTest, ASentenceFixesInfinities) {
  for (const char* line : {"add(%x, %y)", "mul(%x, 0.0)", "sub(%x, %x)", "div(%y, %x)", "relu(%x)", "sign(%x)",
                           "hardtanh(%x)", "fmod(%y, %x)", "gt(%x, %y)", "copysign(%x, %y)", "prod(%x) {dims = [0]}"}) {
    EXPECT_EQ(whyNot("f32", "inf, -inf, 1.0, 1.0", "2.0, 3.0, 1.0, 1.0", line), "") << line;
  }
  // Its sign is that of the zero.
  EXPECT_EQ(whyNot("f32", "inf, 1.0, 1.0, 1.0", "0.0, 1.0, 1.0, 1.0", "div(%x, %y)"),
            "div %z: a divisor is no power of two (f32)");
}

TEST(ExactModeTest, TheOtherTermsStillCount) {
  EXPECT_EQ(whyNot("f16", "nan, 1024.0, 1024.0, 1.0", "sum(%x) {dims = [0]}"), "sum %z: the sum is too wide (f16)");
  EXPECT_EQ(whyNot("f16", "inf, 1.0, 1.0, 1.0", "1.0, 1024.0, 1.0, 1.0", "add(%x, 0.1)"),
            "add %z: an operand is too wide (f16)");
}

TEST(ExactModeTest, AnOverflowIsNoInfinityByASentence) {
  EXPECT_EQ(whyNot("f16", "60000.0, 1.0, 1.0, 1.0", "mul(%x, 4.0)"), "input %x: the dtype has no such number (f16)");
  EXPECT_EQ(whyNot("f32", "65536.0, 1.0, 1.0, 1.0", "cast(%x) {dtype = f16}"),
            "cast %z: the dtype has no such number (f16)");
}

TEST(ExactModeTest, EachRowNamesASentence) {
  EXPECT_NE(sentenceOfNan(OpKind::Add), "");
  EXPECT_EQ(sentenceOfNan(OpKind::Relu), "");
  EXPECT_NE(sentenceOfInfinity(OpKind::Relu), "");
}

}  // namespace
}  // namespace fuser::fuzz
