// Choices: case N depends on version, seed and N alone; bytes run out into first choices; draws are uniform.

#include "fuzz/choices/choices.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

namespace fuser::fuzz {
namespace {

TEST(ChoicesTest, SameSeedAndCaseGiveSameDecisions) {
  Choices a(7, 3), b(7, 3);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(a.integer(-5, 1000), b.integer(-5, 1000));
}

TEST(ChoicesTest, KeepsTheStreamOfItsVersion) {
  // A change of these numbers changes every case of every seed: raise kDrawsVersion (fuzz/generate/generate.h) with it.
  Choices choices(1, 0);
  std::vector<int64_t> drawn;
  for (int i = 0; i < 5; ++i) drawn.push_back(choices.integer(0, 999));
  EXPECT_EQ(drawn, (std::vector<int64_t>{618, 974, 843, 624, 73}));
}

TEST(ChoicesTest, SeedsAndCasesDiffer) {
  std::set<int64_t> first;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    for (uint64_t number = 0; number < 100; ++number) first.insert(Choices(seed, number).integer(0, int64_t{1} << 60));
  }
  EXPECT_EQ(first.size(), 10000u);
}

TEST(ChoicesTest, IntegersAreUniform) {
  Choices choices(11, 0);
  std::vector<int> counts(10);
  for (int i = 0; i < 20000; ++i) ++counts[choices.index(10)];
  for (int count : counts) EXPECT_NEAR(count, 2000, 250);
}

TEST(ChoicesTest, WeightsAndProbabilitiesAreRespected) {
  Choices choices(12, 0);
  const double weights[] = {0, 3, 0, 1, 0};
  std::vector<int> counts(5);
  int hits = 0;
  for (int i = 0; i < 20000; ++i) {
    ++counts[choices.weighted(weights)];
    hits += choices.chance(0.1);
    EXPECT_FALSE(choices.chance(0));
    EXPECT_TRUE(choices.chance(1));
  }
  EXPECT_EQ(counts[0] + counts[2] + counts[4], 0);
  EXPECT_NEAR(counts[1], 15000, 400);
  EXPECT_NEAR(hits, 2000, 200);
}

TEST(ChoicesTest, NoBytesMeanFirstChoices) {
  Choices choices{std::span<const uint8_t>()};
  EXPECT_EQ(choices.integer(-3, 9), -3);
  EXPECT_FALSE(choices.chance(0.99));
  EXPECT_EQ(choices.real(2, 4), 2);
  const double weights[] = {0, 1, 1};
  EXPECT_EQ(choices.weighted(weights), 1u);
  std::vector<int> order{0, 1, 2, 3};
  choices.shuffle(order);
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3}));
}

TEST(ChoicesTest, BytesReachBothEnds) {
  const uint8_t bytes[] = {0, 255, 12};
  Choices choices{std::span<const uint8_t>(bytes)};
  EXPECT_EQ(choices.integer(0, 255), 0);
  EXPECT_EQ(choices.integer(0, 255), 255);
  EXPECT_EQ(choices.integer(10, 10), 10);  // takes no byte
  EXPECT_EQ(choices.integer(0, 255), 12);
  EXPECT_EQ(choices.integer(1, 255), 1);  // no byte is left
}

RC_GTEST_PROP(ChoicesTest, IntegersStayInTheirRange,
              (uint64_t seed, std::vector<uint8_t> bytes, int64_t a, int64_t b)) {
  const int64_t low = std::min(a, b), high = std::max(a, b);
  Choices seeded(seed, 1);
  Choices driven{std::span<const uint8_t>(bytes)};
  for (int i = 0; i < 20; ++i) {
    const int64_t x = seeded.integer(low, high), y = driven.integer(low, high);
    RC_ASSERT(low <= x && x <= high && low <= y && y <= high);
  }
}

}  // namespace
}  // namespace fuser::fuzz
