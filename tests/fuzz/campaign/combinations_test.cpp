// Each op on each dtype at each rank that it takes: a case of it agrees.

#include "fuzz/campaign/combinations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "fuser/text/parser.h"
#include "fuzz/campaign/accounting.h"
#include "fuzz/judge/judge_case.h"

namespace fuser::fuzz {
namespace {

TEST(CombinationsTest, ACaseHasItsCombination) {
  for (const Combination& combination : possibleCombinations()) {
    const Case testCase = parseCase(*caseOf(combination), toString(combination));
    ASSERT_EQ(combinationsOf(*testCase.fusion).count(combination), 1u) << *caseOf(combination);
  }
}

TEST(CombinationsTest, RanksAndDtypesAreThoseThatAnOpTakes) {
  std::map<std::string, int> cases;
  for (const Combination& combination : possibleCombinations()) ++cases[combination[0]];
  EXPECT_EQ(cases["Add"], 10 * 9);        // dtypes that compute, ranks 0 to 8
  EXPECT_EQ(cases["Pad"], 14 * 8);        // an axis to pad
  EXPECT_EQ(cases["Unsqueeze"], 14 * 8);  // room for one axis more
  EXPECT_EQ(cases["Eye"], 14);
  EXPECT_EQ(cases["Item"], 14);
  EXPECT_EQ(cases["BitwiseAnd"], 8 * 9);  // integers and bool
  EXPECT_FALSE(caseOf({"Item", "f32", "1"}).has_value());
  EXPECT_FALSE(caseOf({"Sin", "f32", "9"}).has_value());
  for (OpKind op : kAllOps) EXPECT_GT(cases[std::string(opName(op))], 0) << opName(op);
}

// FUSER_ALL_COMBINATIONS=1 judges all of them.
TEST(CombinationsTest, EachAgrees) {
  const size_t step = std::getenv("FUSER_ALL_COMBINATIONS") ? 1 : 37;
  const std::vector<Combination>& all = possibleCombinations();
  size_t judged = 0, decided = 0;
  for (size_t i = 0; i < all.size(); i += step) {
    JudgeSettings settings;
    settings.rejectionsAreFindings = true;
    const CaseVerdict verdict = judgeCase(parseCase(*caseOf(all[i]), toString(all[i])), settings);
    ++judged;
    decided += verdict.kind == VerdictKind::Agrees;
    EXPECT_TRUE(verdict.kind == VerdictKind::Agrees || verdict.kind == VerdictKind::Undecided)
        << toString(all[i]) << "\n"
        << *caseOf(all[i]) << toString(verdict);
  }
  std::printf("%zu of %zu combinations judged, %zu decided\n", judged, all.size(), decided);
  EXPECT_GT(decided * 10, judged * 9);
}

TEST(CombinationsTest, ACampaignListsWhatItNeverDrew) {
  Accounting accounting;
  TaskResult result;
  result.combinations = {{"Pad", "f32", "5"}};
  accounting.add("case 0", result, 0);
  const std::vector<std::string> never = accounting.summary().neverDrawn;
  EXPECT_EQ(never.size() + 1, possibleCombinations().size());
  EXPECT_EQ(std::count(never.begin(), never.end(), "Pad f32 rank 5"), 0);
  EXPECT_EQ(std::count(never.begin(), never.end(), "Pad f32 rank 6"), 1);
}

}  // namespace
}  // namespace fuser::fuzz
