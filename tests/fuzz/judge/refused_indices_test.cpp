// Runs that may be rejected: for an index they are held against the indices that LibTorch has.

#include "fuzz/judge/refused_indices.h"

#include <gtest/gtest.h>

#include "fuser/support/check.h"
#include "fuser/text/parser.h"
#include "fuzz/judge/judge_case.h"

namespace fuser::fuzz {
namespace {

constexpr size_t kMaxBytes = size_t{1} << 20;

// A gather from 7 elements: `indices` makes %j of %i, whose elements are below `end`.
Case gathering(const std::string& indices, int end, const std::string& result = "%g", const std::string& options = "") {
  return parseCase(
      concat("fusion f(%x: f32[i0], %i: i64[i1], %z: f32[i1]) {\n  ", indices,
             "\n  %g = gather(%x, %j) {dim = 0}\n  %y = abs(%g)\n  %part = slice(%y) {dim = 0, start = 1}\n",
             "  return ", result, "\n}\n", options,
             "run { %x = normal(seed = 1) : f32[7]\n  %i = integers(seed = 2, low = ", end - 1, ", high = ", end,
             ") : i64[4]\n  %z = uniform(seed = 3, low = 0, high = 90) : f32[4] }\n", "expect agrees or rejected\n"),
      "case");
}

std::string refused(const Case& testCase) { return wrongRefusal(testCase, 0, "index 7", kMaxBytes); }
std::string taken(const Case& testCase) { return wrongRefusal(testCase, 0, "", kMaxBytes); }

TEST(RefusedIndicesTest, ARunIsRejectedForAnIndexThatIsOutOfRange) {
  const Case lastPlace = gathering("%j = set(%i)", 7), beyond = gathering("%j = set(%i)", 8);
  EXPECT_EQ(refused(lastPlace), "rejected, and no index is out of range: index 7");
  EXPECT_EQ(taken(lastPlace), "");
  EXPECT_EQ(refused(beyond), "");
  EXPECT_EQ(taken(beyond), "an index of %g is out of range, and the run is not rejected");
  EXPECT_NE(taken(gathering("%j = sub(%i, 7)", 7)), "");  // -1
}

TEST(RefusedIndicesTest, WhatIsComputedOfIntegersIsAnIndex) {
  const std::string remainder = "%n = size(%x) {dim = 0}\n  %j = remainder(%i, %n)";
  EXPECT_NE(refused(gathering(remainder, 90)), "");
  EXPECT_EQ(taken(gathering(remainder, 90)), "");
  EXPECT_NE(taken(gathering("%j = mul(%i, %i)", 4)), "");
}

TEST(RefusedIndicesTest, AnIndexThatIsReadForNothingMayBeAny) {
  EXPECT_NE(taken(gathering("%j = set(%i)", 8, "%y")), "");
  EXPECT_EQ(taken(gathering("%j = set(%i)", 8, "%part")), "");
}

TEST(RefusedIndicesTest, OfFloatsAndOfShiftsNothingIsSaid) {
  for (const char* indices : {"%j = cast(%z) {dtype = i64}", "%j = bitwise_left_shift(%i, %i)"}) {
    EXPECT_EQ(refused(gathering(indices, 1)), "") << indices;
    EXPECT_EQ(taken(gathering(indices, 90)), "") << indices;
  }
}

// Its expm1 of log1p(47) is below 47, and ours is not: the program has as many indices as ours.
TEST(RefusedIndicesTest, OfACountThatFloatsGiveNothingIsSaid) {
  const Case counted = parseCase(R"(
fusion f(%s: f64, %z: f32[i1]) {
  %q = log1p(%s)
  %r = expm1(%q)
  %n = cast(%r) {dtype = i64}
  %j = arange() {end = %n, dtype = i64}
  %g = gather(%z, %j) {dim = 0}
  return %g
}
run { %s = 47.0   %z = normal(seed = 2) : f32[46] }
expect agrees or rejected
)",
                                 "case");
  EXPECT_EQ(wrongRefusal(counted, 0, "", kMaxBytes), "");
  EXPECT_FALSE(isFinding(judgeCase(counted, {}).kind));
}

TEST(RefusedIndicesTest, ARunWhoseSizesDoNotFitSaysNothingOfAnother) {
  const Case two = parseCase(R"(
fusion f(%x: f32[i0], %i: i64[i1], %z: f32[i1]) {
  %g = gather(%x, %i) {dim = 0}
  return %g
}
run { %x = normal(seed = 1) : f32[3]   %i = values [0, 9] : i64[2]   %z = normal(seed = 2) : f32[2] }
run { %x = normal(seed = 1) : f32[3]   %i = values [0, 1] : i64[2]   %z = normal(seed = 2) : f32[3] }
expect agrees or rejected
)",
                             "case");
  EXPECT_NE(wrongRefusal(two, 0, "", kMaxBytes), "");
}

// It refuses what makes other indices.
TEST(RefusedIndicesTest, WhatLibTorchRefusesIsNotKnown) {
  const Case twice = gathering("%k = add(%i, 1)\n  %j = gather(%i, %k) {dim = 0}", 7);
  EXPECT_EQ(refused(twice), "");
}

TEST(RefusedIndicesTest, TheJudgeAsks) {
  const Case right = gathering("%j = set(%i)", 7), bad = gathering("%j = set(%i)", 9);
  EXPECT_EQ(judgeCase(right, {}).kind, VerdictKind::Agrees);
  EXPECT_EQ(judgeCase(bad, {}).kind, VerdictKind::Agrees);
  for (const char* fault : {"last-index-refused", "bad-index-unreported"}) {
    const bool isRefused = std::string_view(fault) == "last-index-refused";
    const CaseVerdict verdict =
        judgeCase(gathering("%j = set(%i)", isRefused ? 7 : 9, "%g", concat("option fault = \"", fault, "\"\n")), {});
    EXPECT_EQ(verdict.kind, VerdictKind::Invariant) << fault;
    EXPECT_NE(verdict.reason.find("out of range"), std::string::npos) << verdict.reason;
  }
}

}  // namespace
}  // namespace fuser::fuzz
