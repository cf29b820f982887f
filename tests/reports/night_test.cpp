// What a night's files say, as figures: of hand-made summaries, selftests and cost tables.

#include "reports/night.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fuser/support/check.h"
#include "reports/campaign_summary.h"
#include "tests/reports/samples/summaries.h"

namespace reports {
namespace {

using nlohmann::json;

CampaignSummary sample() {
  CampaignSummary summary = reports_test::fullSummary();
  summary.stamp = {{"version", "0.1 build a"}, {"device", "CPU: P"}, {"probes", "on"}, {"seed", "7"}};
  summary.stageSeconds = {{"segment", 8}, {"lower", 2}, {"judge", 20}};
  return summary;
}

Night read(const CampaignSummary& summary) {
  Night night;
  readCampaign(night, toJson(summary), "report.json");
  return night;
}

std::string selftest(const std::string& change = "{}") {
  json file = json::parse(R"({"started": "2026-01-02T00:00:00Z", "interrupted": false, "median_cases": 12,
    "median_seconds": 1.5, "stamp": {"device": "CPU: P", "version": "0.1 build a", "probes": "on", "seed": "1"},
    "control": {"cases": 2000}, "faults": [{"caught": true}, {"caught": false}, {"caught": true}]})");
  file.merge_patch(json::parse(change));
  return file.dump();
}

TEST(NightTest, ACampaignsFiguresAreThoseOfItsSummary) {
  const Night night = read(sample());
  EXPECT_EQ(night.started, "2026-01-31T22:00:00Z");
  EXPECT_EQ(night.version, "0.1 build a");
  EXPECT_EQ(night.processor, "CPU: P");
  EXPECT_EQ(night.target, "");
  EXPECT_EQ(night.campaign, (Options{{"jobs", "2"}, {"probes", "on"}}));
  EXPECT_DOUBLE_EQ(night.figures.at("certified_cases_per_second"), 1804 / 40.0);
  EXPECT_DOUBLE_EQ(night.figures.at("cases"), 2000);
  EXPECT_DOUBLE_EQ(night.figures.at("decided_case_share"), 1804.0 / 1900);
  EXPECT_DOUBLE_EQ(night.figures.at("decided_share"), 0.99);
  EXPECT_DOUBLE_EQ(night.figures.at("decided_output_share"), 29.0 / 30);
  EXPECT_DOUBLE_EQ(night.figures.at("compile_seconds_per_case"), 10 / 2000.0);
  EXPECT_DOUBLE_EQ(night.figures.at("clang_seconds_per_kernel"), 8 / 200.0);
  EXPECT_DOUBLE_EQ(night.figures.at("nvrtc_seconds_per_kernel"), 4 / 200.0);
  EXPECT_EQ(night.figures.at("buckets"), 3);
  ASSERT_EQ(night.buckets.size(), 3u);
  EXPECT_EQ(night.buckets[0].name, "differs | pass ConsecutiveCastPass | Cast | Cast");
  EXPECT_EQ(night.buckets[0].findings, 2);
  EXPECT_EQ(night.buckets[2].known, "erf near 0");
}

// Shares are 0 of nothing in report.json; of nothing there is no figure.
TEST(NightTest, WhatACampaignDidNotDoIsMissing) {
  CampaignSummary summary;
  summary.stamp = {{"device", "CPU: P"}};
  const Night night = read(summary);
  EXPECT_EQ(night.figures, (std::map<std::string, double>{{"cases", 0}, {"buckets", 0}}));
}

TEST(NightTest, AReportWithoutAStartIsRead) {
  json file = json::parse(toJson(sample()));
  file.erase("started");
  Night night;
  readCampaign(night, file.dump(), "report.json");
  EXPECT_EQ(night.started, "");
}

TEST(NightTest, ASelftestSaysHowLongFaultsTake) {
  Night night = read(sample());
  readSelftest(night, selftest(), "selftest.json");
  EXPECT_EQ(night.started, "2026-01-31T22:00:00Z");  // the campaign's
  EXPECT_EQ(night.figures.at("faults_missed"), 1);
  EXPECT_EQ(night.figures.at("fault_cases"), 12);
  EXPECT_EQ(night.figures.at("fault_seconds"), 1.5);
  EXPECT_EQ(night.selftest, (Options{{"cases a fault", "2000"}, {"probes", "on"}}));
  EXPECT_TRUE(night.notes.empty());
}

TEST(NightTest, ASelftestAloneIsANight) {
  Night night;
  readSelftest(night, selftest(), "selftest.json");
  EXPECT_EQ(night.started, "2026-01-02T00:00:00Z");
  EXPECT_EQ(night.processor, "CPU: P");
  EXPECT_FALSE(night.hasCampaign);
}

TEST(NightTest, ASelftestThatSaysNothingIsLeftOutWithANote) {
  for (const char* change :
       {R"({"interrupted": true})", R"({"stamp": {"device": "CPU: Q"}})", R"({"stamp": {"target": "onnxruntime"}})"}) {
    Night night = read(sample());
    readSelftest(night, selftest(change), "selftest.json");
    EXPECT_FALSE(night.figures.count("faults_missed")) << change;
    EXPECT_EQ(night.notes.size(), 1u) << change;
    EXPECT_EQ(night.processor, "CPU: P");
  }
  Night night;
  readSelftest(night, selftest(R"({"faults": [{"caught": false}], "median_cases": 0})"), "selftest.json");
  EXPECT_EQ(night.figures, (std::map<std::string, double>{{"faults_missed", 1}}));
}

TEST(NightTest, SeedsAreSummed) {
  std::string table;
  for (const char* name : {"a", "b"}) {
    table += std::string("cost of ") + name +
             ", run 0: 2 sectors of inputs and outputs\n"
             "kernel launches blocks threads shared requested per block compulsory conflicts barriers weights once "
             "registers\nk0 1 1 32 0 40 30 20 0 0 0 0 8\nk1 1 1 32 0 2 2 2 0 0 0 0 8\n"
             "total 2 2 42 32 22 0 0 0 0 traffic 1.00\n";
  }
  Night night;
  readSeeds(night, table, "seeds.txt");
  EXPECT_EQ(night.figures,
            (std::map<std::string, double>{
                {"seed_kernels", 4}, {"seed_requested_bytes", 84 * 32}, {"seed_compulsory_bytes", 44 * 32}}));
}

std::string errorOf(const std::function<void(Night&)>& read) {
  Night night;
  try {
    read(night);
  } catch (const fuser::UserError& error) {
    return error.what();
  }
  return "";
}

TEST(NightTest, ADamagedFileIsNamed) {
  EXPECT_EQ(errorOf([](Night& night) { readCampaign(night, "{}", "x/report.json"); }),
            "x/report.json is no report.json: it has no field 'stamp'");
  EXPECT_EQ(errorOf([](Night& night) { readSelftest(night, "{", "s.json"); }),
            "s.json, line 1, column 2: is not JSON: it ends too early");
  EXPECT_EQ(errorOf([](Night& night) { readSelftest(night, R"({"stamp": {"device": 3}})", "s.json"); }),
            "s.json is no selftest.json: a value is of another type than it should be");
  EXPECT_NE(errorOf([](Night& night) { readSeeds(night, "", "seeds.txt"); }).find("seeds.txt has no costs"),
            std::string::npos);
}

}  // namespace
}  // namespace reports
