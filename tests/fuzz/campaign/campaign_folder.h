#pragma once
// A folder for a test's campaigns, and small cases to put in it.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "fuzz/campaign/campaign.h"

namespace fuser::fuzz {

inline const Interrupt kNever = [] { return false; };
inline const Log kSilent = [](const std::string&) {};

// Agrees; expects to be rejected: a finding.
inline constexpr const char* kWrong = R"(
fusion f(%x: f32[i0]) {
  %y = neg(%x)
  return %y
}
run { %x = normal(seed = 1) : f32[4] }
expect rejected
)";
inline constexpr const char* kRight = R"(
fusion f(%x: f32[i0]) {
  %y = exp(%x)
  return %y
}
run { %x = normal(seed = 1) : f32[4] }
)";

class CampaignFolder : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    std::replace(name.begin(), name.end(), '/', '.');  // of a parameter
    folder_ = std::filesystem::temp_directory_path() / ("campaign_test." + std::to_string(getpid()) + "." + name);
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Small cases: the campaign is what is tested.
  CampaignOptions options(uint64_t runs) const {
    CampaignOptions campaignOptions;
    campaignOptions.runs = runs;
    campaignOptions.jobs = 2;
    campaignOptions.minimize = false;
    campaignOptions.compilers = false;
    campaignOptions.task.generator.medianElements = 64;
    campaignOptions.generatorFlags = {"--median-elements", "64"};
    return campaignOptions;
  }
  // The same with a ledger, reports and findings below `out`.
  CampaignOptions campaign(uint64_t runs) const {
    CampaignOptions campaignOptions = options(runs);
    campaignOptions.out = folder_ / "out";
    return campaignOptions;
  }
  // What a campaign that cannot begin says.
  static std::string refusal(const CampaignOptions& campaignOptions) {
    try {
      runCampaign(campaignOptions, kNever, kSilent);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }
  std::filesystem::path file(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

  std::filesystem::path folder_;
};

// Of a summary what does not depend on time and workers, as text.
inline std::string withoutTime(reports::CampaignSummary summary) {
  summary.seconds = 0;
  summary.started.clear();
  summary.interrupted = false;
  summary.jobs = 0;
  summary.stageSeconds.clear();
  summary.progress.clear();
  summary.compilers.seconds = summary.compilers.clangSeconds = 0;
  summary.compilers.nvrtcSeconds = summary.compilers.ptxSeconds = 0;
  for (reports::Finding& finding : summary.findings) {
    finding.replay = finding.minimize = "";
    finding.foundSeconds = 0;
  }
  std::string text = reports::toJson(summary);
  for (const auto& [op, dtypes] : summary.opCoverage) {
    for (const auto& [dtype, schedulers] : dtypes) {
      for (const auto& [scheduler, cases] : schedulers)
        text += op + " " + dtype + " " + scheduler + " " + std::to_string(cases) + "\n";
    }
  }
  for (const auto& [op, tenths] : summary.margins) {
    text += op;
    for (int64_t count : tenths) text += " " + std::to_string(count);
    text += "\n";
  }
  for (const std::string& op : summary.neverFused) text += "never fused " + op + "\n";
  for (const reports::Finding& finding : summary.findings)
    text += finding.bucket + " " + finding.known + " " + finding.detail + "\n";
  return text;
}

}  // namespace fuser::fuzz
