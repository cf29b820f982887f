// Change points on series whose changes are known, and how often noise is taken for one.

#include "reports/change_points.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

namespace reports {
namespace {

constexpr double kLevel = 0.001;

double uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

std::vector<double> noise(std::mt19937_64& random, size_t count) {
  std::vector<double> values;
  for (size_t i = 0; i < count; ++i) values.push_back(uniform(random));
  return values;
}

std::vector<size_t> placesIn(const std::vector<double>& values, double level = kLevel) {
  std::vector<size_t> places;
  for (const ChangePoint& point : changePoints(values, level)) {
    EXPECT_GT(point.p, 0);
    EXPECT_LE(point.p, level);
    places.push_back(point.place);
  }
  return places;
}

// (The noise beside it may be named, too, as often as the level allows.)
RC_GTEST_PROP(ChangePointsTest, AStepIsFoundAtItsPlace, ()) {
  std::mt19937_64 random(*rc::gen::arbitrary<uint64_t>());
  const auto count = *rc::gen::inRange<size_t>(16, 31);
  const auto place = *rc::gen::inRange<size_t>(6, count - 5);
  const double step = *rc::gen::element(-3.0, 3.0, 40.0);
  std::vector<double> values = noise(random, count);
  for (size_t i = place; i < count; ++i) values[i] += step;
  const std::vector<size_t> places = placesIn(values, 0.005);
  RC_ASSERT(std::count(places.begin(), places.end(), place) == 1);
}

TEST(ChangePointsTest, EachOfTwoStepsIsFound) {
  std::mt19937_64 random(3);
  std::vector<double> values = noise(random, 30);
  for (size_t i = 10; i < 20; ++i) values[i] += 5;
  for (size_t i = 20; i < 30; ++i) values[i] += 10;
  EXPECT_EQ(placesIn(values, 0.003), (std::vector<size_t>{10, 20}));
}

// In counts, too, whose values are equal more often than not.
TEST(ChangePointsTest, AStepAmongTiesIsFoundAtItsPlace) {
  std::vector<double> values(30, 3);
  for (size_t i = 18; i < 30; ++i) values[i] = 4;
  EXPECT_EQ(placesIn(values), std::vector<size_t>{18});
  values[5] = values[20] = 3.5;
  EXPECT_EQ(placesIn(values), std::vector<size_t>{18});
}

TEST(ChangePointsTest, ValuesThatAreAllEqualDoNotChange) {
  EXPECT_TRUE(placesIn(std::vector<double>(30, 7), 0.5).empty());
  EXPECT_FALSE(mayChange(std::vector<double>(30, 7)));
}

TEST(ChangePointsTest, TwoOutliersAreNoChange) {
  std::mt19937_64 random(5);
  std::vector<double> values = noise(random, 30);
  values[28] = values[29] = 100;
  EXPECT_TRUE(placesIn(values).empty());
  values[27] = 100;
  values[26] = 100;
  EXPECT_EQ(placesIn(values), std::vector<size_t>{26});  // four are one
}

TEST(ChangePointsTest, TooFewValuesShowNone) {
  for (size_t count = 0; count < 20; ++count) {
    std::vector<double> values(count);
    for (size_t i = 0; i < count; ++i) values[i] = i < count / 2 ? 1 + 0.01 * static_cast<double>(i) : 2;
    EXPECT_EQ(placesIn(values, 0.005).size(), count >= kFewestValues && count >= fewestValues(0.005) ? 1u : 0u)
        << count;
  }
  EXPECT_EQ(fewestValues(2.0 / 252), 10u);  // 10 choose 5
  EXPECT_EQ(fewestValues(2.0 / 253), 12u);
}

// If nothing changes, whatever the distribution, at most a share `level` of series has a change; and not much less,
// where few values are equal.
void checkLevel(const std::function<double(std::mt19937_64&)>& draw, double least) {
  constexpr double level = 0.05;
  constexpr int series = 2000;
  std::mt19937_64 random(11);
  int named = 0;
  for (int i = 0; i < series; ++i) {
    std::vector<double> values(20);
    for (double& value : values) value = draw(random);
    named += !placesIn(values, level).empty();
  }
  EXPECT_LE(named, series * (level + 0.0146));  // three standard deviations
  EXPECT_GE(named, series * least);
}

TEST(ChangePointsTest, NoiseIsNamedNoMoreOftenThanTheLevel) { checkLevel(uniform, 0.035); }

TEST(ChangePointsTest, NoiseWithTiesIsNamedNoMoreOftenThanTheLevel) {
  checkLevel([](std::mt19937_64& random) { return static_cast<double>(random() % 3); }, 0.01);
}

TEST(ChangePointsTest, NoiseWithOutliersIsNamedNoMoreOftenThanTheLevel) {
  checkLevel([](std::mt19937_64& random) { return 1 / (1e-9 + uniform(random)); }, 0.035);
}

// The parts beside a change share the level.
TEST(ChangePointsTest, NoiseBesideAStepIsNamedNoMoreOftenThanTheLevel) {
  constexpr double level = 0.05;
  constexpr int series = 2000;
  std::mt19937_64 random(17);
  int more = 0;
  for (int i = 0; i < series; ++i) {
    std::vector<double> values = noise(random, 24);
    for (size_t j = 12; j < 24; ++j) values[j] += 10;
    more += placesIn(values, level).size() > 1;
  }
  EXPECT_LE(more, series * (level + 0.0146));
  EXPECT_GE(more, series * 0.01);
}

}  // namespace
}  // namespace reports
