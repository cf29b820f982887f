// Which streams a case runs on.

#include "fuzz/judge/drawn_streams.h"

#include <gtest/gtest.h>

#include <set>

#include "fuser/text/parser.h"

namespace fuser::fuzz {
namespace {

StreamSettings streamsOf(uint64_t seed, const char* more = "") {
  return drawnStreams(parseCase(concat("fusion f(%x: f32[i0], %y: f32[i0]) { %z = sub(%x, %y) return %z }\n", more,
                                       "run { %x = normal(seed = ", seed, ") : f32[3]\n      %y = normal(seed = 1) : ",
                                       "f32[3] }\n"),
                                "test"));
}

TEST(DrawnStreamsTest, CasesHaveFrom1To5Streams) {
  std::set<size_t> numbers;
  for (uint64_t seed = 0; seed < 50; ++seed) numbers.insert(streamsOf(seed).loopStreams);
  EXPECT_EQ(numbers, (std::set<size_t>{1, 2, 3, 4, 5}));
}

TEST(DrawnStreamsTest, DependOnTheFirstInputsSeedAlone) {
  for (uint64_t seed : {uint64_t{7}, uint64_t{4000000000}}) {
    const StreamSettings streams = streamsOf(seed), smaller = streamsOf(seed, "option disable pass DeadCodePass\n");
    EXPECT_EQ(streams.seed, seed);
    EXPECT_EQ(smaller.seed, seed);
    EXPECT_EQ(smaller.loopStreams, streams.loopStreams);
  }
}

TEST(DrawnStreamsTest, ACaseWithoutTensorsHasTheUsualOnes) {
  const Case made = parseCase("fusion f(%n: f64) { %y = neg(%n) return %y }\nrun { %n = 3.0 }\n", "test");
  EXPECT_EQ(drawnStreams(made).loopStreams, StreamSettings{}.loopStreams);
}

}  // namespace
}  // namespace fuser::fuzz
