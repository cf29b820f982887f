// report.html: what a reader must find in it, and that no text breaks it.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "reports/campaign_summary.h"
#include "reports/markup.h"
#include "reports/page.h"
#include "tests/reports/samples/summaries.h"
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

TEST(ReportHtmlTest, APlantedFaultIsNamedBesideItsFindings) {
  CampaignSummary summary = fullSummary();
  EXPECT_EQ(headline(summary).find("planted"), std::string::npos);
  EXPECT_EQ(toLine(summary).find("planted"), std::string::npos);
  summary.stamp.emplace_back(kPlantedFault, "loop-one-short");
  EXPECT_NE(headline(summary).find("the fault loop-one-short is planted in each generated case"), std::string::npos);
  EXPECT_NE(toLine(summary).find("; planted fault loop-one-short"), std::string::npos);
}

TEST(ReportHtmlTest, ACampaignThatJudgedNothingIsNotClean) {
  EXPECT_NE(headline(CampaignSummary{}).find("Nothing was judged"), std::string::npos);
  EXPECT_TRUE(pageOf(CampaignSummary{}).withClass("good").empty());
}

TEST(ReportHtmlTest, TellsWhatKernelsCost) {
  CampaignSummary summary = fullSummary();
  const std::string text = pageOf(summary).allText();
  EXPECT_NE(text.find("Of 40 cases: 2.00 sectors requested for a compulsory one, traffic 1.90."), std::string::npos);
  EXPECT_NE(text.find("Reduction7771,30090080012345"), std::string::npos) << text;
  summary.costs = {};
  EXPECT_NE(pageOf(summary).allText().find("No case was counted."), std::string::npos);
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
  for (size_t i : {1, 2}) EXPECT_FALSE(buckets[i]->attributes.count("open")) << i;
}

// Of known issues alone none is open.
TEST(ReportHtmlTest, TheCardOfAKnownIssueIsCollapsed) {
  CampaignSummary summary = fullSummary();
  summary.findings = {summary.findings[3]};
  const XmlNode page = pageOf(summary);
  ASSERT_EQ(page.withClass("bucket").size(), 1u);
  EXPECT_FALSE(page.withClass("bucket")[0]->attributes.count("open"));
}

TEST(ReportHtmlTest, ACardLeadsToTheFindingsPage) {
  const XmlNode page = pageOf(fullSummary());
  const std::vector<const XmlNode*> buckets = page.withClass("bucket");
  ASSERT_EQ(buckets[0]->withClass("page").size(), 1u);
  EXPECT_EQ(buckets[0]->withClass("page")[0]->attributes.at("href"), "./minimized-from-3.html");
  EXPECT_TRUE(buckets[1]->withClass("page").empty());
}

TEST(ReportHtmlTest, EachFigureOfABucketHasALabel) {
  const XmlNode page = pageOf(fullSummary());
  const XmlNode& facts = *page.withClass("bucket").at(0)->withClass("facts").at(0);
  std::string text;
  for (const XmlNode& fact : facts.children)
    text += fact.all("dt").at(0)->text + "=" + fact.all("dd").at(0)->text + ";";
  EXPECT_EQ(text, "verdict=differs;guilty=pass ConsecutiveCastPass;scheduler=Cast;pattern=Cast;");
}

std::string tile(const XmlNode& page, const std::string& name) {
  for (const XmlNode* one : page.withClass("tile")) {
    if (one->withClass("name").at(0)->text != name) continue;
    return one->attributes.at("class") + ": " + one->withClass("figure").at(0)->text + ", " +
           one->withClass("note").at(0)->text;
  }
  return "";
}

TEST(ReportHtmlTest, FindingsAreEmphasizedAndZerosAreDimmed) {
  CampaignSummary summary = fullSummary();
  const XmlNode page = pageOf(summary);
  EXPECT_EQ(tile(page, "suspected bugs").rfind("tile weighty bad: 2", 0), 0u) << tile(page, "suspected bugs");
  EXPECT_NE(tile(page, "suspected bugs").find("fails fresh: 3; 1 known issue"), std::string::npos);
  EXPECT_EQ(tile(page, "of cases rejected").rfind("tile: 5.00 %", 0), 0u) << tile(page, "of cases rejected");
  summary.verdicts["rejected"] = 0;
  summary.findings.clear();
  const XmlNode clean = pageOf(summary);
  EXPECT_EQ(tile(clean, "of cases rejected").rfind("tile zero: 0.00 %", 0), 0u);
  EXPECT_EQ(tile(clean, "suspected bugs").rfind("tile weighty good: 0", 0), 0u);
}

TEST(ReportHtmlTest, DecidedCasesAreShownWithTheirTotalAndTheReasonsForTheRest) {
  const std::string decided = tile(pageOf(fullSummary()), "of cases decided");
  EXPECT_NE(decided.find("1,804 of 1,900 judged, 96 undecided; of 2,000 cases not judged: 100 rejected"),
            std::string::npos)
      << decided;
}

// "./a" -> its text
std::map<std::string, std::string> linksOf(const XmlNode& node) {
  std::map<std::string, std::string> links;
  for (const XmlNode* link : node.all("a")) {
    if (link->attributes.at("href")[0] == '.') links[link->attributes.at("href")] = link->text;
  }
  return links;
}

TEST(ReportHtmlTest, EveryFileBesideThePageHasALink) {
  const XmlNode page = pageOf(fullSummary());
  const std::map<std::string, std::string> links = linksOf(page);
  for (const char* file : {"report.json", "junit.xml", "campaign.log", "crash-1.sequence", "minimized-from-3.fusion",
                           "mismatch-1.fusion", "mismatch-2.fusion", "mismatch-3.fusion", "mismatch-4.fusion"}) {
    EXPECT_TRUE(links.count(std::string("./") + file)) << file;
  }
  const XmlNode& bucket = *page.withClass("bucket").at(0);
  EXPECT_EQ(linksOf(bucket).count("./minimized-from-3.fusion"), 1u);
  EXPECT_EQ(linksOf(bucket).count("./mismatch-2.fusion"), 1u);  // in the list of the others
  EXPECT_EQ(linksOf(*page.withClass("bucket").at(1)).count("./crash-1.sequence"), 1u);
  EXPECT_EQ(linksOf(*page.withClass("bucket").at(1)).count("./crash-1.py"), 1u);
}

// Whatever a file is called, its link stays beside the page.
TEST(ReportHtmlTest, ALinkIsAFileBesideThePage) {
  EXPECT_EQ(relativeUrl("../out/a-b_c.1.fusion"), "./../out/a-b_c.1.fusion");
  EXPECT_EQ(relativeUrl("javascript:alert(1)"), "./javascript%3Aalert%281%29");
  EXPECT_EQ(relativeUrl("//host/x"), ".///host/x");
  EXPECT_EQ(relativeUrl("a b#c?d%e\xff"), "./a%20b%23c%3Fd%25e%FF");
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
  EXPECT_TRUE(has(bucket, "Minimised from seed 7 case 3"));
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
  const XmlNode& table = *section(page, "coverage").withClass("all").at(0)->withClass("heat").at(0);
  const std::vector<const XmlNode*> rows = table.all("tbody").at(0)->all("tr");
  ASSERT_EQ(rows.size(), 4u);  // add, atan2, size, sum
  for (const XmlNode* row : rows) EXPECT_EQ(row->children.size(), 4 + 3u);
  EXPECT_TRUE(has(*rows[0], "1.2k"));
  EXPECT_EQ(rows[0]->withClass("h4").size(), 1u);  // 1,234 cases
  EXPECT_EQ(rows[0]->withClass("h1").size(), 1u);  // 9
  EXPECT_EQ(rows[1]->withClass("h0").size(), 3u);  // atan2
  EXPECT_TRUE(has(*rows[3], "87.50 %"));
  EXPECT_TRUE(has(section(page, "coverage"), "Never generated (1)"));
}

std::vector<std::string> opsWithTrouble(const CampaignSummary& summary) {
  const XmlNode page = pageOf(summary);
  const std::vector<const XmlNode*> tables = section(page, "coverage").withClass("heat");
  std::vector<std::string> ops;
  if (tables.size() < 2) return ops;
  for (const XmlNode* row : tables[0]->all("tbody").at(0)->all("tr")) ops.push_back(row->all("th").at(0)->text);
  return ops;
}

TEST(ReportHtmlTest, TheHeatMapShowsOpsThatAreBlamedOrPoorlyDecided) {
  CampaignSummary summary = fullSummary();
  EXPECT_EQ(opsWithTrouble(summary), std::vector<std::string>{"sum"});  // 87.5 %
  summary.minimized[0].guiltyOp = "add";
  EXPECT_EQ(opsWithTrouble(summary), (std::vector<std::string>{"add", "sum"}));
  const XmlNode page = pageOf(summary);
  EXPECT_EQ(page.withClass("heat").at(0)->all("tbody").at(0)->all("td").at(0)->text, "2");  // findings
  // Where no op is known to be wrong, those of the smallest case.
  summary.minimized[0].guiltyOp = "";
  summary.minimized[0].structure = "size add";
  EXPECT_EQ(opsWithTrouble(summary), (std::vector<std::string>{"add", "size", "sum"}));
  summary.ops["sum"].elements = {10, 9};
  for (Finding& finding : summary.findings) finding.known = "known";
  EXPECT_TRUE(opsWithTrouble(summary).empty());
  EXPECT_TRUE(has(section(pageOf(summary), "coverage"), "No new finding blames an op"));
}

TEST(ReportHtmlTest, MarginsVerdictsOfNoCaseAndTimeAreBehindFolds) {
  CampaignSummary summary = fullSummary();
  summary.verdicts["hang"] = 0;
  const XmlNode page = pageOf(summary);
  for (const char* id : {"margins", "time", "run"}) {
    const XmlNode& fold = section(page, id).children.at(0);
    EXPECT_EQ(fold.tag, "details") << id;
    EXPECT_FALSE(fold.attributes.count("open")) << id;
  }
  EXPECT_TRUE(has(section(page, "margins").children.at(0).children.at(0), "of 2 ops are in the last tenth"));
  EXPECT_TRUE(has(*section(page, "verdicts").all("details").at(0), "hang"));
  for (const XmlNode* row : section(page, "verdicts").withClass("bars").at(0)->all("th")) EXPECT_NE(row->text, "hang");
}

TEST(ReportHtmlTest, ThroughputShowsPhasesFindingsAndAxes) {
  const XmlNode page = pageOf(fullSummary());
  const XmlNode& part = section(page, "throughput");
  // Two workers: 8 s in the compilers in the first ten, all in the minimiser in the last.
  ASSERT_EQ(part.withClass("compiling").size(), 1u);
  const auto& compiling = part.withClass("compiling")[0]->attributes;
  EXPECT_EQ(compiling.at("x") + " " + compiling.at("width") + " " + compiling.at("fill-opacity"), "0.0 250.0 0.22");
  ASSERT_EQ(part.withClass("minimising").size(), 1u);
  const auto& minimising = part.withClass("minimising")[0]->attributes;
  EXPECT_EQ(minimising.at("x") + " " + minimising.at("fill-opacity"), "750.0 0.40");
  ASSERT_EQ(part.withClass("found").size(), 4u);
  EXPECT_EQ(part.withClass("found")[0]->attributes.at("d"), "M125 0 V200");  // 5 s of 40
  EXPECT_TRUE(has(*part.withClass("found")[0], "5.00 s: cast is wrong in 3 of 4 elements"));
  for (const char* axis : {"cases a second", "time since the start"}) EXPECT_TRUE(has(part, axis)) << axis;
  for (const char* axis : {"elements, logarithmic", "place in the accepted interval"})
    EXPECT_TRUE(has(section(page, "margins"), axis)) << axis;
}

TEST(ReportHtmlTest, QuotedWordsOfAViewAreCode) {
  CampaignSummary summary = fullSummary();
  summary.views["transposed"].summary = "one `option disable` the other way";
  const XmlNode page = pageOf(summary);
  EXPECT_EQ(section(page, "verdicts").all("code").at(0)->text, "option disable");
  EXPECT_FALSE(has(section(page, "verdicts"), "`"));
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
  EXPECT_EQ(section(page, "throughput").withClass("line").size(), 1u);
}

TEST(ReportHtmlTest, LoadsNothingFromTheNetwork) {
  const XmlNode page = pageOf(fullSummary());
  for (const XmlNode* node : page.all("")) {
    EXPECT_FALSE(node->attributes.count("src")) << node->tag;
    EXPECT_NE(node->tag, "link");
    const auto href = node->attributes.find("href");
    if (href == node->attributes.end()) continue;
    const bool beside = href->second.rfind("./", 0) == 0 && href->second.find(':') == std::string::npos;
    EXPECT_TRUE(href->second[0] == '#' || beside) << href->second;
  }
  for (const char* fetch : {"url(", "@import", "fetch("}) EXPECT_FALSE(has(page, fetch)) << fetch;
}

TEST(ReportHtmlTest, NoElementNeedsTheScript) {
  const XmlNode page = pageOf(fullSummary());
  for (const XmlNode* node : page.all("")) {
    for (const auto& [name, value] : node->attributes) EXPECT_NE(name.substr(0, 2), "on") << name << "=" << value;
    EXPECT_FALSE(node->attributes.count("hidden"));
  }
}

TEST(ReportHtmlTest, ALongCaseIsTruncatedAndMarkedAsSuch) {
  CampaignSummary summary = fullSummary();
  for (int i = 0; i < 1000; ++i) summary.minimized[0].text += "  # line\n";
  const XmlNode page = pageOf(summary);
  const std::vector<const XmlNode*> notes = page.withClass("bucket").at(0)->withClass("note");
  EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), [](const XmlNode* note) {
    return has(*note, "884 more lines in ") && linksOf(*note).count("./minimized-from-3.fusion");
  }));
}

TEST(ReportHtmlTest, ATooLargeGraphIsReplacedByASentence) {
  CampaignSummary summary = fullSummary();
  summary.minimized[0].picture.nodes.resize(500);
  EXPECT_TRUE(has(pageOf(summary), "No picture: 500 segments, inputs and outputs"));
}

// Whatever a stranger's file puts into names, reasons and texts, the page keeps its structure.
RC_GTEST_PROP(ReportHtmlTest, AnyTextGivesWellFormedHtml, ()) {
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
