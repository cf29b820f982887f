// reports/found: what its readers rely on.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "fuser/text/parser.h"

namespace fuser::fuzz {
namespace {

std::string textOf(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(GalleryTest, EachBugHasARowAReproAndACaseThatRuns) {
  const std::string table = textOf("reports/found/README.md");
  int bugs = 0;
  for (const auto& entry : std::filesystem::directory_iterator("reports/found")) {
    if (!entry.is_directory()) continue;
    const std::string name = entry.path().filename();
    EXPECT_NE(table.find(concat("[", name, "](", name, "/README.md)")), std::string::npos) << name;
    EXPECT_NE(textOf(entry.path() / "README.md"), "") << name;
    EXPECT_NE(textOf(entry.path() / "repro.py"), "") << name;
    const Case testCase = parseCase(textOf(entry.path() / "found.fusion"), name);
    EXPECT_FALSE(testCase.runs.empty()) << name;
    const auto isBucket = [](const auto& line) {
      return line.first == "bucket" && line.second.find(" | - | -") == std::string::npos;
    };
    EXPECT_TRUE(std::any_of(testCase.metadata.begin(), testCase.metadata.end(), isBucket)) << name;
    ++bugs;
  }
  EXPECT_GT(bugs, 0);
}

}  // namespace
}  // namespace fuser::fuzz
