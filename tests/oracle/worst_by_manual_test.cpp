// oracle/worst_by_manual.def beside the table of largest errors, and what it makes of the sets.

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <regex>

#include "fuser/ops/op_table.h"
#include "oracle/real_rules.h"
#include "oracle/rule_group.h"

namespace oracle_test {
namespace {

using fuser::DataType;
using fuser::OpKind;
using oracle::MathLibrary;

struct Seen {
  double column = 0;  // error column
  int nearest = 0;    // of ptx, in ulps from the correctly rounded value
  int worst = 0;      // of the adversary
};

// Of rows with an error column: "| Exp | f32 | 16777216 | 2 | … | 1.63 (2) at … | 3.63 (4) at … |".
std::map<std::string, Seen> seenOfFloats() {
  std::map<std::string, Seen> rows;
  const std::regex row(
      R"(\| (\w+) \| f32 \| \d+ \| (\d+) \|[^|]*\|[^|]*\| [^|(]*\((\d+)\)[^|]*\| [^|(]*\((\d+)\)[^|]*\|)");
  std::ifstream file("tests/oracle/largest_errors.md");
  std::smatch parts;
  for (std::string line; std::getline(file, line);) {
    if (!std::regex_match(line, parts, row)) continue;
    rows[parts[1]] = {std::stod(parts[2]), std::stoi(parts[3]), std::stoi(parts[4])};
  }
  return rows;
}

std::map<std::string, double> listed() {
  std::map<std::string, double> rows;
#define WORST(row, ulps) rows[#row] = ulps;
#include "oracle/worst_by_manual.def"
#undef WORST
  return rows;
}

TEST(WorstByManualTest, IsOneMoreThanWasSeen) {
  const std::map<std::string, double> worst = listed();
  const std::map<std::string, Seen> seen = seenOfFloats();
  ASSERT_GT(seen.size(), 20u);
  for (const auto& [row, ulps] : worst) {
    ASSERT_TRUE(seen.contains(row)) << row;
    EXPECT_EQ(ulps, seen.at(row).worst + 1) << row;
    EXPECT_GT(ulps, seen.at(row).column) << row << ": the column holds of it anyway";
  }
  for (const auto& [row, each] : seen) {
    if (worst.contains(row)) continue;
    EXPECT_LE(each.worst > each.nearest ? each.worst + 1 : each.worst, each.column) << row;
  }
}

TEST(WorstByManualTest, IsOfFunctionsOfOneOperand) {
#define WORST(row, ulps) EXPECT_EQ(oracle::ruleGroup(OpKind::row), oracle::RuleGroup::Function) << #row;
#include "oracle/worst_by_manual.def"
#undef WORST
}

TEST(WorstByManualTest, WidensSetsOfFloatsAlone) {
  const auto imageOf = [](OpKind op, double operand, DataType compute, MathLibrary library) {
    const oracle::Interval at = oracle::Interval::of(operand);
    oracle::Interval image;
    oracle::functionRule(op, {&at, 1}, {&image, 1}, compute, library);
    return image;
  };
  const double ulp = 0x1p-22;  // of f32 at e
  const oracle::Interval open = imageOf(OpKind::Exp, 1, DataType::Float, MathLibrary::Any);
  const oracle::Interval worst = imageOf(OpKind::Exp, 1, DataType::Float, MathLibrary::WorstByManual);
  EXPECT_EQ(open.hi - open.lo, 4 * ulp);
  EXPECT_EQ(worst.hi - worst.lo, 10 * ulp);
  const oracle::Interval wide = imageOf(OpKind::Exp, 1, DataType::Double, MathLibrary::WorstByManual);
  EXPECT_EQ(wide.hi, imageOf(OpKind::Exp, 1, DataType::Double, MathLibrary::Any).hi);
  EXPECT_TRUE(imageOf(OpKind::Exp, 0, DataType::Float, MathLibrary::WorstByManual).isPoint());
  EXPECT_FALSE(imageOf(OpKind::Cosh, 0, DataType::Float, MathLibrary::WorstByManual).isPoint());
}

}  // namespace
}  // namespace oracle_test
