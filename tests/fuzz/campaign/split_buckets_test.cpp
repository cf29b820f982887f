// Which findings are minimised, and the buckets that come of it.

#include "fuzz/campaign/split_buckets.h"

#include <gtest/gtest.h>

namespace fuser::fuzz {
namespace {

const char* kSymptom = "differs | kernel | reduction | other";

LedgerFinding finding(const std::string& file, const std::string& op, const std::string& structure, int64_t bytes) {
  LedgerFinding result;
  result.kind = "differs";
  result.bucket = kSymptom;
  result.label = "fails fresh";
  result.file = file;
  result.guiltyOp = op;
  result.structure = structure;
  result.bytes = bytes;
  return result;
}

std::vector<std::string> chosen(const std::vector<LedgerFinding>& findings, const std::vector<std::string>& done = {}) {
  std::vector<reports::MinimizedFinding> minimized;
  for (const std::string& file : done) minimized.emplace_back().finding = file;
  std::vector<std::string> files;
  for (const LedgerFinding* one : chooseForMinimizing(findings, minimized)) files.push_back(one->file);
  return files;
}

using Files = std::vector<std::string>;

TEST(ChooseForMinimizingTest, TakesTheShortestOfEachOpAndStructure) {
  EXPECT_EQ(chosen({finding("a", "Sum", "Neg Sum", 30), finding("b", "Sum", "Neg Sum", 20),
                    finding("c", "Sum", "Exp Sum", 40), finding("d", "Prod", "Neg Prod", 50)}),
            (Files{"b", "d", "c"}));  // an op of its own first
}

TEST(ChooseForMinimizingTest, SkipsKnownAndFlakyFindingsAndThoseWithoutAFile) {
  LedgerFinding known = finding("a", "Sum", "Sum", 1), flaky = known, lost = known;
  known.known = "erf near 0";
  flaky.label = "flaky: 3 of 10";
  lost.file = "";
  EXPECT_EQ(chosen({known, flaky, lost}), Files{});
}

TEST(ChooseForMinimizingTest, StopsAtTheCapWhichIncludesFinishedOnes) {
  std::vector<LedgerFinding> many;
  for (int i = 10; i < 50; ++i) many.push_back(finding(std::to_string(i), "Sum", std::string(i, 'x'), i));
  const Files all = chosen(many);
  EXPECT_EQ(all.size(), kMinimizedPerSymptom);
  EXPECT_EQ(all.front(), "10");
  EXPECT_EQ(chosen(many, {"10", "11"}).size(), kMinimizedPerSymptom - 2);
  EXPECT_EQ(chosen(many, all), Files{});
}

TEST(ChooseForMinimizingTest, TakesOneOfASymptomThatNamesItsCause) {
  LedgerFinding one = finding("a", "", "Neg", 9), two = finding("b", "", "Exp", 8);
  one.kind = two.kind = "check";
  one.bucket = two.bucket = "check | kernel | - | x.cpp: a == b";
  EXPECT_EQ(chosen({one, two}), Files{"b"});
  EXPECT_EQ(chosen({one, two}, {"a"}), Files{});
}

reports::Finding reported(const std::string& file, const std::string& op, const std::string& structure) {
  reports::Finding result;
  result.kind = "differs";
  result.symptom = kSymptom;
  result.file = file;
  result.guiltyOp = op;
  result.structure = structure;
  return result;
}

reports::MinimizedFinding smallest(const std::string& file, const std::string& bucket, int64_t exprs) {
  reports::MinimizedFinding result;
  result.finding = file;
  result.symptom = kSymptom;
  result.bucket = bucket;
  result.exprsAfter = exprs;
  return result;
}

// Two bugs with one symptom are two buckets; what was not minimised goes to the one that is most like it.
TEST(SplitBucketsTest, FindingsJoinTheMostSimilarSmallestCase) {
  reports::CampaignSummary summary;
  summary.findings = {reported("a", "Sum", "Neg Sum"), reported("b", "Prod", "Exp Prod"),
                      reported("", "Prod", "Exp Prod"), reported("d", "Prod", "Prod"), reported("e", "Amax", "Amax")};
  summary.minimized = {smallest("a", "of a", 2), smallest("b", "of b", 1)};
  splitBuckets(summary);
  std::vector<std::string> buckets, placedBy;
  for (const reports::Finding& finding : summary.findings) {
    buckets.push_back(finding.bucket);
    placedBy.push_back(finding.placedBy);
  }
  EXPECT_EQ(buckets, (Files{"of a", "of b", "of b", "of b", "of b"}));
  EXPECT_EQ(placedBy, (Files{reports::kItsSmallestCase, reports::kItsSmallestCase, "a finding of its guilty op and ops",
                             "a finding of its guilty op", "a finding of its symptom"}));
}

TEST(SplitBucketsTest, WithoutASmallestCaseTheSymptomIsTheBucket) {
  reports::CampaignSummary summary;
  summary.findings = {reported("a", "Sum", "Sum"), reported("b", "Sum", "Sum")};
  summary.findings[1].symptom = "differs | kernel | pointwise | nan";
  summary.minimized = {smallest("a", kSymptom, 0)};
  summary.minimized[0].problem = "it does not always fail";
  splitBuckets(summary);
  EXPECT_EQ(summary.findings[0].bucket, kSymptom);
  EXPECT_EQ(summary.findings[1].bucket, summary.findings[1].symptom);
  EXPECT_EQ(summary.findings[0].placedBy, "its symptom");
}

}  // namespace
}  // namespace fuser::fuzz
