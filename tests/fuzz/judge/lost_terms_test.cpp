// A term of a reduction that is lost or counted twice, at lengths from 8 to 10,000: the judge sees it, on the run
// itself or on a second look.

#include <gtest/gtest.h>

#include <cstdio>

#include "fuser/support/split_mix.h"
#include "fuser/text/parser.h"
#include "fuzz/judge/judge_case.h"

namespace fuser::fuzz {
namespace {

struct LostTerm {
  const char* op;
  const char* attributes;  // after dims
  const char* fault;
  bool lastDecides = false;  // the result, which of an extreme is one term
};

constexpr LostTerm kLostTerms[] = {
    {"sum", "", "bound-one-less"},
    {"sum", "", "first-element-twice"},
    {"mean", "", "bound-one-less"},
    {"mean", "", "first-element-twice"},
    {"prod", "", "bound-one-less"},
    {"prod", "", "first-element-twice"},
    {"var", ", correction = 1", "bound-one-less"},
    {"var", ", correction = 1", "first-element-twice"},
    {"var_mean", ", correction = 0", "bound-one-less"},
    {"var_mean", ", correction = 0", "first-element-twice"},
    {"amax", "", "bound-one-less", true},
    {"amin", "", "bound-one-less", true},
    {"any", "", "bound-one-less", true},
    {"all", "", "bound-one-less", true},
};

bool isTruth(const LostTerm& lost) { return std::string_view(lost.op) == "any" || std::string_view(lost.op) == "all"; }

// One row of n terms, the last of which decides an extreme.
std::string dataOf(const LostTerm& lost, int64_t n) {
  const std::string type = isTruth(lost) ? "bool" : "f32";
  if (!lost.lastDecides) {
    const bool product = std::string_view(lost.op) == "prod";
    return concat("%a = uniform(seed = 7, low = ", product ? "0.99" : "0.1", ", high = ", product ? "1.01" : "1.0",
                  ") : ", type, "[1, ", n, "]");
  }
  const bool least = std::string_view(lost.op) == "amin" || std::string_view(lost.op) == "all";
  std::string values;
  for (int64_t i = 0; i < n; ++i) {
    const uint64_t draw = splitMix64(static_cast<uint64_t>(i)) % 100;
    const std::string other = isTruth(lost) ? (least ? "true" : "false") : concat(draw, ".0");
    const std::string extreme = isTruth(lost) ? (least ? "false" : "true") : least ? "-1.0" : "100.0";
    values += concat(i ? ", " : "", i == n - 1 ? extreme : other);
  }
  return concat("%a = values [", values, "] : ", type, "[1, ", n, "]");
}

std::string caseOf(const LostTerm& lost, int64_t n, bool faulty) {
  const bool two = std::string_view(lost.op) == "var_mean";
  return concat("fusion w(%a: ", isTruth(lost) ? "bool" : "f32", "[i0, i1]) {\n  ", two ? "%v, %m" : "%v", " = ",
                lost.op, "(%a) {dims = [1]", lost.attributes, "}\n  return ", two ? "%v, %m" : "%v", "\n}\n",
                faulty ? concat("option fault = \"", lost.fault, "\"\n") : "", "run { ", dataOf(lost, n), " }\n");
}

TEST(LostTermsTest, AreSeenAtEveryLength) {
  JudgeSettings settings;
  settings.secondLooks = HowOften::Always;
  std::printf("%-10s %-20s %12s %12s %12s %12s\n", "op", "fault", "n = 8", "100", "1,000", "10,000");
  for (const LostTerm& lost : kLostTerms) {
    std::printf("%-10s %-20s", lost.op, lost.fault);
    for (int64_t n : {8, 100, 1000, 10000}) {
      const CaseVerdict verdict = judgeCase(parseCase(caseOf(lost, n, true), "lost term"), settings);
      const std::string seen = isFinding(verdict.kind) ? std::string(seenInName(verdict.seenIn)) : "missed";
      std::printf(" %12s", seen.c_str());
      EXPECT_TRUE(verdict.faultApplied) << lost.fault << " in " << lost.op << " of " << n;
      EXPECT_TRUE(isFinding(verdict.kind))
          << lost.fault << " in " << lost.op << " of " << n << ": " << toString(verdict);
      const CaseVerdict right = judgeCase(parseCase(caseOf(lost, n, false), "no lost term"), settings);
      EXPECT_EQ(right.kind, VerdictKind::Agrees) << lost.op << " of " << n << ": " << toString(right);
    }
    std::printf("\n");
  }
}

}  // namespace
}  // namespace fuser::fuzz
