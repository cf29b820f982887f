#pragma once
// Examples in files: "==== title", input, "----", expected. With FUSER_UPDATE=1 in the environment the expected parts
// are written anew (and then read by a person).

#include <functional>
#include <string>
#include <vector>

namespace fuser {

struct Example {
  std::string title;
  std::string input;
  std::string expected;
};

// The path starts at the repository root, where tests run.
std::vector<Example> readExamples(const std::string& path);

// Runs `actual` on each input and compares.
void checkExamples(const std::string& path, const std::function<std::string(const std::string& input)>& actual);

std::string readFile(const std::string& path);

// Paths of the folder's .fusion files, sorted.
std::vector<std::string> fusionFiles(const std::string& folder);

}  // namespace fuser
