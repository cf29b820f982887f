// The cost of a case: which run, which kernels, what its traffic is.

#include "fuser/runtime/case_cost.h"

#include <gtest/gtest.h>

#include "fuser/runtime/counted_run.h"
#include "fuser/text/parser.h"
#include "tests/golden/golden_tests.h"

namespace fuser {
namespace {

CaseCost costOfText(const std::string& text) { return costOf(parseCase(text, "case"), {.registers = false}); }

const golden::Texts kTables("tests/fuser/runtime/case_cost.txt", {},
                            [](const golden::Case& test) { return toTable(costOfText(test.input), "case"); });

constexpr const char* kNeg = "fusion f(%x: f32[i0]) { %y = neg(%x)\n return %y }\n";

TEST(CaseCostTest, TakesTheFirstRunWithMostElements) {
  const auto runOf = [](const std::string& runs) { return dearestRun(parseCase(kNeg + runs, "case")); };
  const auto sized = [](int64_t size) { return concat("run { %x = normal(seed = 1) : f32[", size, "] }\n"); };
  EXPECT_EQ(runOf(sized(8) + sized(256) + sized(256) + sized(16)), 1u);
  EXPECT_EQ(runOf(sized(8) + "expect agrees\nrun { %x = normal(seed = 1) : f32[4000000000] }\nexpect rejected\n"), 0u);
  EXPECT_THROW(runOf("run { %x = normal(seed = 1) : f32[4000000000] }\nexpect rejected\n"), UserError);
  EXPECT_THROW(runOf(""), UserError);
}

TEST(CaseCostTest, ACopyOfMemoryHasTraffic1) {
  const CaseCost cost = costOfText(std::string(kNeg) + "run { %x = normal(seed = 1) : f32[256] }");
  ASSERT_EQ(cost.kernels.size(), 1u);
  EXPECT_EQ(cost.kernels[0].name, "k0_pointwise");
  EXPECT_EQ(cost.kernels[0].scheduler, "PointWise");
  EXPECT_EQ(cost.total.compulsory, 64);
  EXPECT_EQ(cost.ownSectors, 64);
  EXPECT_EQ(cost.traffic(), 1.0);
}

TEST(CaseCostTest, TheOffsetOfAnInputCounts) {
  const CaseCost cost = costOfText(std::string(kNeg) + "run { %x = normal(seed = 1) : f32[256] {offset = 1} }");
  EXPECT_EQ(cost.ownSectors, 33 + 32);
  EXPECT_EQ(cost.total.compulsory, 33 + 32);
}

TEST(CaseCostTest, WhatIsStoredBetweenKernelsIsTraffic) {
  const CaseCost cost = costOfText(
      "fusion f(%x: f32[i0]) { %a = neg(%x)\n %b = segment_set(%a)\n %y = exp(%b)\n return %y }\n"
      "run { %x = normal(seed = 1) : f32[256] }");
  ASSERT_EQ(cost.kernels.size(), 2u);
  EXPECT_EQ(cost.traffic(), 2.0);
  EXPECT_EQ(cost.total.launches, 2);
}

// 2048 x 2048 results of 1024 terms: 2^32 terms, which no tensor may have. Tiles of 128 x 128 need 16,384 sectors of
// each side, and their own.
TEST(CaseCostTest, ALongSumIsCountedOnASampleOfItsBlocks) {
  const std::string text =
      "fusion f(%a: f16[i0, i1], %w: f16[i2, i1], %b: f16[i2]) { %y = linear(%a, %w, %b)\n return %y }\n"
      "run { %a = normal(seed = 1) : f16[2048, 1024]  %w = normal(seed = 2) : f16[2048, 1024]\n"
      "      %b = normal(seed = 3) : f16[2048] }\n";
  const CaseCost cost = costOfText(text);
  EXPECT_EQ(cost.total.blocks, 256);
  EXPECT_EQ(cost.total.sampled, 8);
  EXPECT_EQ(cost.total.bankConflicts, 0);
  EXPECT_EQ(cost.total.perBlock, 256 * (2 * 128 * 1024 + 128 * 128 + 128) * 2 / 32);
  EXPECT_EQ(cost.total.compulsory, cost.ownSectors);
  EXPECT_EQ(cost.total.compulsoryOfWeights, 2048 * 2 / 32);
  EXPECT_NE(toTable(cost, "f").find("; counted on 8 of 256 blocks\n"), std::string::npos);
}

TEST(CaseCostTest, AViewTakesNoKernel) {
  const CaseCost cost = costOfText(
      "fusion f(%x: f32[i0, i1]) { %y = permute(%x) {dims = [1, 0]}\n return %y }\n"
      "run { %x = normal(seed = 1) : f32[16, 16] }");
  EXPECT_EQ(cost.kernels.size(), 0u);
  EXPECT_EQ(cost.ownSectors, 32);
  EXPECT_EQ(cost.traffic(), 0.0);
}

TEST(CaseCostTest, NothingHasNoTraffic) {
  const CaseCost cost = costOfText(std::string(kNeg) + "run { %x = normal(seed = 1) : f32[0] }");
  EXPECT_EQ(cost.kernels.size(), 0u);
  EXPECT_EQ(cost.traffic(), std::nullopt);
}

TEST(CaseCostTest, TheDeviceIsH200WhateverTheCaseSays) {
  const std::string run = "run { %x = normal(seed = 1) : f32[4096] }";
  const CaseCost own = costOfText(std::string(kNeg) + run);
  const CaseCost tiny = costOfText(std::string(kNeg) + "option device = \"tiny\"\n" + run);
  EXPECT_EQ(toTable(own, "f"), toTable(tiny, "f"));
}

}  // namespace
}  // namespace fuser
