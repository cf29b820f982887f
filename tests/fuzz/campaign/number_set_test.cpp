// Sets of numbers as intervals.

#include "fuzz/campaign/number_set.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "fuser/support/check.h"

namespace fuser::fuzz {
namespace {

TEST(NumberSetTest, IntervalsGrowAndJoin) {
  NumberSet set;
  for (uint64_t number : {5u, 3u, 4u, 9u, 0u, 1u, 5u}) set.add(number);
  EXPECT_EQ(set.toString(), "0-1,3-5,9");
  EXPECT_EQ(set.count(), 6u);
  EXPECT_EQ(set.firstMissing(0), 2u);
  EXPECT_EQ(set.firstMissing(3), 6u);
  EXPECT_EQ(set.firstMissing(7), 7u);
}

TEST(NumberSetTest, MalformedTextIsRefused) {
  for (const char* text : {"x", "1-", "3-2", "1,", "1,,2", "2,1", "1-5,3", "1-2,3", "-1", "99999999999999999999"}) {
    EXPECT_THROW(NumberSet::parse(text), UserError) << text;
  }
  EXPECT_EQ(NumberSet::parse("").count(), 0u);
}

RC_GTEST_PROP(NumberSetTest, AgreesWithASetOfEachNumber, ()) {
  NumberSet set;
  std::set<uint64_t> model;
  for (int number : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 40))) {
    set.add(static_cast<uint64_t>(number));
    model.insert(static_cast<uint64_t>(number));
  }
  RC_ASSERT(set.count() == model.size());
  for (uint64_t number = 0; number < 42; ++number) {
    RC_ASSERT(set.contains(number) == (model.count(number) != 0));
    uint64_t missing = number;
    while (model.count(missing)) ++missing;
    RC_ASSERT(set.firstMissing(number) == missing);
  }
  RC_ASSERT(NumberSet::parse(set.toString()) == set);
}

RC_GTEST_PROP(NumberSetTest, SetsAreJoinedAndComparedByIntervals, ()) {
  const auto drawn = [] {
    std::set<uint64_t> numbers;
    for (int number : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 40)))
      numbers.insert(static_cast<uint64_t>(number));
    return numbers;
  };
  const std::set<uint64_t> a = drawn(), b = drawn();
  NumberSet first, second;
  for (uint64_t number : a) first.add(number);
  for (uint64_t number : b) second.add(number);
  const auto inBoth = std::count_if(a.begin(), a.end(), [&](uint64_t number) { return b.count(number) != 0; });
  RC_ASSERT(first.countCommon(second) == static_cast<uint64_t>(inBoth));
  RC_ASSERT(second.countCommon(first) == static_cast<uint64_t>(inBoth));
  NumberSet expected;
  for (const std::set<uint64_t>* each : {&a, &b}) {
    for (uint64_t number : *each) expected.add(number);
  }
  first += second;
  RC_ASSERT(first == expected);
  RC_ASSERT(first.count() == a.size() + b.size() - static_cast<uint64_t>(inBoth));
}

}  // namespace
}  // namespace fuser::fuzz
