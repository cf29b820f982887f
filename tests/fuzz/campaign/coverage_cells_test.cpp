// What the generator draws, counted: no op is without a rank, a dtype, a layout, a size or an attribute that it takes.

#include "fuzz/campaign/coverage_cells.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "fuser/text/parser.h"
#include "fuzz/campaign/accounting.h"
#include "fuzz/generate/generate.h"
#include "tests/golden/golden_tests.h"
#include "tests/in_full.h"

namespace fuser::fuzz {
namespace {

golden::Made cellsInText(const golden::Case& test) {
  std::string text;
  for (const Cell& cell : cellsOf(parseCase(test.input, test.title))) text += cellText(cell) + "\n";
  return text;
}

const golden::Texts kTexts("tests/fuzz/campaign/coverage_cells.txt", {}, cellsInText);

// Of the other cells some few are seldom met: an op that wants operands of its own range, from memory of another input.
// FUSER_FULL=1 draws more cases.
TEST(CoverageCellsTest, TheGeneratorDrawsEachOpAtEachRankAndOnEachDtype) {
  const bool isLong = inFull();
  const uint64_t drawn = isLong ? 100000 : 20000;
  constexpr int64_t kSeldom = 3;
  std::map<Cell, int64_t> cells;
  for (const Cell& cell : possibleCells()) {
    if (!isOfViews(cell)) cells[cell] = 0;  // campaigns draw views
  }
  for (uint64_t number = 0; number < drawn; ++number) {
    for (const Cell& cell : cellsOf(generateCase(3, number))) ++cells[cell];
  }
  size_t seldom = 0, never = 0;
  for (const auto& [cell, count] : cells) {
    if (cell[0] == "dtype" || cell[0] == "rank") {
      EXPECT_GT(count, 0) << "no case has " << cellText(cell);
    }
    if (count == 0) std::printf("no case has %s\n", cellText(cell).c_str());
    never += count == 0;
    seldom += count < kSeldom;
  }
  EXPECT_LE(never, cells.size() / (isLong ? 1000 : 150));
  std::printf("%zu of %zu cells have fewer than %ld cases\n", seldom, cells.size(), long{kSeldom});
}

TEST(CoverageCellsTest, ACampaignListsWhatItNeverAndSeldomDrew) {
  Accounting accounting;
  TaskResult result;
  result.cells = {{"layout", "Add", "permuted"}};
  accounting.add("case 0", result, 0);
  const reports::CampaignSummary one = accounting.summary();
  EXPECT_EQ(one.neverInCell.size() + 1, possibleCells().size());
  EXPECT_TRUE(one.seldomDrawn.empty()) << "one case of one is not seldom";
  result.cells.clear();
  for (int number = 1; number < 40000; ++number) accounting.add(concat("case ", number), result, 0);
  EXPECT_EQ(accounting.summary().seldomDrawn, std::vector<std::string>{"Add: layout permuted (1)"});
}

}  // namespace
}  // namespace fuser::fuzz
