// What a person compares a wrong element with: the same program, without the rounding of its dtypes.

#include "fuzz/judge/f64_values.h"

#include <gtest/gtest.h>

#include "fuser/text/parser.h"

namespace fuser::fuzz {
namespace {

WrongPlace place(const std::string& value, std::vector<int64_t> index) { return {value, 0, std::move(index), "", ""}; }

TEST(F64ValuesTest, NothingIsRoundedBetweenInputsAndResult) {
  const Case testCase = parseCase(
      "fusion f(%x: f32[i0, i1], %s: f64) {\n  %a = cast(%x) {dtype = bf16}\n  %b = cast(%a) {dtype = f32}\n"
      "  %t = sum(%b) {dims = [1]}\n  %y = mul(%t, %s)\n  %n = neg(%x)\n  return %y, %n\n}\n"
      "run { %x = values [1.00390625, 2.0, 3.0, 4.0] : f32[2, 2]  %s = 2.0 }\n"
      "run { %x = values [0.1, 2.0] : f32[1, 2]  %s = 2.0 }\n",
      "test");
  const std::vector<WrongPlace> places = {place("a", {0, 0}), place("y", {0}), place("y", {1}), place("n", {1, 0})};
  EXPECT_EQ(f64ValuesOf(testCase, 0, places), (std::vector<std::string>{"1.00390625", "6.0078125", "14.0", "-3.0"}));
  // The inputs keep the numbers that f32 has.
  EXPECT_EQ(f64ValuesOf(testCase, 1, {place("n", {0, 0})}), std::vector<std::string>{"-0.10000000149011612"});
}

TEST(F64ValuesTest, WhatThatProgramLacksIsNotKnown) {
  const Case testCase = parseCase(
      "fusion f(%x: f32[i0]) {\n  %y = neg(%x)\n  return %y\n}\nrun { %x = normal(seed = 1) : f32[4] }\n", "test");
  const std::vector<WrongPlace> places = {place("z", {0}), place("y", {4}), place("y", {}), place("y", {-1})};
  EXPECT_EQ(f64ValuesOf(testCase, 0, places), (std::vector<std::string>{"", "", "", ""}));
  EXPECT_EQ(f64ValuesOf(testCase, 1, {place("y", {0})}), std::vector<std::string>{""});
  const Case bits = parseCase(
      "fusion f(%x: f32[i0]) {\n  %y = bitcast(%x) {dtype = i32}\n  return %y\n}\n"
      "run { %x = normal(seed = 1) : f32[4] }\n",
      "test");
  EXPECT_EQ(f64ValuesOf(bits, 0, {place("y", {0})}), std::vector<std::string>{""});
}

}  // namespace
}  // namespace fuser::fuzz
