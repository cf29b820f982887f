// report.html: what a reader must find in it, and that no text breaks it.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "reports/campaign_summary.h"
#include "reports/markup.h"
#include "tests/reports/summaries.h"
#include "tests/reports/xml_tree.h"

namespace reports {
namespace {

using reports_test::fullSummary;
using reports_test::hostileSummary;
using reports_test::parseXml;
using reports_test::XmlNode;

XmlNode pageOf(const CampaignSummary& summary) { return parseXml(toHtml(summary)); }

const XmlNode& section(const XmlNode& page, const std::string& id) {
  for (const XmlNode* node : page.all("section")) {
    if (node->attributes.at("id") == id) return *node;
  }
  throw std::runtime_error("no section " + id);
}

bool has(const XmlNode& node, const std::string& text) { return node.allText().find(text) != std::string::npos; }

std::string headline(const CampaignSummary& summary) { return pageOf(summary).all("h1").at(0)->allText(); }

TEST(ReportHtmlTest, TheHeadlineCountsNewBugsAlone) {
  CampaignSummary summary = fullSummary();
  EXPECT_NE(headline(summary).find("2 suspected bugs, from 3 findings"), std::string::npos) << headline(summary);
  summary.interrupted = true;
  EXPECT_NE(headline(summary).find("not finished"), std::string::npos);
  summary.interrupted = false;
  summary.findings.erase(summary.findings.begin(), summary.findings.end() - 1);
  EXPECT_NE(headline(summary).find("No new finding, but a check could not run"), std::string::npos);
  summary.compilers.skipped.clear();
  EXPECT_NE(headline(summary).find("No new finding in 2,000 cases, beside 1 known issue"), std::string::npos);
  summary.findings.clear();
  EXPECT_NE(headline(summary).find("No new finding"), std::string::npos);
}

TEST(ReportHtmlTest, ACampaignThatJudgedNothingIsNotClean) {
  EXPECT_NE(headline(CampaignSummary{}).find("Nothing was judged"), std::string::npos);
  EXPECT_TRUE(pageOf(CampaignSummary{}).withClass("good").empty());
}

TEST(ReportHtmlTest, SaysWhatRan) {
  const XmlNode page = pageOf(fullSummary());
  const XmlNode& stamp = *page.withClass("stamp").at(0);
  for (const char* text : {"seed", "7", "exit code", "77 (findings)", "version", "0.1", "40 s"}) {
    EXPECT_TRUE(has(stamp, text)) << text;
  }
}

TEST(ReportHtmlTest, BucketsComeNewAndFrequentFirst) {
  const XmlNode page = pageOf(fullSummary());
  const std::vector<const XmlNode*> buckets = page.withClass("bucket");
  ASSERT_EQ(buckets.size(), 3u);
  EXPECT_TRUE(has(*buckets[0], "pass ConsecutiveCastPass"));
  EXPECT_EQ(buckets[0]->withClass("count").at(0)->text, "2 ×");
  EXPECT_TRUE(has(*buckets[1], "crash"));
  EXPECT_TRUE(has(*buckets[2], "known: erf near 0"));
  EXPECT_TRUE(buckets[0]->attributes.count("open"));
  EXPECT_FALSE(buckets[2]->attributes.count("open"));
}

std::vector<std::string> commandsOf(const XmlNode& bucket) {
  std::vector<std::string> commands;
  for (const XmlNode* command : bucket.withClass("command")) commands.push_back(command->all("code").at(0)->text);
  return commands;
}

// Of another finding of the bucket only the table has something.
TEST(ReportHtmlTest, ACardShowsOneCaseThroughout) {
  CampaignSummary summary = fullSummary();
  summary.findings[1].detail = "elements of another case";
  const XmlNode page = pageOf(summary);
  const XmlNode& bucket = *page.withClass("bucket").at(0);
  EXPECT_TRUE(has(bucket, "Made of seed 7 case 3"));
  EXPECT_EQ(bucket.withClass("reason").at(0)->text, "cast %c: 1 element outside");
  for (const char* other : {"elements of another case", "replay out/mismatch-2", "accepted [0.24, 0.26]"}) {
    EXPECT_FALSE(has(bucket, other)) << other;
  }
  EXPECT_TRUE(has(*bucket.all("table").at(0), "mismatch-2.fusion"));
  EXPECT_TRUE(has(bucket, "1 were not minimised"));
}

// That could not be minimised: as it came, and not the first one of its bucket.
TEST(ReportHtmlTest, ACardWithoutSmallestCaseShowsTheFindingThatWasTried) {
  CampaignSummary summary = fullSummary();
  summary.minimized[0].problem = "it does not reproduce alone";
  const XmlNode page = pageOf(summary);
  const XmlNode& bucket = *page.withClass("bucket").at(0);
  EXPECT_TRUE(has(bucket, "From seed 7 case 3"));
  EXPECT_TRUE(has(bucket, "accepted [0.24, 0.26]"));
  EXPECT_FALSE(has(bucket, "accepted [0.5, 0.5]"));
  EXPECT_EQ(commandsOf(bucket), (std::vector<std::string>{"fuserfuzz replay out/mismatch-3.fusion",
                                                          "fuserfuzz minimize out/mismatch-3.fusion"}));
}

TEST(ReportHtmlTest, ABucketShowsItsCasePictureAndCommands) {
  const XmlNode page = pageOf(fullSummary());
  const XmlNode& bucket = *page.withClass("bucket").at(0);
  EXPECT_EQ(bucket.all("mark").at(0)->text, "  %c = cast(%x) {dtype = f16}");
  EXPECT_FALSE(has(bucket, "#: source"));
  EXPECT_TRUE(has(bucket, "21 expressions before, 3 after"));
  EXPECT_TRUE(has(bucket, "accepted [0.5, 0.5]"));
  EXPECT_EQ(bucket.withClass("title").at(0)->text, "cast has or lacks NaN in 1 of 1 element");
  EXPECT_EQ(commandsOf(bucket), std::vector<std::string>{"fuserfuzz replay out/minimized-from-3.fusion"});
  const XmlNode& graph = *bucket.withClass("graph").at(0);
  EXPECT_EQ(graph.withClass("segment").size(), 2u);
  EXPECT_EQ(graph.withClass("edge").size(), 3u);
  EXPECT_EQ(graph.withClass("wrong").size(), 1u);
  EXPECT_TRUE(has(*graph.withClass("wrongtext").at(0), "✗ %c = cast(%x)"));
  EXPECT_TRUE(has(graph, "%d f16[i0]"));
  EXPECT_TRUE(has(*page.withClass("bucket").at(1), "Not minimised: it does not reproduce alone"));
}

TEST(ReportHtmlTest, TheHeatMapHasACellForEachOpDtypeAndScheduler) {
  const XmlNode page = pageOf(fullSummary());
  const XmlNode& table = *page.withClass("heat").at(0);
  const std::vector<const XmlNode*> rows = table.all("tbody").at(0)->all("tr");
  ASSERT_EQ(rows.size(), 4u);  // add, atan2, size, sum
  for (const XmlNode* row : rows) EXPECT_EQ(row->children.size(), 3 + 3u);
  EXPECT_TRUE(has(*rows[0], "1.2k"));
  EXPECT_EQ(rows[0]->withClass("h4").size(), 1u);  // 1,234 cases
  EXPECT_EQ(rows[0]->withClass("h1").size(), 1u);  // 9
  EXPECT_EQ(rows[1]->withClass("h0").size(), 3u);  // atan2
  EXPECT_TRUE(has(*rows[3], "87.50 %"));
  EXPECT_TRUE(has(section(page, "coverage"), "Never generated (1)"));
}

TEST(ReportHtmlTest, MarginsPutTheWorstOpFirst) {
  const XmlNode page = pageOf(fullSummary());
  const std::vector<const XmlNode*> rows = page.withClass("margins").at(0)->all("tbody").at(0)->all("tr");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]->all("th").at(0)->text, "sum");
  EXPECT_TRUE(has(*rows[0], "42.55 %"));
  EXPECT_EQ(rows[0]->all("rect").size(), 10u);
}

TEST(ReportHtmlTest, SaysWhereTheTimeWentAndWhatWasRefused) {
  const XmlNode page = pageOf(fullSummary());
  EXPECT_TRUE(has(section(page, "time"), "50.0 %"));
  EXPECT_TRUE(has(section(page, "time"), "Did not run: nvrtc: not here"));
  EXPECT_TRUE(has(section(page, "verdicts"), "axis # differs"));
  EXPECT_TRUE(has(section(page, "verdicts"), "180 agrees, 1 differs"));
  EXPECT_EQ(section(page, "throughput").withClass("found").size(), 2u);
  EXPECT_EQ(section(page, "throughput").withClass("line").size(), 1u);
}

TEST(ReportHtmlTest, FetchesNothing) {
  const XmlNode page = pageOf(fullSummary());
  for (const XmlNode* node : page.all("")) {
    EXPECT_FALSE(node->attributes.count("src")) << node->tag;
    EXPECT_NE(node->tag, "link");
    const auto href = node->attributes.find("href");
    if (href != node->attributes.end()) {
      EXPECT_EQ(href->second[0], '#');
    }
  }
  for (const char* fetch : {"url(", "@import", "fetch("}) EXPECT_FALSE(has(page, fetch)) << fetch;
}

TEST(ReportHtmlTest, TheScriptOnlyAddsToThePage) {
  const XmlNode page = pageOf(fullSummary());
  for (const XmlNode* node : page.all("")) {
    for (const auto& [name, value] : node->attributes) EXPECT_NE(name.substr(0, 2), "on") << name << "=" << value;
    EXPECT_FALSE(node->attributes.count("hidden"));
  }
}

TEST(ReportHtmlTest, ALongCaseIsCutAndSaysSo) {
  CampaignSummary summary = fullSummary();
  for (int i = 0; i < 1000; ++i) summary.minimized[0].text += "  # line\n";
  const XmlNode page = pageOf(summary);
  EXPECT_TRUE(has(page, "884 more lines in minimized-from-3.fusion")) << page.withClass("bucket").at(0)->allText();
}

TEST(ReportHtmlTest, AGraphTooLargeToReadIsASentence) {
  CampaignSummary summary = fullSummary();
  summary.minimized[0].picture.nodes.resize(500);
  EXPECT_TRUE(has(pageOf(summary), "No picture: 500 segments, inputs and outputs"));
}

// Whatever a stranger's file puts into names, reasons and texts, the page keeps its structure.
RC_GTEST_PROP(ReportHtmlTest, NoTextBreaksThePage, ()) {
  const auto text = *rc::gen::container<std::string>(
      rc::gen::oneOf(rc::gen::elementOf(std::string("<>&\"'/=-!]")), rc::gen::arbitrary<char>()));
  const XmlNode page = pageOf(hostileSummary(text));
  RC_ASSERT(page.all("script").size() == 1u);
  RC_ASSERT(page.all("style").size() == 1u);
  std::set<std::string> tags;
  for (const XmlNode* node : page.all("")) tags.insert(node->tag);
  std::set<std::string> usual;
  const XmlNode plain = pageOf(fullSummary());
  for (const XmlNode* node : plain.all("")) usual.insert(node->tag);
  RC_ASSERT(std::includes(usual.begin(), usual.end(), tags.begin(), tags.end()));
}

TEST(ReportHtmlTest, ATagInATextStaysText) {
  const std::string attack = "</pre><script>alert('1')</script><img src=x onerror=\"alert(1)\">";
  const XmlNode page = pageOf(hostileSummary(attack));
  EXPECT_EQ(page.all("script").size(), 1u);
  EXPECT_TRUE(page.all("img").empty());
  EXPECT_TRUE(has(page, attack));
}

TEST(ReportHtmlTest, TheSameSummaryGivesTheSamePage) { EXPECT_EQ(toHtml(fullSummary()), toHtml(fullSummary())); }

}  // namespace
}  // namespace reports
