// The rules of exact mode over bounds say no more than over each number.

#include "fuzz/compilers/exact_rules.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <vector>

namespace fuser::fuzz {
namespace {

constexpr ExactRule kWithBounds[] = {ExactRule::Keep,     ExactRule::Range,       ExactRule::Add,
                                     ExactRule::Multiply, ExactRule::MultiplyAdd, ExactRule::Multiple,
                                     ExactRule::Convert,  ExactRule::Total,       ExactRule::Average};

// Dyadic numbers of few bits, near the limits of the narrow dtypes; seldom zero.
std::vector<double> numbersOf(std::mt19937& random, int count) {
  const int exponent = static_cast<int>(random() % 14) - 7;
  const int bits = 1 + static_cast<int>(random() % 12);
  std::vector<double> numbers;
  for (int i = 0; i < count; ++i) {
    const auto whole = static_cast<double>(random() % (1u << bits));
    numbers.push_back(std::ldexp(random() % 2 == 0 ? whole : -whole, exponent));
  }
  return numbers;
}

NumberBounds boundsOf(const std::vector<double>& numbers) {
  NumberBounds bounds;
  for (const double number : numbers) bounds.add(number);
  return bounds;
}

// The first reason that some result of these operands gives, of a rule of terms the result of all numbers of the first.
std::string_view whyOf(ExactRule rule, const std::vector<std::vector<double>>& operands, DataType dtype) {
  ExactTerms terms;
  for (size_t i = 0; i < operands[0].size(); ++i) {
    std::vector<double> one;
    for (const std::vector<double>& operand : operands) one.push_back(operand[i]);
    if (isOfTerms(rule)) one.resize(1);
    ++terms.count;
    terms.add(one[0]);
    const std::string_view why = whyNotExact(isOfTerms(rule) ? ExactRule::Keep : rule, one, dtype);
    if (!why.empty()) return why;
  }
  return isOfTerms(rule) ? whyNotExact(rule, terms, dtype) : "";
}

TEST(ExactRulesTest, WhatIsExactWithinBoundsIsExactForEachNumber) {
  std::mt19937 random(7);
  std::map<ExactRule, int> within, exact;
  for (int i = 0; i < 20000; ++i) {
    const ExactRule rule = kWithBounds[random() % std::size(kWithBounds)];
    const DataType dtype = kAllDataTypes[random() % std::size(kAllDataTypes)];
    std::vector<std::vector<double>> operands;
    std::vector<NumberBounds> bounds;
    for (int operand = 0; operand < 3; ++operand) {
      operands.push_back(numbersOf(random, 4));
      bounds.push_back(boundsOf(operands.back()));
    }
    const std::string_view why = whyOf(rule, operands, dtype);
    const bool isWithin = isExactWithin(rule, bounds, dtype, 4);
    EXPECT_TRUE(!isWithin || why.empty()) << static_cast<int>(rule) << " " << static_cast<int>(dtype) << ": " << why;
    within[rule] += isWithin;
    exact[rule] += why.empty();
  }
  for (const ExactRule rule : kWithBounds)
    EXPECT_GT(2 * within[rule], exact[rule]) << "bounds decide too little of rule " << static_cast<int>(rule);
}

TEST(ExactRulesTest, BoundsHoldNoInfinities) {
  const NumberBounds bounds = boundsOf({1, INFINITY});
  EXPECT_FALSE(fits(bounds, DataType::Double));
  EXPECT_FALSE(isExactWithin(ExactRule::Keep, {&bounds, 1}, DataType::Double));
  const NumberBounds zeros = boundsOf({0.0, -0.0});
  EXPECT_TRUE(fits(zeros, DataType::Int8));
}

}  // namespace
}  // namespace fuser::fuzz
