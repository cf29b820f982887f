// What the kernels of each program in corpus/seeds cost, in the run with most elements: a change that only makes
// programs slower shows as a line here. The same numbers come out everywhere; but registers are those of one NVRTC.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "fuser/execute/nvrtc.h"
#include "fuser/runtime/case_cost.h"
#include "fuser/support/set_up_error.h"
#include "fuser/text/parser.h"
#include "tests/golden/golden_tests.h"

namespace fuser {
namespace {

bool hasTheNvrtc(const std::string& wanted) {
  try {
    return Nvrtc().version() == wanted;
  } catch (const SetUpError&) {
    return false;
  }
}

std::vector<std::string> linesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// `made` with the last words of `expected`, line by line, where the rest of the line is the same.
std::string withRegistersOf(const std::string& expected, const std::string& made) {
  const std::vector<std::string> old = linesOf(expected);
  std::string text;
  size_t number = 0;
  for (const std::string& line : linesOf(made)) {
    const auto counts = [](const std::string& of) { return of.substr(0, of.find_last_not_of(' ', of.rfind(' ')) + 1); };
    const bool same = number < old.size() && counts(old[number]) == counts(line);
    text += (same ? old[number] : line) + "\n";
    ++number;
  }
  return text;
}

const golden::Texts kSeedCosts("tests/fuser/runtime/seed_costs.txt", {"registers"},
                               [](const golden::Case& test) -> golden::Made {
                                 std::vector<std::filesystem::path> paths;
                                 for (const auto& entry : std::filesystem::directory_iterator(
                                          test.input.substr(0, test.input.find('\n')))) {
                                   if (entry.path().extension() == ".fusion") paths.push_back(entry.path());
                                 }
                                 std::sort(paths.begin(), paths.end());
                                 CostSettings settings;
                                 settings.registers = hasTheNvrtc(test.option("registers"));
                                 std::string text;
                                 for (const std::filesystem::path& path : paths) {
                                   const Case testCase = parseCase(golden::readFile(path.string()), path.string());
                                   text += toTable(costOf(testCase, settings), path.stem().string());
                                 }
                                 if (settings.registers || test.expected.empty()) return text;
                                 return withRegistersOf(test.expected[0].text, text);
                               });

TEST(SeedCostsTest, RegistersOfAnotherNvrtcAreNotCompared) {
  const std::string old = "cost of a, run 0\n  k0    1   2   30\n  k1    1   2   31\n  total 2  traffic 1.00\n";
  EXPECT_EQ(withRegistersOf(old, "cost of a, run 0\n  k0    1   2    -\n  k1    1   3    -\n  total 2  traffic 1.00\n"),
            "cost of a, run 0\n  k0    1   2   30\n  k1    1   3    -\n  total 2  traffic 1.00\n");
}

}  // namespace
}  // namespace fuser
