// The manual page and the completions name what the help names.

#include "fuser/command_line/manual.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace fuser {
namespace {

class ManualTest : public testing::Test {
 protected:
  ManualTest() {
    CLI::App* run = app_.add_subcommand("run", "judge cases, don't stop");
    run->add_option("--jobs,-j", jobs_, "workers")->type_name("N");
    run->footer(".starts like a request\n  judge run --jobs 2");
    app_.add_subcommand("replay", "judge files");
    app_.footer("Exit codes");
  }
  CLI::App app_{"Judges.", "judge"};
  int jobs_ = 1;
};

TEST_F(ManualTest, ThePageHasCommandsOptionsAndFooters) {
  const std::string page = manualPage(app_);
  for (const char* text :
       {".TH JUDGE 1", ".SH JUDGE RUN", "\\-j,\\-\\-jobs N", "workers", "\\&.starts", "Exit codes"}) {
    EXPECT_NE(page.find(text), std::string::npos) << text << "\n" << page;
  }
}

TEST_F(ManualTest, BashCompletesCommandsThenOptions) {
  const std::string script = completion(app_, shellNamed("bash"));
  // In a shell: what the function gives for a line.
  const auto replies = [&](const std::string& words, int at) {
    const std::string command = script + "\nCOMP_WORDS=(" + words + "); COMP_CWORD=" + std::to_string(at) +
                                "; _judge; echo \"${COMPREPLY[*]}\"";
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / ("manual_test." + std::to_string(getpid()));
    std::ofstream(file) << command;
    FILE* pipe = popen(("bash " + file.string()).c_str(), "r");
    char line[200] = "";
    if (!std::fgets(line, sizeof line, pipe)) line[0] = 0;
    pclose(pipe);
    std::filesystem::remove(file);
    return std::string(line);
  };
  EXPECT_EQ(replies("judge ru", 1), "run\n");
  EXPECT_EQ(replies("judge run --j", 2), "--jobs\n");
  EXPECT_EQ(replies("judge replay --j", 2), "\n");
}

TEST_F(ManualTest, OtherShells) {
  EXPECT_TRUE(completion(app_, shellNamed("zsh")).starts_with("autoload -U +X bashcompinit"));
  const std::string fish = completion(app_, shellNamed("fish"));
  EXPECT_NE(fish.find("-f -a run -d 'judge cases, don'\\''t stop'"), std::string::npos) << fish;
  EXPECT_NE(fish.find("'__fish_seen_subcommand_from run' -l jobs -r -d 'workers'"), std::string::npos) << fish;
  EXPECT_THROW(shellNamed("csh"), std::exception);
}

}  // namespace
}  // namespace fuser
