// junit.xml: a case a bucket, a corpus file and the campaign; counts that add up; XML 1.0 whatever the texts hold.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "reports/campaign_summary.h"
#include "tests/reports/samples/summaries.h"
#include "tests/reports/xml_tree.h"

namespace reports {
namespace {

using reports_test::fullSummary;
using reports_test::hostileSummary;
using reports_test::parseXml;
using reports_test::XmlNode;

void expectCountsAddUp(const XmlNode& root) {
  const XmlNode& suite = *root.all("testsuite").at(0);
  EXPECT_EQ(suite.attributes.at("tests"), std::to_string(suite.all("testcase").size()));
  EXPECT_EQ(suite.attributes.at("failures"), std::to_string(suite.all("failure").size()));
  EXPECT_EQ(suite.attributes.at("errors"), std::to_string(suite.all("error").size()));
  EXPECT_EQ(suite.attributes.at("skipped"), std::to_string(suite.all("skipped").size()));
}

TEST(JUnitTest, NewBucketsFailKnownBucketsAreSkippedCorpusFilesAreTestCases) {
  const XmlNode root = parseXml(toJUnit(fullSummary()));
  EXPECT_EQ(root.tag, "testsuites");
  ASSERT_EQ(root.all("testcase").size(), 3u + 2u + 1u);
  EXPECT_EQ(root.all("failure").size(), 3u);
  EXPECT_EQ(root.all("skipped").size(), 1u);
  expectCountsAddUp(root);
  const XmlNode& failure = *root.all("failure").at(0);
  EXPECT_EQ(failure.attributes.at("type"), "differs");
  for (const char* text : {"2 findings; this one from seed 7 case 3", "; commands run in the folder of the report\n",
                           "replay: fuserfuzz replay out/minimized-from-3.fusion", "%c = cast(%x)", "[0.5, 0.5]"}) {
    EXPECT_NE(failure.text.find(text), std::string::npos) << text;
  }
  for (const char* text : {"mismatch-", "[0.24, 0.26]"}) EXPECT_EQ(failure.text.find(text), std::string::npos) << text;
  EXPECT_EQ(failure.attributes.at("message"), "cast has or lacks NaN in 1 of 1 element");
}

TEST(JUnitTest, ACleanCampaignIsAPassingSuite) {
  CampaignSummary summary = fullSummary();
  summary.findings.clear();
  summary.corpus.clear();
  summary.compilers.skipped.clear();
  const XmlNode root = parseXml(toJUnit(summary));
  EXPECT_EQ(root.all("testcase").size(), 1u);
  EXPECT_TRUE(root.all("failure").empty() && root.all("error").empty());
  expectCountsAddUp(root);
}

TEST(JUnitTest, NothingJudgedIsAnError) {
  const XmlNode root = parseXml(toJUnit(CampaignSummary{}));
  EXPECT_EQ(root.all("error").size(), 1u);
  expectCountsAddUp(root);
}

// A file of a corpus fails by its own name, once; a known one fails nothing.
TEST(JUnitTest, ACorpusFilesFindingCountsOnce) {
  CampaignSummary summary = fullSummary();
  summary.findings.resize(1);
  summary.findings[0].origin = "corpus/b.fusion";
  const XmlNode red = parseXml(toJUnit(summary));
  ASSERT_EQ(red.all("failure").size(), 1u);
  EXPECT_EQ(red.all("testcase").size(), 2u + 1u);  // the files, the campaign
  EXPECT_NE(red.all("failure").at(0)->text.find("replay: fuserfuzz replay"), std::string::npos);
  expectCountsAddUp(red);
  summary.findings[0].known = summary.corpus[1].known = "erf near 0";
  const XmlNode known = parseXml(toJUnit(summary));
  EXPECT_TRUE(known.all("failure").empty());
  ASSERT_EQ(known.all("skipped").size(), 1u);
  EXPECT_EQ(known.all("skipped").at(0)->attributes.at("message"), "known: erf near 0");
  expectCountsAddUp(known);
  // A generated case of the same bucket is a failure of its own.
  summary.findings.push_back(summary.findings[0]);
  summary.findings[1].origin = "seed 7 case 1";
  summary.findings[1].known = "";
  EXPECT_EQ(parseXml(toJUnit(summary)).all("failure").size(), 1u);
}

TEST(JUnitTest, ACheckThatCouldNotRunIsAnErrorBesideAKnownFinding) {
  CampaignSummary summary = fullSummary();
  summary.corpus.clear();
  summary.findings = {summary.findings[3]};
  ASSERT_NE(summary.findings[0].known, "");
  const XmlNode root = parseXml(toJUnit(summary));
  ASSERT_EQ(root.all("error").size(), 1u);
  EXPECT_NE(root.all("error").at(0)->attributes.at("message").find("nvrtc: not here"), std::string::npos);
  expectCountsAddUp(root);
  EXPECT_NE(toHtml(summary).find("No new finding, but a check could not run: nvrtc: not here"), std::string::npos);
  summary.findings[0].known = "";
  EXPECT_TRUE(parseXml(toJUnit(summary)).all("error").empty());
  EXPECT_EQ(setUpProblem(summary), "");
}

TEST(JUnitTest, TheSummaryIsInTheProperties) {
  const XmlNode root = parseXml(toJUnit(fullSummary()));
  std::map<std::string, std::string> properties;
  for (const XmlNode* property : root.all("property")) {
    properties[property->attributes.at("name")] = property->attributes.at("value");
  }
  EXPECT_EQ(properties.at("seed"), "7");
  EXPECT_EQ(properties.at("decided_share"), "0.990000");
  EXPECT_EQ(properties.at("verdict.rejected"), "100");
  EXPECT_EQ(properties.at("stamp.version"), "0.1");
}

RC_GTEST_PROP(JUnitTest, AnyTextGivesWellFormedXml, (const std::string& text)) {
  expectCountsAddUp(parseXml(toJUnit(hostileSummary(text))));
}

}  // namespace
}  // namespace reports
