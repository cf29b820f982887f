#include "fuser/analysis/inline_reads.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "fuser/text/parser.h"

namespace fuser {
namespace {

class InlineReadsTest : public testing::Test {
 protected:
  void parse(const std::string& text) { parsed = parseFusion(text); }
  const Fusion& fusion() const { return *parsed; }
  TensorView* tensor(const std::string& name) const {
    for (Val* val : fusion().usedVals()) {
      if (val->name() == name) return val->as<TensorView>();
    }
    throw std::invalid_argument(name);
  }
  // The names of the results that have loops, "a b".
  std::string loops() const {
    const InlineReads reads(fusion());
    std::string names;
    for (const Expr* expr : reads.exprsWithLoops()) {
      names += (names.empty() ? "" : " ") + expr->output()->name();
    }
    return names;
  }
  std::string whyNot(const std::string& reader) const {
    const Expr* expr = tensor(reader)->definition();
    return whyNotInline(expr, expr->input(0)->as<TensorView>());
  }
  std::string tooMuch() const { return whyTooMuchInline(fusion().exprs(), InlineReads(fusion())); }
  std::unique_ptr<Fusion> parsed;
};

TEST_F(InlineReadsTest, WhatIsOnlyReadElsewhereHasNoLoops) {
  parse("fusion f(%x: f32[i0]) { %a = neg(%x) %b = abs(%a) %y = flip(%b) {dims = [0]} return %y }");
  EXPECT_EQ(loops(), "y");
  const InlineReads reads(fusion());
  EXPECT_TRUE(reads.isInline(tensor("y")->definition(), tensor("b")));
  EXPECT_EQ(reads.readInline().count(tensor("a")), 1u);
  EXPECT_EQ(reads.readInline().count(tensor("x")), 1u);
  EXPECT_EQ(reads.needs(tensor("y")->definition()), (std::vector<const Val*>{tensor("x")}));
}

TEST_F(InlineReadsTest, WhatIsReadInPlaceTooHasLoops) {
  parse("fusion f(%x: f32[i0]) { %a = neg(%x) %b = flip(%a) {dims = [0]} %y = add(%a, %b) return %y }");
  EXPECT_EQ(loops(), "a b y");
}

TEST_F(InlineReadsTest, AReshapeThatKeepsPlacesIsInPlace) {
  parse("fusion f(%x: f32[i0, i1]) { %a = neg(%x) %y = reshape(%a) {shape = [i0, i1]} return %y }");
  EXPECT_EQ(loops(), "a y");
}

TEST_F(InlineReadsTest, WhatIsStoredIsReadWhereItLies) {
  parse("fusion f(%x: f32[8]) { %a = neg(%x) %b = abs(%a) %y = flip(%b) {dims = [0]} return %y }");
  tensor("a")->setMemoryType(MemoryType::Shared);
  EXPECT_EQ(loops(), "a y");
  EXPECT_EQ(InlineReads(fusion()).needs(tensor("y")->definition()), (std::vector<const Val*>{tensor("a")}));
}

TEST_F(InlineReadsTest, AReshapeBehindAReductionIsInTheLoopsOfItsOperand) {
  parse(
      "fusion f(%x: f32[i0, 6]) { %s = sum(%x) {dims = [1], keepdim = true} %n = div(%x, %s)"
      " %y = reshape(%n) {shape = [-1, 2, 3]} return %y }");
  const InlineReads reads(fusion());
  EXPECT_FALSE(reads.isInline(tensor("y")->definition(), tensor("n")));
  EXPECT_EQ(reads.exprsWithLoops().size(), fusion().exprs().size());
}

TEST_F(InlineReadsTest, NoReductionIsComputedInline) {
  parse("fusion f(%x: f32[i0, i1]) { %s = sum(%x) {dims = [1]} %e = exp(%s) %y = flip(%e) {dims = [0]} return %y }");
  EXPECT_EQ(whyNot("y"), "%y reads %e at other coordinates, and %s is a reduction, which is not repeated");
}

TEST_F(InlineReadsTest, ALongChainIsNotComputedInline) {
  std::string text = "fusion f(%x: f32[i0]) { %a0 = neg(%x)";
  for (int i = 1; i < 100; ++i) text += " %a" + std::to_string(i) + " = neg(%a" + std::to_string(i - 1) + ")";
  parse(text + " %y = flip(%a99) {dims = [0]} return %y }");
  EXPECT_EQ(whyNot("y"),
            "%y reads %a99 at other coordinates, and it takes more than 64 expressions to compute it again");
}

TEST_F(InlineReadsTest, ALibraryFunctionIsComputedTwiceAnElement) {
  const std::string twice = "fusion f(%x: f32[i0]) { %a = sin(%x) %b = flip(%a) {dims = [0]} %c = add(%a, %b)";
  parse(twice + " return %c }");
  EXPECT_EQ(tooMuch(), "");
  parse(twice + " %d = pad(%a) {pad = [1, -1]} %y = add(%c, %d) return %y }");
  EXPECT_EQ(tooMuch(), "%a would be computed more than twice an element");
}

TEST_F(InlineReadsTest, WhatIsReadAtOnePlaceIsComputedOnce) {
  parse(
      "fusion f(%x: f32[i0]) { %a = sin(%x) %b = neg(%a) %c = abs(%a) %d = mul(%b, %c) %e = mul(%d, %a)"
      " %y = flip(%e) {dims = [0]} return %y }");
  EXPECT_EQ(tooMuch(), "");
}

TEST_F(InlineReadsTest, AnElementThatIsRepeatedCountsAsMany) {
  parse("fusion f(%x: f32[i0]) { %a = sin(%x) %y = repeat(%a) {repeats = [3]} return %y }");
  EXPECT_NE(tooMuch(), "");
  parse("fusion f(%x: f32[i0]) { %a = neg(%x) %y = repeat(%a) {repeats = [3]} return %y }");
  EXPECT_EQ(tooMuch(), "");
}

// Each of 40 expressions reads the one before it at two places: 2^40 places at the end.
TEST_F(InlineReadsTest, PlacesThatMultiplyAreRefused) {
  std::string text = "fusion f(%x: f32[i0]) { %a0 = neg(%x)";
  for (int i = 1; i < 40; ++i) {
    const std::string before = "%a" + std::to_string(i - 1), name = std::to_string(i);
    text += " %b" + name + " = flip(" + before + ") {dims = [0]} %c" + name + " = pad(" + before + ") {pad = [1, -1]}";
    text += " %a" + name + " = add(%b" + name + ", %c" + name + ")";
  }
  parse(text + " return %a39 }");
  EXPECT_NE(tooMuch(), "");
}

}  // namespace
}  // namespace fuser
