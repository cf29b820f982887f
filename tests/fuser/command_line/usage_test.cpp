// What a program says of a command line that it does not take; options from a file.

#include "fuser/command_line/usage.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace fuser {
namespace {

class UsageTest : public testing::Test {
 protected:
  UsageTest() {
    app_.require_subcommand(1);
    CLI::App* run = app_.add_subcommand("run", "judge cases");
    run->add_option("--jobs,-j", jobs_, "workers");
    run->add_option("corpus", corpora_, "files");
    app_.add_subcommand("replay", "judge files");
    addConfigFile(app_);
  }
  // "" where the line is taken.
  std::string problem(const std::string& line) {
    try {
      app_.parse(line);
    } catch (const CLI::ParseError& error) {
      return usageProblem(app_, error);
    }
    return "";
  }

  CLI::App app_{"Judges.", "judge"};
  int jobs_ = 1;
  std::vector<std::string> corpora_;
};

TEST_F(UsageTest, NamesAnUnknownCommandAndTheNearest) {
  EXPECT_EQ(problem("rn"), "rn: no such command; did you mean 'run'; there are run, replay");
  EXPECT_EQ(problem("minimise"), "minimise: no such command; there are run, replay");
}

TEST_F(UsageTest, NamesAnUnknownOptionAndTheNearest) {
  EXPECT_EQ(problem("run --job 2"), "--job: no such option of judge run; did you mean '--jobs'");
  EXPECT_EQ(problem("run --jbos=2"), "--jbos: no such option of judge run; did you mean '--jobs'");
  EXPECT_EQ(problem("--frob"), "--frob: no such option of judge");
}

TEST_F(UsageTest, AsksForACommand) { EXPECT_EQ(problem(""), "which command? There are run, replay"); }

TEST_F(UsageTest, NamesAnArgumentTooMany) { EXPECT_EQ(problem("replay x"), "x: judge replay takes no such argument"); }

TEST_F(UsageTest, AFileGivesOptionsOfACommandAndWhatIsTypedGoesFirst) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("usage_test." + std::to_string(getpid()) + ".ini");
  std::ofstream(file) << "[run]\njobs = 3\n";
  EXPECT_EQ(problem("--config " + file.string() + " run"), "");
  EXPECT_EQ(jobs_, 3);
  EXPECT_EQ(problem("--config " + file.string() + " run --jobs 2"), "");
  EXPECT_EQ(jobs_, 2);
  EXPECT_EQ(problem("run --config " + file.string()), "");
  EXPECT_EQ(jobs_, 3);
  std::ofstream(file) << "[run]\njobbs = 3\n";
  EXPECT_NE(problem("--config " + file.string() + " run").find("jobbs"), std::string::npos);
  std::filesystem::remove(file);
  EXPECT_NE(problem("--config " + file.string() + " run").find(file.string()), std::string::npos);
}

}  // namespace
}  // namespace fuser
