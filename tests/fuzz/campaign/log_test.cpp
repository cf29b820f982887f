// The log of a campaign: what campaign.log holds, what goes to the log that was handed down, and that neither changes
// what is printed.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "fuzz/campaign/campaign.h"

namespace fuser::fuzz {
namespace {

class CampaignLogTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("campaign_log_test." + std::to_string(getpid()));
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // What a campaign of five cases prints, without the lines that hold times and shares of them.
  std::string printed(LogLevel level) {
    std::filesystem::remove_all(folder_);
    logged_ = "";
    CampaignOptions options;
    options.seed = 1;
    options.runs = 5;
    options.compilers = false;
    options.task.generator.medianElements = 64;
    options.out = folder_;
    options.log = logTo(level, [this](LogLevel, std::string_view line) { logged_.append(line).append("\n"); });
    std::string text;
    figures_ = reports::toText(runCampaign(
                   options, [] { return false; }, [&](const std::string& line) { text += line + "\n"; })) +
               "\n";
    text_ = text;
    return std::regex_replace(text, std::regex("[^\n]*(cases/s|%| s,)[^\n]*\n"), "");
  }
  std::string file() const {
    std::ostringstream text;
    text << std::ifstream(folder_ / "campaign.log").rdbuf();
    return text.str();
  }
  std::filesystem::path folder_;
  std::string text_, figures_, logged_;
};

TEST_F(CampaignLogTest, CampaignLogHoldsTheConsoleLinesAndAllFigures) {
  printed(LogLevel::Off);
  EXPECT_EQ(text_, "seed 1, 1 worker\n");
  EXPECT_EQ(file(), text_ + figures_);
  EXPECT_EQ(logged_, "");
}

TEST_F(CampaignLogTest, AtLevelInfoTheLogHoldsTheConsoleLinesAlone) {
  printed(LogLevel::Info);
  EXPECT_EQ(file(), text_ + figures_);
  EXPECT_EQ(logged_, "");
}

TEST_F(CampaignLogTest, WorkersVerdictsAreLoggedAndTheConsoleIsUnchanged) {
  const std::string quiet = printed(LogLevel::Off);
  EXPECT_EQ(printed(LogLevel::Debug), quiet);
  for (int i = 0; i < 5; ++i) {
    const std::regex line("(^|\\n)case " + std::to_string(i) + ": (agrees|undecided|unsupported|rejected)");
    EXPECT_TRUE(std::regex_search(logged_, line)) << i << " in " << logged_;
    EXPECT_TRUE(std::regex_search(file(), line)) << i;
  }
  EXPECT_EQ(logged_.find("Pass: "), std::string::npos) << logged_;
}

TEST_F(CampaignLogTest, PassesAreLoggedAtTrace) {
  printed(LogLevel::Trace);
  const std::regex line("(^|\n)case [0-4]: DeadCodePass: ");
  EXPECT_TRUE(std::regex_search(logged_, line)) << logged_;
  EXPECT_TRUE(std::regex_search(file(), line));
}

TEST_F(CampaignLogTest, AnUnwritableLogFileIsASetUpFailure) {
  std::filesystem::create_directories(folder_ / "campaign.log");
  CampaignOptions options;
  options.runs = 1;
  options.out = folder_;
  try {
    runCampaign(
        options, [] { return false; }, [](const std::string&) {});
    ADD_FAILURE() << "it ran";
  } catch (const UserError& error) {
    EXPECT_EQ(error.what(), "cannot write to " + (folder_ / "campaign.log").string() + ": Is a directory");
  }
}

}  // namespace
}  // namespace fuser::fuzz
