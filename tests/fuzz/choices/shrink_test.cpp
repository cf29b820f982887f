// Shrinking of byte streams: always smaller, and small in few tries.

#include "fuzz/choices/shrink.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

namespace fuser::fuzz {
namespace {

RC_GTEST_PROP(ShrinkTest, EveryEditMakesTheStreamShorterOrAByteSmaller, (const std::vector<uint8_t>& bytes)) {
  const auto sum = [](const std::vector<uint8_t>& all) { return std::accumulate(all.begin(), all.end(), 0); };
  for (const StreamEdit& edit : smallerStreams(bytes)) {
    const std::vector<uint8_t> smaller = applyEdit(bytes, edit);
    RC_ASSERT(smaller.size() < bytes.size() || (smaller.size() == bytes.size() && sum(smaller) < sum(bytes)));
  }
}

TEST(ShrinkTest, AnEmptyStreamHasNoSmallerStream) {
  EXPECT_TRUE(smallerStreams({}).empty());
  EXPECT_EQ(smallerStreams({0}).size(), 1u);  // only to remove it
}

TEST(ShrinkTest, OneByteOfThousandsIsFoundInAFewThousandTries) {
  std::vector<uint8_t> bytes(4000, 7);
  bytes[2900] = 200;
  const auto fails = [](const std::vector<uint8_t>& all) {
    return std::any_of(all.begin(), all.end(), [](uint8_t byte) { return byte > 100; });
  };
  int tries = 0;
  for (bool found = true; found;) {
    found = false;
    for (const StreamEdit& edit : smallerStreams(bytes)) {
      ++tries;
      std::vector<uint8_t> smaller = applyEdit(bytes, edit);
      if (!fails(smaller)) continue;
      bytes = std::move(smaller);
      found = true;
      break;
    }
  }
  EXPECT_EQ(bytes, std::vector<uint8_t>{101});
  EXPECT_LT(tries, 4000);
}

}  // namespace
}  // namespace fuser::fuzz
