// What the kernels of corpus/seeds execute, counted on the PTX of their run with most elements: a change that only
// makes kernels longer shows as a line of seed_instructions.txt. The counts are those of one NVRTC; of another, the
// kernels and their launches alone are compared.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "fuser/execute/nvrtc.h"
#include "fuser/runtime/case_instructions.h"
#include "fuser/text/parser.h"
#include "tests/golden/golden_file.h"

namespace fuser {
namespace {

constexpr const char* kTable = "tests/fuser/runtime/seed_instructions.txt";

// The tables of the file by the name of their seed; "" has the first line: "NVRTC 13.0".
std::map<std::string, std::string> tablesIn(const std::string& text) {
  std::map<std::string, std::string> tables;
  std::istringstream in(text);
  std::string name;
  for (std::string line; std::getline(in, line);) {
    const std::string begin = "instructions of ";
    if (line.rfind(begin, 0) == 0) name = line.substr(begin.size(), line.find(',') - begin.size());
    tables[name] += line + "\n";
  }
  return tables;
}

// The kernels of a table and how often each is launched, which no NVRTC decides.
std::vector<std::string> launchesIn(const std::string& table) {
  std::vector<std::string> kernels;
  std::istringstream in(table);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string kernel, launches;
    words >> kernel >> launches;
    kernels.push_back(kernel + " " + launches);
  }
  return kernels;
}

// A sample; with FUSER_FULL_INSTRUCTIONS=1 all, and FUSER_UPDATE=1 writes the table then.
TEST(SeedInstructionsTest, AreThoseOfTheTable) {
  const bool full = std::getenv("FUSER_FULL_INSTRUCTIONS") != nullptr;
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator("corpus/seeds")) {
    if (entry.path().extension() == ".fusion") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  const std::string version = concat("NVRTC ", Nvrtc().version(), "\n");
  std::map<std::string, std::string> made{{"", version}};
  for (size_t i = 0; i < paths.size(); i += full ? 1 : 12) {
    const std::string name = std::filesystem::path(paths[i]).stem().string();
    const CaseInstructions instructions = instructionsOf(parseCase(golden::readFile(paths[i]), paths[i]));
    ASSERT_FALSE(instructions.kernels.empty()) << name;
    made[name] = toTable(instructions, name);
    for (const KernelInstructions& kernel : instructions.kernels) {
      EXPECT_EQ(kernel.counts.localBytes, 0) << name << ", " << kernel.name << " has local memory";
      if (full)
        std::printf("%-40s %-26s %8.1f million lane instructions a second\n", name.c_str(), kernel.name.c_str(),
                    static_cast<double>(kernel.counts.laneInstructions) / kernel.seconds / 1e6);
    }
  }
  if (full && std::getenv("FUSER_UPDATE") != nullptr) {
    std::ofstream file(kTable);
    for (const auto& [name, table] : made) file << table;
  }
  const std::map<std::string, std::string> expected = tablesIn(golden::readFile(kTable));
  ASSERT_EQ(expected.count(""), 1u);
  const bool isOfThisNvrtc = expected.at("") == version;
  for (const auto& [name, table] : made) {
    const auto found = expected.find(name);
    ASSERT_NE(found, expected.end()) << name;
    if (!isOfThisNvrtc) {
      if (name.empty()) continue;  // the version itself
      EXPECT_EQ(launchesIn(table), launchesIn(found->second)) << name;
      continue;
    }
    EXPECT_EQ(table, found->second) << "FUSER_FULL_INSTRUCTIONS=1 FUSER_UPDATE=1 writes what is made";
  }
  if (full) {
    EXPECT_EQ(made.size(), expected.size());
  }
}

}  // namespace
}  // namespace fuser
