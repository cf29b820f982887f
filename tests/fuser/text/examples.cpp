#include "tests/fuser/text/examples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace fuser {

std::string readFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> fusionFiles(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".fusion") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<Example> readExamples(const std::string& path) {
  std::vector<Example> examples;
  std::istringstream lines(readFile(path));
  bool expected = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("==== ", 0) == 0) {
      examples.push_back({line.substr(5), "", ""});
      expected = false;
    } else if (line == "----") {
      expected = true;
    } else if (!examples.empty()) {
      (expected ? examples.back().expected : examples.back().input) += line + "\n";
    }
  }
  EXPECT_FALSE(examples.empty()) << path;
  return examples;
}

void checkExamples(const std::string& path, const std::function<std::string(const std::string& input)>& actual) {
  const std::vector<Example> examples = readExamples(path);
  std::string updated;
  for (const Example& example : examples) {
    const std::string text = actual(example.input);
    EXPECT_EQ(text, example.expected) << path << ": " << example.title;
    updated += "==== " + example.title + "\n" + example.input + "----\n" + text;
  }
  if (std::getenv("FUSER_UPDATE")) std::ofstream(path, std::ios::binary) << updated;
}

}  // namespace fuser
