// Pages of elements against a map with an entry an element.
#include "fuser/host_run/touched_elements.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace fuser {
namespace {

TEST(TouchedElementsTest, AreThoseOfAMap) {
  std::mt19937_64 random(7);
  const auto below = [&](uint64_t end) { return random() % end; };
  TouchedElements elements;
  struct Expected {
    uint32_t write = 0, read = 0;
    bool hasOtherReads = false;
  };
  std::map<uintptr_t, Expected> expected;
  for (uint32_t mark = 1; mark < 200000; ++mark) {
    // Elements of all sizes side by side, on a few pages, some of them far away.
    const uint64_t bytes = uint64_t{1} << below(5);
    const uintptr_t address = (below(4) << 33) + 5 * 1024 + below(4096) / bytes * bytes;
    if (below(3) == 0) {
      EXPECT_EQ(elements.erase(address), expected.erase(address) == 1);
    } else {
      TouchedElement& element = elements.at(address, bytes);
      const auto known = expected.try_emplace(address).first;
      ASSERT_EQ(element.write, known->second.write);
      ASSERT_EQ(element.read, known->second.read);
      ASSERT_EQ(element.hasOtherReads, known->second.hasOtherReads);
      element = {mark, mark / 2, mark % 3 == 0};
      known->second = {mark, mark / 2, mark % 3 == 0};
    }
    ASSERT_EQ(elements.count(), expected.size());
    if (below(20000) != 0) continue;
    for (const auto& [each, marks] : expected) EXPECT_TRUE(elements.erase(each));  // all pages go
    expected.clear();
  }
}

}  // namespace
}  // namespace fuser
