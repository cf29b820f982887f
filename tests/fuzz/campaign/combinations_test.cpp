// Each op on each dtype at each rank that it takes, in each layout and of sizes of each class: a case of it agrees.

#include "fuzz/campaign/combinations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <set>

#include "fuser/text/parser.h"
#include "fuzz/campaign/accounting.h"
#include "fuzz/campaign/coverage_cells.h"
#include "fuzz/judge/compiler_batch.h"
#include "fuzz/judge/judge_case.h"
#include "tests/in_full.h"

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

TEST(CombinationsTest, AreThoseThatHaveACase) {
  std::vector<Combination> all;
  for (OpKind op : kAllOps) {
    for (DataType dtype : kAllDataTypes) {
      for (int64_t rank = 0; rank <= 9; ++rank) {
        const Combination one{std::string(opName(op)), std::string(dtypeName(dtype)), std::to_string(rank)};
        if (caseOf(one)) all.push_back(one);
      }
    }
  }
  EXPECT_EQ(possibleCombinations(), all);
}

// FUSER_FULL=1 judges all of them.
TEST(CombinationsTest, EachAgrees) {
  const size_t step = sampleStep(37);
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

// In each layout, with last axes of each class of sizes that coverage_cells.h counts. Some ops refuse a run with none
// or one, which have cases of their own.
std::vector<Arrangement> allArrangements() {
  constexpr int64_t kMostElements = int64_t{1} << 16;
  std::vector<Arrangement> all;
  for (const OperandLayout layout : kOperandLayouts) {
    for (const auto& lastSizes : std::vector<std::vector<int64_t>>{{0}, {1}, {2, 16, 20, 33, 40, 130, 1025}}) {
      all.push_back({layout, lastSizes, kMostElements});
    }
  }
  return all;
}

// Of an axis of no elements, or of one, which the indices and the window of these cases may not fit.
bool isRightRefusal(const std::string& reason) {
  constexpr const char* kRight[] = {"the extreme value of an empty axis is undefined", "is out of range for axis",
                                    "unfold: a window of 1 places along axis"};
  return std::any_of(std::begin(kRight), std::end(kRight),
                     [&](const char* right) { return reason.find(right) != std::string::npos; });
}

TEST(CombinationsTest, AnOperandLiesAsItIsArranged) {
  const Combination combination{"Neg", "f32", "3"};
  std::set<std::string> found;
  for (const OperandLayout layout : kOperandLayouts) {
    const Case testCase = parseCase(*caseOf(combination, {layout, {33}}), "arranged");
    for (const Cell& cell : cellsOf(testCase)) {
      if (cell[0] == "layout") found.insert(cell[2]);
      if (cell[0] == "size") {
        EXPECT_EQ(cell[2], "31 to 33");
      }
    }
    EXPECT_EQ(found.count(std::string(layoutName(layout))), 1u) << layoutName(layout);
  }
  EXPECT_EQ(found.size(), std::size(kOperandLayouts));
  EXPECT_FALSE(caseOf({"Neg", "f32", "0"}, {OperandLayout::WithGaps, {}}).has_value());
  EXPECT_FALSE(caseOf({"Neg", "f32", "0"}, {OperandLayout::RowMajor, {5}}).has_value());
  EXPECT_FALSE(caseOf({"Neg", "f32", "1"}, {OperandLayout::Permuted, {}}).has_value());
}

struct ArrangedCase {
  std::string name, text;
  bool mayBeRefused = false;  // its last axis has no elements, or one
};

// Every step-th of op x dtype x rank x layout x size class.
void forEachArranged(size_t step, const std::function<void(const ArrangedCase&)>& visit) {
  const std::vector<Arrangement> arrangements = allArrangements();
  size_t number = 0;
  for (const Combination& combination : possibleCombinations()) {
    for (const Arrangement& arrangement : arrangements) {
      if (number++ % step != 0) continue;
      if (const auto text = caseOf(combination, arrangement)) {
        visit({concat(toString(combination), ", ", layoutName(arrangement.layout)), *text,
               arrangement.lastSizes.front() < 2});
      }
    }
  }
}

// FUSER_FULL=1 judges all of them.
TEST(CombinationsTest, EachAgreesHoweverItsOperandLies) {
  size_t judged = 0, runs = 0, decided = 0, rejected = 0;
  forEachArranged(sampleStep(997), [&](const ArrangedCase& arranged) {
    const Case testCase = parseCase(arranged.text, arranged.name);
    const CaseVerdict verdict = judgeCase(testCase);
    ++judged;
    runs += testCase.runs.size();
    decided += verdict.kind == VerdictKind::Agrees;
    rejected += verdict.kind == VerdictKind::Rejected;
    const bool isRefusedRightly = arranged.mayBeRefused && isRightRefusal(verdict.reason);
    EXPECT_FALSE(isFinding(verdict.kind) || (verdict.kind == VerdictKind::Rejected && !isRefusedRightly))
        << arranged.name << "\n"
        << arranged.text << toString(verdict);
  });
  std::printf("%zu cases of %zu runs judged, %zu decided, %zu rejected\n", judged, runs, decided, rejected);
  EXPECT_GT(decided * 10, judged * 8);
}

// The compilers' results of some of them, a batch a call. FUSER_FULL=1 takes one in eleven.
TEST(CombinationsTest, EachAgreesOnTheCpuEngineAndAsPtx) {
  constexpr size_t kBatch = 64;
  std::vector<ArrangedCase> waiting;
  size_t judged = 0, withoutRoom = 0, kernels = 0, batches = 0;
  const auto judgeWaiting = [&] {
    std::vector<Case> cases;
    for (const ArrangedCase& arranged : waiting) cases.push_back(parseCase(arranged.text, arranged.name));
    std::vector<const Case*> batch;
    for (const Case& testCase : cases) batch.push_back(&testCase);
    const BatchResult result = runCompilerBatch(batch, {batches++ % std::size(kPtxArchitectures)});
    EXPECT_EQ(result.problem, "") << result.problemEngine << ", the batch from " << waiting.front().name << " on";
    EXPECT_EQ(result.skipped, "");
    for (const CompilerVerdict& finding : result.findings)
      ADD_FAILURE() << waiting[finding.index].name << "\n" << waiting[finding.index].text << toString(finding.verdict);
    judged += result.ptxCases;
    withoutRoom += result.withoutRoom;
    kernels += result.kernels;
    waiting.clear();
  };
  forEachArranged(inFull() ? 11 : 8009, [&](const ArrangedCase& arranged) {
    waiting.push_back(arranged);
    if (waiting.size() == kBatch) judgeWaiting();
  });
  if (!waiting.empty()) judgeWaiting();
  std::printf("%zu cases on both, %zu without room on one, %zu kernels\n", judged, withoutRoom, kernels);
  EXPECT_GT(judged, 10u);
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
