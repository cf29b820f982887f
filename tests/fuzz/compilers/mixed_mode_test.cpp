#include "fuzz/compilers/mixed_mode.h"

#include <gtest/gtest.h>

#include "fuser/text/parser.h"
#include "tests/fuzz/compilers/run_values.h"

namespace fuser::fuzz {
namespace {

TEST(MixedModeTest, WhatIsMadeOfADtypeThatATargetNarrowsMayBeOther) {
  const Case testCase = parseCase(R"(
fusion f(%x: f32[i0], %n: i64[i0], %large: i64[i0]) {
  %half = mul(%x, 0.5) : f32[i0]
  %wide = cast(%x) {dtype = f64} : f64[i0]
  %third = div(%wide, 3.0) : f64[i0]
  %back = cast(%third) {dtype = f32} : f32[i0]
  %both = add(%back, %half) : f32[i0]
  %sum = add(%n, %n) : i64[i0]
  %large.sum = add(%large, %n) : i64[i0]
  return %half, %both, %sum, %large.sum
}
run {
  %x = normal(seed = 1) : f32[2]
  %n = integers(seed = 1, low = 0, high = 2) : i64[2]
  %large = integers(seed = 1, low = 4294967296, high = 4294967298) : i64[2]
}
)",
                                  "test");
  const auto held = [&](std::string_view target) {
    const RunValues values = valuesOf(testCase, testCase.runs.front());
    const Exactness exactness = exactnessOf(*testCase.fusion, values.values, {"onnx", target});
    const std::vector<const Val*> ofAll = heldOtherwise(*testCase.fusion, target, values.values, exactness);
    std::vector<bool> ofOutputs;
    for (const Val* output : testCase.fusion->outputs()) ofOutputs.push_back(ofAll[output->id()] != nullptr);
    return ofOutputs;
  };
  EXPECT_EQ(held("openvino"), (std::vector<bool>{false, true, false, true}));
  EXPECT_EQ(held("xla-cpu"), (std::vector<bool>{false, false, false, false}));
}

// By output: whether the target may hold or compute it otherwise.
std::vector<bool> otherwise(const std::string& text, std::string_view format, std::string_view target) {
  const Case testCase = parseCase(text, "test");
  const RunValues values = valuesOf(testCase, testCase.runs.front());
  const Exactness exactness = exactnessOf(*testCase.fusion, values.values, {format, target});
  const std::vector<const Val*> all = heldOtherwise(*testCase.fusion, target, values.values, exactness);
  std::vector<bool> ofOutputs;
  for (const Val* output : testCase.fusion->outputs()) ofOutputs.push_back(all[output->id()] != nullptr);
  return ofOutputs;
}

TEST(MixedModeTest, WhatATargetRegroupsMayBeOther) {
  const std::string text = R"(
fusion f(%x: f32[i0], %y: f32[i0]) {
  %once = div(%x, %y) : f32[i0]
  %moved = flip(%once) {dims = [0]} : f32[i0]
  %twice = div(%y, %moved) : f32[i0]
  %scaled = mul(%x, 0.1) : f32[i0]
  %again = mul(%scaled, 0.3) : f32[i0]
  %both = mul(%scaled, %y) : f32[i0]
  return %once, %twice, %scaled, %again, %both
}
run {
  %x = normal(seed = 1) : f32[8]
  %y = uniform(seed = 2, low = 1.0, high = 2.0) : f32[8]
}
)";
  EXPECT_EQ(otherwise(text, "stablehlo", "xla-cpu"), (std::vector<bool>{false, true, false, false, false}));
  EXPECT_EQ(otherwise(text, "onnx", "openvino"), (std::vector<bool>{false, false, false, true, false}));
  EXPECT_EQ(otherwise(text, "onnx", "onnxruntime"), std::vector<bool>(5, false));
}

TEST(MixedModeTest, ANumberOfTheRunThatF32LacksMayBeOther) {
  const auto ofScalar = [](const std::string& number) -> bool {
    return otherwise(
        "fusion f(%x: f32[i0], %s: f64) { %y = mul(%x, %s) %z = exp(%y) return %z } run { %x = "
        "normal(seed = 1) : f32[8] %s = " +
            number + " }",
        "onnx", "openvino")[0];
  };
  EXPECT_FALSE(ofScalar("0.1"));
  EXPECT_TRUE(ofScalar("1e300"));
  EXPECT_TRUE(ofScalar("inf"));
}

TEST(MixedModeTest, WhatIsMadeOfAProductThatMayBeAChoiceMayBeOther) {
  const Case testCase = parseCase(R"(
fusion f(%x: f32[i0], %b: bool[i0]) {
  %c = cast(%b) {dtype = f32} : f32[i0]
  %y = mul(%x, %c) : f32[i0]
  %z = exp(%y) : f32[i0]
  return %z
}
run {
  %x = values [inf, 1.0] : f32[2]
  %b = integers(seed = 1, low = 0, high = 2) : bool[2]
}
run {
  %x = values [2.0, 1.0] : f32[2]
  %b = integers(seed = 1, low = 0, high = 2) : bool[2]
}
)",
                                  "test");
  const auto isOther = [&](size_t run, std::string_view target) -> bool {
    const RunValues values = valuesOf(testCase, testCase.runs[run]);
    const Exactness exactness = exactnessOf(*testCase.fusion, values.values, {"stablehlo", target});
    const size_t output = testCase.fusion->outputs()[0]->id();
    return heldOtherwise(*testCase.fusion, target, values.values, exactness)[output] != nullptr;
  };
  EXPECT_TRUE(isOther(0, "xla-cpu"));
  EXPECT_FALSE(isOther(1, "xla-cpu"));
  EXPECT_FALSE(isOther(0, "iree-cpu"));
}

}  // namespace
}  // namespace fuser::fuzz
