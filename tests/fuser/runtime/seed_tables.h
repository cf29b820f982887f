#pragma once
// Tables of the kernels of corpus/seeds that NVRTC has a part in, held as text: one table a seed, a line a kernel. The
// figures are those of one NVRTC; of another, the kernels and their launches alone are compared. ctest takes a sample;
// FUSER_FULL=1 takes all, and FUSER_UPDATE=1 writes the file then.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>

#include "fuser/execute/nvrtc.h"
#include "fuser/text/parser.h"
#include "tests/golden/golden_file.h"
#include "tests/in_full.h"

namespace fuser::seed_tables {

struct Table {
  const char* file;   // "tests/fuser/runtime/seed_instructions.txt"; its first line: "NVRTC 13.0"
  const char* begin;  // of a table's first line: "instructions of "
  std::function<std::string(const Case& testCase, const std::string& name)> make;
};

// The tables of the file by the name of their seed; "" has the first line.
inline std::map<std::string, std::string> tablesIn(const std::string& text, const std::string& begin) {
  std::map<std::string, std::string> tables;
  std::istringstream in(text);
  std::string name;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind(begin, 0) == 0) name = line.substr(begin.size(), line.find(',') - begin.size());
    tables[name] += line + "\n";
  }
  return tables;
}

// The kernels of a table and how often each is launched, which no NVRTC decides.
inline std::vector<std::string> launchesIn(const std::string& table) {
  std::vector<std::string> kernels;
  std::istringstream in(table);
  std::string line;
  for (std::getline(in, line); std::getline(in, line);) {
    std::istringstream words(line);
    std::string kernel, launches;
    words >> kernel >> launches;
    kernels.push_back(kernel + " " + launches);
  }
  return kernels;
}

inline void check(const Table& table) {
  const bool full = inFull();
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator("corpus/seeds")) {
    if (entry.path().extension() == ".fusion") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  const std::string version = concat("NVRTC ", Nvrtc().version(), "\n");
  std::map<std::string, std::string> made{{"", version}};
  for (size_t i = 0; i < paths.size(); i += sampleStep(18)) {
    const std::string name = std::filesystem::path(paths[i]).stem().string();
    made[name] = table.make(parseCase(golden::readFile(paths[i]), paths[i]), name);
  }
  if (full && std::getenv("FUSER_UPDATE") != nullptr) {
    std::ofstream file(table.file);
    for (const auto& [name, text] : made) file << text;
  }
  const std::map<std::string, std::string> expected = tablesIn(golden::readFile(table.file), table.begin);
  ASSERT_EQ(expected.count(""), 1u);
  const bool isOfThisNvrtc = expected.at("") == version;
  for (const auto& [name, text] : made) {
    const auto found = expected.find(name);
    ASSERT_NE(found, expected.end()) << name;
    if (isOfThisNvrtc) {
      EXPECT_EQ(text, found->second) << "FUSER_FULL=1 FUSER_UPDATE=1 writes what is made";
    } else if (!name.empty()) {
      EXPECT_EQ(launchesIn(text), launchesIn(found->second)) << name;
    }
  }
  if (full) {
    EXPECT_EQ(made.size(), expected.size());
  }
}

}  // namespace fuser::seed_tables
