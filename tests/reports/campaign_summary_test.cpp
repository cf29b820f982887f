// The report's fields and shares.

#include "reports/campaign_summary.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "fuser/support/check.h"
#include "tests/reports/samples/summaries.h"

namespace reports {
namespace {

CampaignSummary sample() {
  CampaignSummary summary;
  summary.stamp = {{"version", "0.1"}};
  summary.seed = 7;
  summary.cases = 200;
  summary.seconds = 4;
  summary.verdicts = {{"agrees", 150}, {"rejected", 10}, {"undecided", 40}};
  summary.rejectedByReason = {{"axis # differs", 10}};
  summary.openByReason = {{"unsupported: no kernel: Abs of i8", 4}};
  summary.judgedCases = 190;
  summary.decidedCases = 150;
  summary.elements = {1000, 980};
  summary.outputs = {100, 90};
  summary.ops["add"] = {20, {10, 5}};
  Finding& finding = summary.findings.emplace_back();
  finding.kind = "differs";
  finding.reason = "bad \xff byte";
  finding.file = "mismatch-1.fusion";
  finding.origin = "case 3";
  finding.replay = "fuserfuzz replay x";
  finding.reproduces = "fails fresh";
  return summary;
}

TEST(CampaignSummaryTest, SharesHaveTheirStatedDenominators) {
  const CampaignSummary summary = sample();
  EXPECT_DOUBLE_EQ(decidedShare(summary), 0.98);
  EXPECT_DOUBLE_EQ(decidedOutputShare(summary), 0.9);
  EXPECT_DOUBLE_EQ(decidedCaseShare(summary), 150.0 / 190);
  EXPECT_DOUBLE_EQ(rejectedShare(summary), 0.05);
  EXPECT_DOUBLE_EQ(casesPerSecond(summary), 50);
  EXPECT_DOUBLE_EQ(decidedShare(CampaignSummary{}), 0);
}

TEST(CampaignSummaryTest, JsonHasTheFieldsThatMachinesRead) {
  const nlohmann::json json = nlohmann::json::parse(toJson(sample()));
  for (const char* field :
       {"cases", "seconds", "cases_per_second", "elements", "decided_share", "decided_case_share", "rejected_share",
        "rejected_by_reason", "open_by_reason", "verdicts", "findings", "coverage", "seed"}) {
    EXPECT_TRUE(json.contains(field)) << field;
  }
  EXPECT_EQ(json["coverage"]["op"]["add"]["decided_share"], 0.5);
  EXPECT_EQ(json["findings"][0]["file"], "mismatch-1.fusion");
}

// reports/README.md#reportjson lists each field as "| `name` |", nested ones as "| `coverage.op` |".
TEST(CampaignSummaryTest, TheReadmeListsEveryFieldOfTheJson) {
  std::ifstream in("reports/README.md");
  std::set<std::string> documented, written;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("| `", 0) == 0 && line.rfind("| `history.", 0) != 0)
      documented.insert(line.substr(3, line.find('`', 3) - 3));
  }
  const nlohmann::json json = nlohmann::json::parse(toJson(reports_test::fullSummary()));
  for (const auto& [name, value] : json.items()) {
    if (name != "coverage") written.insert(name);
  }
  for (const auto& [name, value] : json["coverage"].items()) written.insert("coverage." + name);
  for (const char* list : {"findings", "buckets", "progress", "corpus"}) {
    for (const auto& [name, value] : json[list][0].items()) written.insert(std::string(list) + "[]." + name);
  }
  for (const auto& [name, value] : json["buckets"][0]["minimized"].items()) {
    written.insert("buckets[].minimized." + name);
  }
  for (const char* group : {"compilers", "second_looks", "costs", "edges", "exact_mode"}) {
    for (const auto& [name, value] : json[group].items()) written.insert(std::string(group) + "." + name);
  }
  for (const std::string& name : written) EXPECT_TRUE(documented.count(name)) << "not in reports/README.md: " << name;
  for (const std::string& name : documented) EXPECT_TRUE(written.count(name)) << "not in report.json: " << name;
}

TEST(CampaignSummaryTest, JsonHasAllCostsOfAScheduler) {
  const nlohmann::json json = nlohmann::json::parse(toJson(reports_test::fullSummary()));
  EXPECT_EQ(json["costs"]["schedulers"]["PointWise"]["bank_conflicts"], 0);
  EXPECT_EQ(json["costs"]["schedulers"]["Reduction"]["barriers"], 345);
}

TEST(CampaignSummaryTest, ExactModeSaysWhereItEnds) {
  EXPECT_EQ(exactModeLines(CampaignSummary()), "");
  CampaignSummary summary;
  summary.exactMode = {10, 8, 12, 9, 30, 24, 6, {{7, 5}, {9, 3}}, {}, {}};
  summary.exactMode.ops["Mul"]["f16"] = {20, 2, {{"the product is too wide", 3}}};
  summary.exactMode.ops["Add"]["i8"] = {20, 2, {{"the sum is too wide", 4}}};
  const std::string lines = exactModeLines(summary);
  EXPECT_EQ(lines.substr(0, lines.find('\n')),
            "exact: 80.0 % of cases, 75.0 % of runs, 80.0 % of outputs; of the cases 75.0 % with a reduction or a "
            "chain of views, median 7 expressions");
  EXPECT_EQ(lines.substr(lines.find('\n') + 1),
            "where it ends most often: Add i8: the sum is too wide (4); Mul f16: the product is too wide (3)");
}

TEST(CampaignSummaryTest, FeaturesOfKernelsHaveAShareAndAMedian) {
  CampaignSummary summary = sample();
  summary.cases = 2000;
  summary.features = {{"grid barrier", {12, {{1, 4}, {5, 5}, {8, 2}}, {{8, 11}, {9, 1}}}},
                      {"unrolled loop", {20, {}, {}}},
                      {"workspace", {}}};
  const nlohmann::json json = nlohmann::json::parse(toJson(summary));
  EXPECT_EQ(json["kernel_features"]["grid barrier"]["cases"], 12);
  EXPECT_EQ(json["kernel_features"]["grid barrier"]["segments"], 11);
  EXPECT_EQ(json["kernel_features"]["grid barrier"]["median_expressions"], 5);
  EXPECT_EQ(json["kernel_features"]["grid barrier"]["median_expressions_of_largest"], 8);
  EXPECT_EQ(json["kernel_features"]["workspace"]["median_expressions"], 0);
  EXPECT_EQ(rareFeaturesLine(summary),
            "features of kernels in less than 1 % of the cases: workspace 0.00 %, grid barrier 0.60 %");
  summary.features.erase("grid barrier");
  summary.features["workspace"].cases = 20;
  EXPECT_EQ(rareFeaturesLine(summary), "");
}

TEST(CampaignSummaryTest, EdgesThatNoRunMetAreNamed) {
  CampaignSummary summary = sample();
  summary.cases = 100;
  summary.edges = {{"block", {3, 2, 1, 0, 4}}, {"warp", {2, 1, 1, 1, 0}}, {"grid limit", {}}};
  summary.noEdge = {{"no edge is in reach", 5}};
  const nlohmann::json json = nlohmann::json::parse(toJson(summary));
  EXPECT_EQ(json["edges"]["kinds"]["block"].dump(), R"({"above":0,"at":1,"below":2,"cases":3,"out_of_reach":4})");
  EXPECT_EQ(json["edges"]["none"]["no edge is in reach"], 5);
  EXPECT_EQ(missingEdgesLine(summary),
            "edges that no run met: block above, grid limit below, grid limit at, grid limit above");
  EXPECT_NE(toText(summary).find("block 3 (2, 1, 0; 4)"), std::string::npos);
  const std::string html = toHtml(summary);
  EXPECT_NE(html.find("4 of the sides were never met"), std::string::npos);
  EXPECT_NE(html.find("5 cases have none: no edge is in reach."), std::string::npos);
  summary.cases = 0;
  EXPECT_EQ(missingEdgesLine(summary), "") << "nothing was drawn yet";
}

TEST(CampaignSummaryTest, AllReportsAreWrittenToTheFolder) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "campaign_summary_test";
  std::filesystem::create_directories(folder);
  writeReports(folder, reports_test::fullSummary());
  for (const char* name : {"report.html", "report.json", "junit.xml"}) {
    EXPECT_GT(std::filesystem::file_size(folder / name), 1000u) << name;
  }
  std::filesystem::remove_all(folder);
}

TEST(CampaignSummaryTest, TextNamesEveryReasonOfRejection) {
  EXPECT_NE(toText(sample()).find("10 x axis # differs"), std::string::npos);
}

TEST(CampaignSummaryTest, TextAndJsonCountTheSegmentersDecisions) {
  CampaignSummary summary = sample();
  summary.cases = 200;
  summary.decisions = {{"forwarded", {50, {}}}, {"narrowed", {0, {}}}};
  EXPECT_NE(toText(summary).find("cases in which the segmenter decided: forwarded 25.0%, narrowed 0.0%\n"),
            std::string::npos)
      << toText(summary);
  const nlohmann::json json = nlohmann::json::parse(toJson(summary));
  EXPECT_EQ(json["coverage"]["segmenter_decision"]["forwarded"]["cases"], 50);
}

TEST(CampaignSummaryTest, TextAndJsonCountCasesWithStreamsAliasesAndPreallocatedOutputs) {
  CampaignSummary summary = sample();
  summary.traits = {{"aliases", {40, {}}}, {"preallocated outputs", {4, {}}}, {"streams", {0, {}}}};
  EXPECT_NE(toText(summary).find("\ncases with aliases 40, with preallocated outputs 4, with streams 0\n"),
            std::string::npos)
      << toText(summary);
  const nlohmann::json json = nlohmann::json::parse(toJson(summary));
  EXPECT_EQ(json["coverage"]["trait"]["aliases"]["cases"], 40);
  EXPECT_EQ(json["coverage"]["trait"]["streams"]["cases"], 0);
}

TEST(CampaignSummaryTest, AnUnwritablePathIsOneSentence) {
  EXPECT_THROW(writeFile("/nowhere/at/all/report.json", "x"), fuser::UserError);
}

TEST(CampaignSummaryTest, FilesAreReplacedAtomically) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "campaign_summary_test.json";
  writeFile(path, "one\n");
  writeFile(path, "two\n");
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line, "two");
  EXPECT_FALSE(std::filesystem::exists(path.string() + ".part"));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace reports
