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
