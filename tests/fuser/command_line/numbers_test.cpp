// Numbers as people write them.

#include "fuser/command_line/numbers.h"

#include <gtest/gtest.h>

#include <vector>

namespace fuser {
namespace {

TEST(NumbersTest, CountsHaveSuffixesAndExponents) {
  EXPECT_EQ(countOf("0"), 0u);
  EXPECT_EQ(countOf("20000"), 20000u);
  EXPECT_EQ(countOf("20k"), 20000u);
  EXPECT_EQ(countOf("1.5m"), 1500000u);
  EXPECT_EQ(countOf("2G"), 2000000000u);
  EXPECT_EQ(countOf("1e6"), 1000000u);
  EXPECT_EQ(countOf("18446744073709551615"), ~uint64_t{0});
}

TEST(NumbersTest, WhatIsNoWholeNumberIsNoCount) {
  for (const char* text : {"", "-1", "+1", "k", "1.5", "1x", "1kk", "1k1", "0x10", "nan", "inf", "1e30", " 1", "1 ",
                           "18446744073709551616", "9007199254740993.0k"}) {
    EXPECT_EQ(countOf(text), std::nullopt) << text;
  }
}

TEST(NumbersTest, TimesHaveUnitsInFallingOrder) {
  EXPECT_EQ(secondsOf("90"), 90);
  EXPECT_EQ(secondsOf("0.5"), 0.5);
  EXPECT_EQ(secondsOf("90s"), 90);
  EXPECT_EQ(secondsOf("10m"), 600);
  EXPECT_EQ(secondsOf("8h"), 28800);
  EXPECT_EQ(secondsOf("2d"), 172800);
  EXPECT_EQ(secondsOf("1h30m"), 5400);
  EXPECT_EQ(secondsOf("1e3"), 1000);
}

TEST(NumbersTest, OtherTextIsNoTime) {
  for (const char* text : {"", "s", "-1", "nan", "inf", "1x", "1h30", "30m1h", "1m1m", "1 h"}) {
    EXPECT_EQ(secondsOf(text), std::nullopt) << text;
  }
}

// What parsing these arguments gives, or the sentence that ends it.
std::string parsed(const std::string& arguments) {
  CLI::App app("", "program");
  uint64_t runs = 0;
  double seconds = 0;
  takesCount(app.add_option("--runs", runs, ""), 1, 1000);
  takesSeconds(app.add_option("--time", seconds, ""), 0.5, 1e7);
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
  return std::to_string(runs) + ", " + std::to_string(seconds);
}

TEST(NumbersTest, OptionsSayWhatTheyTake) {
  EXPECT_EQ(parsed("--runs 1k --time 1234567.5"), "1000, 1234567.500000");
  EXPECT_EQ(parsed("--runs 0"), "--runs: 0 is below 1");
  EXPECT_EQ(parsed("--runs -1"), "--runs: -1 is below 1");
  EXPECT_EQ(parsed("--runs 2k"), "--runs: 2k is above 1000");
  EXPECT_EQ(parsed("--runs abc"), "--runs: 'abc' is not a whole number; write 20000, 20k or 1e6");
  EXPECT_EQ(parsed("--time 0.1"), "--time: 0.1 is below 0.5");
  EXPECT_EQ(parsed("--time 1x"), "--time: '1x' is not a time; write 90 or 90s, 10m, 8h, 1h30m");
}

}  // namespace
}  // namespace fuser
