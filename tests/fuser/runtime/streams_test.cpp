// Programs with streams: their results, every order in which their work may be done, and synchronizations that are
// missing.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>

#include "fuser/runtime/build_program.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/runtime/fusion_executor_cache.h"
#include "fuser/text/parser.h"
#include "tests/fuser/analysis/stage_observers.h"

namespace fuser {
namespace {

// Goes through all sequences of choices, one after another: next() until it is false.
class AllChoices {
 public:
  size_t operator()(size_t count) {
    if (depth_ == taken_.size()) taken_.push_back({0, count});
    EXPECT_EQ(taken_[depth_].second, count) << "a run chose otherwise after the same choices";
    return taken_[depth_++].first;
  }
  bool next() {
    while (!taken_.empty() && taken_.back().first + 1 == taken_.back().second) taken_.pop_back();
    if (!taken_.empty()) ++taken_.back().first;
    depth_ = 0;
    return !taken_.empty();
  }

 private:
  std::vector<std::pair<size_t, size_t>> taken_;  // what was chosen, of how many
  size_t depth_ = 0;
};

// A chain of copies of a matrix of some rows of two; true: that one's rows run on streams. Copies on streams are no
// bodies with others, so that each is a kernel. The result is x.
std::string chainText(const std::vector<bool>& streams, size_t rows) {
  std::string text = "fusion chain(%t0: f32[i0, i1]) {\n", settings;
  for (size_t i = 0; i < streams.size(); ++i) {
    text += concat("  %t", i + 1, " = set(%t", i, ")\n");
    if (streams[i]) settings += concat("stream %t", i + 1, " {dim = 0}\n");
  }
  std::string values;
  for (size_t i = 0; i < 2 * rows; ++i) values += concat(i == 0 ? "" : ", ", i + 1, ".0");
  return concat(text, "  return %t", streams.size(), "\n}\n", settings, "run { %t0 = values [", values, "] : f32[",
                rows, ", 2] }\n");
}

struct Chain {
  explicit Chain(const std::vector<bool>& streams, size_t rows = 2)
      : rows(rows),
        testCase(parseCase(chainText(streams, rows), "chain")),
        data(materialize(testCase, testCase.runs.front())) {}

  // The synchronization number `dropped` taken away, where there are so many. Whether the result is right.
  bool run(const StreamSettings& streams, std::optional<size_t> dropped = std::nullopt) {
    FusionExecutorCache::Settings settings = settingsOf(testCase);
    settings.streams = streams;
    AfterHost dropping([&](HostIrContainer& program) {
      const std::vector<hir::HostExpr*> all = hostExprsOf<hir::Synchronize>(program);
      synchronizations = all.size();
      if (dropped) program.remove(all.at(*dropped));
    });
    settings.context.observers = {&dropping};
    const std::shared_ptr<const Fusion> fusion(std::shared_ptr<const Fusion>(), testCase.fusion.get());
    const RunRecord record = FusionExecutorCache(fusion, settings).run(hostValues(data));
    std::vector<float> expected;
    for (size_t i = 0; i < 2 * rows; ++i) expected.push_back(static_cast<float>(i + 1));
    return std::memcmp(std::get<TensorRef>(record.outputs.at(0)).data, expected.data(),
                       expected.size() * sizeof(float)) == 0;
  }

  // Whether every order of the work gives the right result; and how many there are. Fewer than kMostOrders are all.
  static constexpr size_t kMostOrders = 3000;
  bool anyOrderIsRight(std::optional<size_t> dropped = std::nullopt) {
    auto choices = std::make_shared<AllChoices>();
    StreamSettings streams{2, false, 0, [choices](size_t count) { return (*choices)(count); }};
    bool right = true;
    orders = 0;
    do {
      right &= run(streams, dropped);
      ++orders;
    } while (choices->next() && orders < kMostOrders);
    return right;
  }

  bool isReported(size_t dropped) {
    try {
      run({2, true, 0, {}}, dropped);
      return false;
    } catch (const ViolationError& error) {
      message = error.what();
      return true;
    }
  }

  size_t rows;
  Case testCase;
  RunData data;
  size_t synchronizations = 0;
  size_t orders = 0;
  std::string message;
};

TEST(StreamsTest, EveryOrderOfTheWorkGivesTheResult) {
  const std::pair<std::vector<bool>, size_t> chains[] = {{{true}, 2}, {{true, true}, 6}, {{true, false, true}, 4}};
  for (const auto& [streams, orders] : chains) {
    Chain chain(streams);
    EXPECT_TRUE(chain.run({}));
    EXPECT_TRUE(chain.anyOrderIsRight());
    EXPECT_EQ(chain.orders, orders) << "two turns on two streams have no order";
    chain.testCase.options.disabledPasses.insert("RedundantSynchronizationsPass");
    EXPECT_TRUE(chain.anyOrderIsRight());
    EXPECT_EQ(chain.orders, 1u) << "a turn waits for the outer stream, which waited for the turn before";
  }
}

// Also where turns reuse slices of turns before them: there are two streams, and three rows.
RC_GTEST_PROP(StreamsTest, EveryOrderOfASmallProgramGivesTheResult, ()) {
  const auto length = *rc::gen::inRange<size_t>(1, 4);
  const auto streams = *rc::gen::container<std::vector<bool>>(length, rc::gen::arbitrary<bool>());
  Chain chain(streams, *rc::gen::inRange<size_t>(1, 4));
  for (const char* pass : {"FuseStreamLoopsPass", "StreamSlicesPass", "RedundantSynchronizationsPass"}) {
    if (*rc::gen::inRange(0, 4) == 0) chain.testCase.options.disabledPasses.insert(pass);
  }
  RC_ASSERT(chain.anyOrderIsRight());
  RC_ASSERT(chain.orders < Chain::kMostOrders);
}

// What a loop reads is made before it, by the caller or by another expression; what it makes is read behind it, and
// what it read is given back behind it. The caller reads the outputs.
TEST(StreamsTest, AMissingSynchronizationIsReported) {
  Chain chain({true, false, true});
  ASSERT_TRUE(chain.run({2, true, 0, {}}));
  ASSERT_EQ(chain.synchronizations, 4u);
  EXPECT_TRUE(chain.isReported(0)) << "the caller made the input on the outer stream";
  EXPECT_NE(chain.message.find("streams: the caller on stream 0 and launch "), std::string::npos) << chain.message;
  EXPECT_TRUE(chain.isReported(1));
  EXPECT_NE(chain.message.find("on stream 1 and launch "), std::string::npos) << chain.message;
  EXPECT_NE(chain.message.find("touch %t1 with no synchronization between them"), std::string::npos) << chain.message;
  EXPECT_TRUE(chain.isReported(2));
  EXPECT_TRUE(chain.isReported(3));
  EXPECT_NE(chain.message.find("and free %t2 on stream 0 touch %t2"), std::string::npos) << chain.message;
}

// Of the field's three programs, as StreamParallelTypePass makes them and behind all passes.
TEST(StreamsTest, EveryMissingSynchronizationIsReported) {
  for (const std::vector<bool>& streams : {std::vector<bool>{true}, {true, true}, {true, false, true}}) {
    for (bool passes : {false, true}) {
      Chain chain(streams);
      for (const char* pass : {"FuseStreamLoopsPass", "StreamSlicesPass", "RedundantSynchronizationsPass"}) {
        if (!passes) chain.testCase.options.disabledPasses.insert(pass);
      }
      ASSERT_TRUE(chain.run({2, true, 0, {}}));
      const size_t count = chain.synchronizations;
      EXPECT_GE(count, 2u);
      for (size_t dropped = 0; dropped < count; ++dropped)
        EXPECT_TRUE(chain.isReported(dropped)) << dropped << " of " << count;
    }
  }
}

// Without the wait at a turn's start, rows run in any order.
TEST(StreamsTest, RowsThatNothingOrdersRunInAnyOrder) {
  Chain chain({true});
  EXPECT_TRUE(chain.anyOrderIsRight(0));
  EXPECT_GT(chain.orders, 1u);
  EXPECT_LT(chain.orders, Chain::kMostOrders);
}

TEST(StreamsTest, RunsWithoutAnyOfItsPasses) {
  for (const char* pass : {"StreamParallelTypePass", "FuseStreamLoopsPass", "StreamSlicesPass",
                           "InsertDeallocationsPass", "RedundantSynchronizationsPass"}) {
    Chain chain({true, true, false, true});
    chain.testCase.options.disabledPasses.insert(pass);
    EXPECT_TRUE(chain.run({})) << pass;
  }
  Chain chain({true});
  chain.testCase.options.disabledPasses.insert("StreamParallelTypePass");
  EXPECT_TRUE(chain.run({}));
  EXPECT_EQ(chain.synchronizations, 0u);
}

// Passes of the fusion do not run where there are streams, and passes of the host program have nothing to do elsewhere:
// a case may switch them off all the same.
TEST(StreamsTest, ACaseWithoutStreamsMayNameAPassOfTheHostProgram) {
  Chain chain({false, false});
  chain.testCase.options.disabledPasses.insert("RedundantSynchronizationsPass");
  EXPECT_TRUE(chain.run({}));
}

// The schedulers take an expanded axis where they know that it has a place; no cache of its own runs one expression.
TEST(StreamsTest, RejectsAnExpressionThatNeedsUnknownSizes) {
  const Case testCase = parseCase(
      "fusion f(%x: f32[i0, 1*i1]) { %y = neg(%x) return %y }\nstream %y {dim = 0}\n"
      "run { %x = normal(seed = 1) : f32[2, 3] }\n",
      "test");
  const FusionExecutorCache::Settings settings = settingsOf(testCase);
  try {
    buildProgram(*testCase.fusion, settings, {}, std::nullopt);
    ADD_FAILURE() << "compiled";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("no scheduler takes %y = neg(…): "), std::string::npos) << error.what();
  }
  const RunData data = materialize(testCase, testCase.runs.front());
  const std::vector<HostValue> inputs = hostValues(data);
  EXPECT_EQ(buildProgram(*testCase.fusion, settings, {}, inputs)->kernels.size(), 1u);
}

// %t1 and %t2 live inside the loop; a run takes their memory for as many turns as there are streams.
TEST(StreamsTest, ALoopLocalTensorHasOneSlicePerStream) {
  const Case testCase = parseCase(R"(fusion f(%x: f32[i0, i1]) {
  %t1 = set(%x)
  %t2 = set(%t1)
  %y = set(%t2)
  return %y
}
stream %t1 {dim = 0}
stream %t2 {dim = 0}
stream %y {dim = 0}
run { %x = normal(seed = 1) : f32[64, 8] }
)",
                                  "test");
  const RunData data = materialize(testCase, testCase.runs.front());
  const auto run = [&](size_t streams, bool slices, bool probes) {
    FusionExecutorCache::Settings settings = settingsOf(testCase);
    settings.streams.loopStreams = streams;
    settings.record = true;
    settings.context.options.probes = probes;
    if (!slices) settings.context.options.disabledPasses.insert("StreamSlicesPass");
    const std::shared_ptr<const Fusion> fusion(std::shared_ptr<const Fusion>(), testCase.fusion.get());
    return FusionExecutorCache(fusion, settings).run(hostValues(data));
  };
  const size_t row = 8 * sizeof(float), whole = 64 * row;
  EXPECT_EQ(run(3, false, false).peakBytes, 3 * whole);
  EXPECT_EQ(run(3, true, false).peakBytes, whole + 2 * 3 * row);
  EXPECT_EQ(run(1, true, false).peakBytes, whole + 2 * row);
  EXPECT_EQ(run(100, true, false).peakBytes, 3 * whole) << "no more places than the axis has";
  EXPECT_EQ(run(3, true, true).peakBytes, 3 * whole) << "a run that shows every value keeps them all";

  // What a record shows: the three expressions as one, or each alone.
  const RunRecord sliced = run(3, true, false), shown = run(3, true, true);
  ASSERT_EQ(sliced.segments.size(), 1u);
  ASSERT_EQ(sliced.segments[0].inputs.size(), 1u);
  EXPECT_EQ(sliced.segments[0].inputs[0].name, "x");
  ASSERT_EQ(sliced.segments[0].outputs.size(), 1u);
  EXPECT_EQ(sliced.segments[0].outputs[0].name, "y");
  ASSERT_EQ(shown.segments.size(), 3u);
  EXPECT_EQ(shown.segments[1].inputs[0].name, "t1");
  EXPECT_EQ(std::get<TensorRef>(shown.segments[1].inputs[0].value).sizes, (Dims{64, 8}));
  const auto bytes = [&](const RunRecord& record) {
    return std::string(static_cast<const char*>(std::get<TensorRef>(record.outputs[0]).data), whole);
  };
  EXPECT_EQ(bytes(sliced), bytes(shown));
}

// The report and the results agree: each synchronization is reported where it is missing, and some order of the work is
// wrong without it, but for what the host cannot see (below).
RC_GTEST_PROP(StreamsTest, AMissingSynchronizationIsReportedWhereAnOrderIsWrong, ()) {
  const auto length = *rc::gen::inRange<size_t>(1, 5);
  const auto streams = *rc::gen::container<std::vector<bool>>(length, rc::gen::arbitrary<bool>());
  Chain chain(streams);
  RC_ASSERT(chain.run({2, true, 0, {}}));
  if (chain.synchronizations == 0) return;
  const auto dropped = *rc::gen::inRange<size_t>(0, chain.synchronizations);
  RC_LOG() << chainText(streams, 2) << "without synchronization " << dropped << ": ";
  RC_ASSERT(chain.isReported(dropped));  // what orders nothing is not there any more
  RC_LOG() << chain.message;
  const bool right = chain.anyOrderIsRight(dropped);
  RC_ASSERT(chain.orders < Chain::kMostOrders);
  // Memory that is given back too early still holds what was there, as nothing takes it again; and the caller, who made
  // the inputs before and waits for all streams in the end, sees no wrong order here.
  const bool unseen =
      chain.message.find("free %") != std::string::npos || chain.message.find("the caller") != std::string::npos;
  if (!unseen) RC_ASSERT(!right);
}

TEST(StreamsTest, StreamsAreReusedRoundRobin) {
  Chain chain({true, true});
  EXPECT_TRUE(chain.run({1, true, 0, {}}));
  EXPECT_TRUE(chain.run({7, true, 5, {}}));
}

}  // namespace
}  // namespace fuser
