// The workflows call scripts that exist. check_workflows executes them; this is what each build sees.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> workflows() {
  std::vector<fs::path> paths = {".gitlab-ci.yml"};
  for (const auto& entry : fs::directory_iterator(".github/workflows")) paths.push_back(entry.path());
  return paths;
}

// Commands of a line: GitHub's "run:", and GitLab's items that begin with a script.
std::vector<std::string> commandsOf(const fs::path& path) {
  const std::regex command(R"(^\s*(?:- run: |run: |- (?=(?:\.ci|fuzz|tests)/))(.*)$)");
  std::vector<std::string> commands;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    std::smatch match;
    if (std::regex_match(line, match, command)) commands.push_back(match[1]);
  }
  return commands;
}

TEST(WorkflowsTest, CallScriptsThatExist) {
  const std::regex script(R"((?:^|[ ;&|])(\.?[a-z][\w-]*/[\w/-]+)(?= |$))");
  std::set<std::string> called;
  for (const fs::path& path : workflows()) {
    for (const std::string& command : commandsOf(path)) {
      std::smatch match;
      if (!std::regex_search(command, match, script)) continue;
      called.insert(match[1]);
      EXPECT_EQ(access(match[1].str().c_str(), X_OK), 0) << path << " calls " << match[1] << ", which is no program";
    }
  }
  EXPECT_EQ(called, (std::set<std::string>{".ci/fuzz-change", ".ci/fuzz-night", ".ci/run", ".ci/summary"}));
}

// What a stranger writes into a pull request would be part of a command.
TEST(WorkflowsTest, HaveNoExpressionsInCommands) {
  for (const fs::path& path : workflows()) {
    for (const std::string& command : commandsOf(path)) {
      EXPECT_EQ(command.find("${{"), std::string::npos) << path << ": " << command;
    }
  }
}

}  // namespace
