#include <gtest/gtest.h>

#include <set>

#include <rapidcheck/gtest.h>

#include "fuser/support/check.h"
#include "fuser/support/disjoint_sets.h"
#include "fuser/support/unique_entries.h"

namespace fuser {
namespace {

RC_GTEST_PROP(VectorOfUniqueEntriesTest, KeepsFirstInsertionOrder, (const std::vector<int>& values)) {
  VectorOfUniqueEntries<int> unique;
  std::vector<int> expected;
  for (int value : values) {
    const bool isNew = std::find(expected.begin(), expected.end(), value) == expected.end();
    if (isNew) expected.push_back(value);
    RC_ASSERT(unique.pushBack(value) == isNew);
  }
  RC_ASSERT(unique.vector() == expected);
  for (int value : values) {
    if (unique.erase(value)) std::erase(expected, value);
    RC_ASSERT(!unique.contains(value));
    RC_ASSERT(unique.vector() == expected);
  }
}

RC_GTEST_PROP(DisjointSetsTest, RepresentativeIsTheSmallestMember, ()) {
  const size_t count = *rc::gen::inRange<size_t>(1, 30);
  DisjointSets sets(count);
  std::vector<size_t> naive(count);
  for (size_t i = 0; i < count; ++i) naive[i] = i;
  for (int step = 0; step < 40; ++step) {
    const size_t a = *rc::gen::inRange<size_t>(0, count);
    const size_t b = *rc::gen::inRange<size_t>(0, count);
    RC_ASSERT(sets.unite(a, b) == (naive[a] != naive[b]));
    const size_t low = std::min(naive[a], naive[b]);
    const size_t high = std::max(naive[a], naive[b]);
    for (size_t& set : naive) set = set == high ? low : set;
  }
  for (size_t i = 0; i < count; ++i) RC_ASSERT(sets.find(i) == naive[i]);
}

TEST(CheckTest, CompilerAndUserErrorsHaveDifferentTypes) {
  EXPECT_THROW(FUSER_CHECK(1 == 2, "x = ", 3), CheckError);
  EXPECT_THROW(FUSER_USER_CHECK(1 == 2, "x = ", 3), UserError);
  EXPECT_NO_THROW(FUSER_CHECK(true));
}

}  // namespace
}  // namespace fuser
