// fuserfuzz report and perf-check as a person starts them.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>

#include "tests/fuzz/cli/program.h"

namespace {

std::string contents(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

class ReportCommandsTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("report_commands_test." + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  // Nine repetitions of one benchmark.
  std::string measurement(const std::string& name, double cost) {
    std::string text = R"({"context": {"build": "Release"}, "benchmarks": [)";
    for (int i = 0; i < 9; ++i) {
      text += (i ? ", " : "") + std::string(R"({"name": "stage/lower", "relative_cost": )") +
              std::to_string(cost * (1 + 0.002 * i)) + "}";
    }
    return write(name, text + "]}");
  }
  std::filesystem::path folder_;
};

// But for the way to the campaign's files.
TEST_F(ReportCommandsTest, ReportMakesTheSameFilesFromTheLedger) {
  const std::string out = (folder_ / "campaign").string(), again = (folder_ / "again").string();
  ASSERT_EQ(fuserfuzz("run --runs 12 --seed 5 --no-compilers --out " + out).exitCode, 0);
  const Outcome outcome = fuserfuzz("report " + out + " --out " + again);
  EXPECT_EQ(outcome.exitCode, 0) << outcome.text;
  EXPECT_NE(outcome.text.find("report.html"), std::string::npos);
  EXPECT_EQ(std::count(outcome.text.begin(), outcome.text.end(), '\n'), 1) << outcome.text;
  for (const char* name : {"report.html", "report.json", "junit.xml"}) {
    EXPECT_GT(contents(folder_ / "campaign" / name).size(), 1000u) << name;
    const std::string elsewhere = contents(folder_ / "again" / name);
    EXPECT_TRUE(contents(folder_ / "campaign" / name) ==
                std::regex_replace(elsewhere, std::regex(R"(\.\./campaign/)"), ""))
        << name;
  }
  EXPECT_NE(contents(folder_ / "again/report.html").find("href=\"./../campaign/campaign.log\""), std::string::npos);
}

TEST_F(ReportCommandsTest, AFolderWithoutACampaignIsOneSentence) {
  for (const std::string& folder : {folder_.string(), std::string("/nowhere")}) {
    const Outcome outcome = fuserfuzz("report " + folder);
    EXPECT_EQ(outcome.exitCode, 1);
    EXPECT_EQ(outcome.text, "SETUP FAILURE: " + folder + " holds no campaign: there is no ledger.sqlite\n");
  }
}

TEST_F(ReportCommandsTest, PerfCheckFailsOnlyOnRequest) {
  const std::string before = measurement("before.json", 10), after = measurement("after.json", 20);
  const Outcome told = fuserfuzz("perf-check " + before + " " + after);
  EXPECT_EQ(told.exitCode, 0);
  EXPECT_NE(told.text.find("SLOW     stage/lower"), std::string::npos) << told.text;
  EXPECT_EQ(fuserfuzz("perf-check --fail-on-regression " + before + " " + after).exitCode, 77);
  EXPECT_EQ(fuserfuzz("perf-check --fail-on-regression " + after + " " + before).exitCode, 0);
  EXPECT_EQ(fuserfuzz("perf-check --fail-on-regression " + before + " " + before).exitCode, 0);
}

TEST_F(ReportCommandsTest, PerfCheckTakesCostsBesideTheTimes) {
  const auto costs = [&](const std::string& name, int64_t requested) {
    return write(name,
                 "cost of f, run 0: 2 sectors of inputs and outputs\n"
                 "kernel launches blocks threads shared requested per block compulsory conflicts barriers weights "
                 "once registers\ntotal 1 1 " +
                     std::to_string(requested) + " 2 2 0 0 0 0 traffic 1.00\n");
  };
  const std::string few = costs("few.txt", 4), many = costs("many.txt", 8), same = measurement("same.json", 10);
  const Outcome told = fuserfuzz("perf-check --costs " + few + " " + many);
  EXPECT_EQ(told.exitCode, 0);
  EXPECT_NE(told.text.find("MORE   f        total   requested              4             8\n"), std::string::npos)
      << told.text;
  EXPECT_EQ(fuserfuzz("perf-check --fail-on-regression --costs " + few + " " + many).exitCode, 77);
  EXPECT_EQ(fuserfuzz("perf-check --fail-on-regression --costs " + many + " " + few).exitCode, 0);
  const std::string times = "perf-check --fail-on-regression " + same + " " + same;
  EXPECT_EQ(fuserfuzz(times + " --costs " + few + " " + few).exitCode, 0);
  EXPECT_EQ(fuserfuzz(times + " --costs " + few + " " + many).exitCode, 77);
  EXPECT_EQ(fuserfuzz("perf-check").exitCode, 1);
  EXPECT_EQ(fuserfuzz("perf-check " + same).exitCode, 1);
  EXPECT_EQ(fuserfuzz("perf-check --costs " + few + " " + same).exitCode, 1);
}

TEST_F(ReportCommandsTest, PerfCheckNamesTheProblemOfAFile) {
  const std::string good = measurement("good.json", 10), broken = write("broken.json", "{\"context\":");
  for (const std::string& arguments :
       {good + " " + broken, good + " /nowhere.json", good + " " + good + " --renamed x"}) {
    const Outcome outcome = fuserfuzz("perf-check " + arguments);
    EXPECT_EQ(outcome.exitCode, 1) << arguments;
    EXPECT_EQ(outcome.text.rfind("SETUP FAILURE: ", 0), 0u) << outcome.text;
  }
}

}  // namespace
