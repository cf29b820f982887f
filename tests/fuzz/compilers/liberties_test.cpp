#include "fuzz/compilers/liberties.h"

#include <gtest/gtest.h>

#include "fuser/text/parser.h"
#include "tests/fuzz/compilers/run_values.h"

namespace fuser::fuzz {
namespace {

TEST(LibertiesTest, WhatIsMadeOfADtypeThatATargetNarrowsMayBeOther) {
  const Case testCase = parseCase(R"(
fusion f(%x: f32[i0], %n: i64[i0]) {
  %half = mul(%x, 0.5) : f32[i0]
  %wide = cast(%x) {dtype = f64} : f64[i0]
  %back = cast(%wide) {dtype = f32} : f32[i0]
  %both = add(%back, %half) : f32[i0]
  %sum = add(%n, %n) : i64[i0]
  return %half, %both, %sum
}
run {
  %x = normal(seed = 1) : f32[2]
  %n = integers(seed = 1, low = 0, high = 2) : i64[2]
}
)",
                                  "test");
  const auto held = [&](std::string_view target) {
    const RunValues values = valuesOf(testCase, testCase.runs.front());
    const std::vector<bool> ofAll = heldOtherwise(*testCase.fusion, target, values.values);
    std::vector<bool> ofOutputs;
    for (const Val* output : testCase.fusion->outputs()) ofOutputs.push_back(ofAll[output->id()]);
    return ofOutputs;
  };
  EXPECT_EQ(held("openvino"), (std::vector<bool>{false, true, true}));
  EXPECT_EQ(held("xla-cpu"), (std::vector<bool>{false, false, false}));
}

TEST(LibertiesTest, WhatIsMadeOfAProductThatMayBeAChoiceMayBeOther) {
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
    return heldOtherwise(*testCase.fusion, target, values.values)[testCase.fusion->outputs()[0]->id()];
  };
  EXPECT_TRUE(isOther(0, "xla-cpu"));
  EXPECT_FALSE(isOther(1, "xla-cpu"));
  EXPECT_FALSE(isOther(0, "iree-cpu"));
}

}  // namespace
}  // namespace fuser::fuzz
