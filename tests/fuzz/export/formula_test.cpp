// Formulas of the tables: how they are read.

#include "fuzz/export/formula.h"

#include <gtest/gtest.h>

namespace fuser::fuzz {
namespace {

// Writes a formula as its text again, with helpers filled in.
struct TextWriter {
  std::string number(double number) const { return concat(number); }
  std::string word(std::string_view name) const { return concat("<", name, ">"); }
  std::string call(std::string_view name, std::string_view attributes, const std::vector<std::string>& operands) const {
    std::string text = concat(name, "[", attributes, "](");
    for (const std::string& operand : operands) text += operand + " ";
    return text + ")";
  }
  static std::span<const NamedFormula> helpers() {
    static constexpr NamedFormula kHelpers[] = {{"twice", "Add(a, a)"}, {"swapped", "Sub(b, twice(a))"}};
    return kHelpers;
  }
};

std::string written(std::string_view text) {
  const std::string operands[] = {"x", "y"};
  TextWriter writer;
  return writeFormula<std::string>(parseFormula(text), std::span(operands), writer);
}

TEST(FormulaTest, CallsHoldCallsOperandsNumbersAndWords) {
  EXPECT_EQ(written("b"), "y");
  EXPECT_EQ(written("compare<LT>(a, -0.5)"), "compare[LT](x -0.5 )");
  EXPECT_EQ(written("max_of(inf, none())"), "max_of[](<inf> none[]() )");
}

TEST(FormulaTest, HelpersAreFilledInWithTheirOwnOperands) {
  EXPECT_EQ(written("swapped(1, b)"), "Sub[](y Add[](1 1 ) )");
}

TEST(FormulaTest, WhatIsNoFormulaIsNamed) {
  EXPECT_THROW(parseFormula("Add(a"), CheckError);
  EXPECT_THROW(parseFormula("Add(a) b"), CheckError);
  EXPECT_THROW(parseFormula("Add<to(a)"), CheckError);
  EXPECT_THROW(parseFormula("(a)"), CheckError);
  EXPECT_THROW(written("Add(c)"), CheckError);
}

}  // namespace
}  // namespace fuser::fuzz
