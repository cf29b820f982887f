// Cost tables as text: what is read, what is refused, what a comparison says.

#include "reports/cost_tables.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "fuser/support/check.h"

namespace reports {
namespace {

constexpr const char* kHead =
    "  kernel  launches blocks threads shared requested per block compulsory conflicts barriers weights once "
    "registers\n";

std::string programOf(const std::string& name, const std::string& lines) {
  return "cost of " + name + ", run 0: 64 sectors of inputs and outputs\n" + kHead + lines;
}

constexpr const char* kKernel = "  k0_pointwise 1 2 128 0 80 70 64 0 3 0 0 32\n";
constexpr const char* kTotalLine = "  total 1 2 80 70 64 0 3 0 0 traffic 1.00\n";

CostTable table(const std::string& text) { return parseCostTable(text, "t.txt"); }

std::string errorOf(const std::string& text) {
  try {
    table(text);
  } catch (const fuser::UserError& error) {
    return error.what();
  }
  return "";
}

int64_t countOf(const CostLine& line, Count count) { return line.counts[static_cast<size_t>(count)]; }

TEST(CostTablesTest, ReadsKernelsAndTotals) {
  const CostTable read = table("for people\n" + programOf("f", std::string(kKernel) + kTotalLine) + "more\n" +
                               programOf("g", "  total 0 0 0 0 0 0 0 0 0 traffic -\n"));
  ASSERT_EQ(read.programs.size(), 2u);
  EXPECT_EQ(read.programs[0].name, "f");
  EXPECT_EQ(read.programs[0].what, "run 0: 64 sectors of inputs and outputs");
  ASSERT_EQ(read.programs[0].lines.size(), 2u);
  EXPECT_EQ(read.programs[0].lines[0].counts,
            (std::array<int64_t, kCounts>{1, 2, 128, 0, 80, 70, 64, 0, 3, 0, 0, 32, -1}));
  EXPECT_EQ(read.programs[0].lines[1].counts,
            (std::array<int64_t, kCounts>{1, 2, -1, -1, 80, 70, 64, 0, 3, 0, 0, -1, 0}));
  EXPECT_EQ(read.programs[1].lines.size(), 1u);
}

TEST(CostTablesTest, MoreBytesOfCopiesAreARegression) {
  const std::string copying = "  total 1 2 80 70 64 0 3 0 0 traffic 1.00, 256 bytes of copies\n";
  const CostTable before = table(programOf("f", std::string(kKernel) + kTotalLine));
  const CostTable after = table(programOf("f", kKernel + copying));
  EXPECT_EQ(countOf(after.programs[0].lines[1], Count::Copied), 256);
  EXPECT_TRUE(anyTotalGrew(compareCosts(before, after)));
  EXPECT_FALSE(anyTotalGrew(compareCosts(after, before)));
}

TEST(CostTablesTest, ReadsTheTableOfTheSeeds) {
  std::ifstream in("tests/fuser/runtime/seed_costs.txt");
  std::ostringstream text;
  text << in.rdbuf();
  const CostTable read = table(text.str());
  EXPECT_GT(read.programs.size(), 60u);
  for (const ProgramCosts& program : read.programs) {
    const CostLine& total = program.lines.back();
    for (Count count : {Count::Launches, Count::Blocks, Count::Requested, Count::PerBlock, Count::Compulsory,
                        Count::Conflicts, Count::Barriers}) {
      int64_t sum = 0;
      for (size_t i = 0; i + 1 < program.lines.size(); ++i) sum += countOf(program.lines[i], count);
      EXPECT_EQ(countOf(total, count), sum) << program.name << " " << countName(count);
    }
  }
  const CostCheck same = compareCosts(read, read);
  EXPECT_EQ(toText(same), "all counts that both tables have are the same\n");
  EXPECT_FALSE(anyTotalGrew(same));
}

TEST(CostTablesTest, WhatIsNoTableIsOneSentence) {
  EXPECT_EQ(errorOf("{}"), "t.txt has no costs; make them with fuser-opt FILE… --print=cost");
  EXPECT_EQ(errorOf("cost of f\n"), "t.txt, line 1: expected 'cost of NAME, run …'");
  EXPECT_EQ(errorOf("cost of f, run 0\n  kernel launches\n"),
            "t.txt, line 2: these are not the headings of a cost table of this version");
  EXPECT_EQ(errorOf(programOf("f", kKernel)), "t.txt, line 4: the table ends in a program");
  EXPECT_EQ(errorOf(programOf("f", "  k0 1 2 3\n")), "t.txt, line 3: expected the counts of a kernel, or a total");
  EXPECT_EQ(errorOf(programOf("f", "  k0 1 2 128 0 80 x 64 0 3 0 0 32\n")), "t.txt, line 3: expected a count");
  EXPECT_EQ(errorOf(programOf("f", "  k0 - 2 128 0 80 70 64 0 3 0 0 32\n")), "t.txt, line 3: expected a count");
  EXPECT_EQ(errorOf(programOf("f", kTotalLine) + programOf("f", kTotalLine)),
            "t.txt, line 4: this program is there already");
}

TEST(CostTablesTest, EveryCountThatIsAnotherOneIsListed) {
  const CostTable before = table(programOf("f", std::string(kKernel) + kTotalLine));
  const CostTable after = table(
      programOf("f", "  k0_pointwise 1 2 256 0 96 70 60 0 3 0 0 40\n  total 1 2 96 70 60 0 3 0 0 traffic 0.94\n"));
  const CostCheck check = compareCosts(before, after);
  EXPECT_TRUE(anyTotalGrew(check));
  std::istringstream text(toText(check));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 7u);
  EXPECT_EQ(lines[1], "MORE   f        k0_pointwise  requested             80            96");
  EXPECT_EQ(lines[2], "MORE   f        total         requested             80            96");
  EXPECT_EQ(lines[3], "LESS   f        k0_pointwise  compulsory            64            60");
  EXPECT_EQ(lines[5], "OTHER  f        k0_pointwise  threads              128           256");
  EXPECT_EQ(lines[6], "OTHER  f        k0_pointwise  registers             32            40");
}

TEST(CostTablesTest, AKernelThatDoesMoreIsNoRegression) {
  const CostTable two = table(programOf("f",
                                        "  k0 1 2 128 0 80 70 64 0 3 0 0 32\n  k1 1 2 128 0 80 70 64 0 3 0 0 32\n"
                                        "  total 2 4 160 140 128 0 6 0 0 traffic 2.00\n"));
  const CostTable one =
      table(programOf("f", "  k0 1 2 128 0 90 80 70 0 3 0 0 32\n  total 1 2 90 80 70 0 3 0 0 traffic 1.09\n"));
  const CostCheck fused = compareCosts(two, one);
  EXPECT_FALSE(anyTotalGrew(fused));
  EXPECT_NE(toText(fused).find("gone: f k1\n"), std::string::npos);
  const CostCheck split = compareCosts(one, two);
  EXPECT_TRUE(anyTotalGrew(split));
  EXPECT_NE(toText(split).find("new: f k1\n"), std::string::npos);
}

TEST(CostTablesTest, KernelsOfOneNameAreComparedInTheirOrder) {
  const std::string total = "  total 2 4 160 140 128 0 6 0 0 traffic 2.00\n";
  const std::string a = "  k0 1 2 128 0 80 70 64 0 3 0 0 32\n", b = "  k0 1 2 128 0 90 70 64 0 3 0 0 32\n";
  EXPECT_TRUE(compareCosts(table(programOf("f", a + b + total)), table(programOf("f", a + b + total))).changes.empty());
  EXPECT_EQ(compareCosts(table(programOf("f", a + b + total)), table(programOf("f", b + a + total))).changes.size(),
            2u);
}

TEST(CostTablesTest, RegistersThatAreNotKnownAreNotCompared) {
  const CostTable known = table(programOf("f", std::string(kKernel) + kTotalLine));
  const CostTable unknown =
      table(programOf("f", std::string("  k0_pointwise 1 2 128 0 80 70 64 0 3 0 0 -\n") + kTotalLine));
  EXPECT_TRUE(compareCosts(known, unknown).changes.empty());
}

TEST(CostTablesTest, OtherProgramsAndInputsAreNamed) {
  const CostTable before = table(programOf("f", kTotalLine) + programOf("g", kTotalLine));
  std::string other = programOf("g", kTotalLine);
  other.replace(other.find("64"), 2, "65");
  const CostCheck check = compareCosts(before, table(other + programOf("h", kTotalLine)));
  EXPECT_TRUE(check.changes.empty());
  ASSERT_EQ(check.missingPrograms.size(), 2u);
  EXPECT_EQ(check.missingPrograms[0], "f is in the baseline alone");
  EXPECT_EQ(check.missingPrograms[1],
            "g ran on other inputs: run 0: 64 sectors of inputs and outputs, then run 0: 65 "
            "sectors of inputs and outputs");
  EXPECT_EQ(check.notes, std::vector<std::string>{"new: h is not in the baseline"});
}

}  // namespace
}  // namespace reports
