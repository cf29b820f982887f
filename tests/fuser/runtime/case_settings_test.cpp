// Which streams a case runs on.

#include "fuser/runtime/case_settings.h"

#include <gtest/gtest.h>

#include <set>

#include "fuser/text/parser.h"

namespace fuser {
namespace {

// inputs: what a run gives %n, %x and %y.
StreamSettings streamsOf(const std::string& inputs, const char* more = "") {
  const char* fusion = "fusion f(%n: f64[] {device = cpu}, %x: f32[i0], %y: f32[i0]) { %z = sub(%x, %y) return %z }\n";
  return settingsOf(parseCase(concat(fusion, more, "run { ", inputs, " }\n"), "test")).streams;
}

std::string normals(uint64_t x, uint64_t y, int size = 3) {
  return concat("%n = values [1.0] : f64[]\n  %x = normal(seed = ", x, ") : f32[", size, "]\n  %y = normal(seed = ", y,
                ") : f32[", size, "]");
}

TEST(DrawnStreamsTest, CasesHaveFrom1To5Streams) {
  std::set<size_t> numbers;
  for (uint64_t seed = 0; seed < 50; ++seed) numbers.insert(streamsOf(normals(seed, 1)).loopStreams);
  EXPECT_EQ(numbers, (std::set<size_t>{1, 2, 3, 4, 5}));
}

TEST(DrawnStreamsTest, DependOnTheFirstSeedAlone) {
  for (uint64_t seed : {uint64_t{7}, uint64_t{4000000000}}) {
    const StreamSettings streams = streamsOf(normals(seed, 1));
    EXPECT_EQ(streams.seed, seed) << "what is given as values has none";
    for (const StreamSettings& same :
         {streamsOf(normals(seed, 2)), streamsOf(normals(seed, 1, 9)),
          streamsOf(normals(seed, 1), "option disable pass DeadCodePass\n"),
          streamsOf(concat(normals(seed, 1), " }\nrun { ", normals(5, 6)))}) {
      EXPECT_EQ(same.seed, seed);
      EXPECT_EQ(same.loopStreams, streams.loopStreams);
    }
  }
}

TEST(DrawnStreamsTest, TheOptionSaysHowManyAndLeavesTheSeed) {
  const StreamSettings streams = streamsOf(normals(7, 1), "option streams = 9\n");
  EXPECT_EQ(streams.loopStreams, 9u);
  EXPECT_EQ(streams.seed, 7u);
}

TEST(DrawnStreamsTest, WithoutASeedTheyAreTheDefaults) {
  const StreamSettings streams =
      streamsOf("%n = values [1.0] : f64[]\n  %x = values [1.0, 2.0] : f32[2]\n  %y = values [1.0, 2.0] : f32[2]");
  EXPECT_EQ(streams.seed, StreamSettings{}.seed);
  EXPECT_EQ(streams.loopStreams, StreamSettings{}.loopStreams);
}

}  // namespace
}  // namespace fuser
