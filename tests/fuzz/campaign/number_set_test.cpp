// Sets of numbers as intervals.

#include "fuzz/campaign/number_set.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

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

}  // namespace
}  // namespace fuser::fuzz
