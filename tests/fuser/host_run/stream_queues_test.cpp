// What a run on streams may keep.
#include "fuser/host_run/stream_queues.h"

#include <gtest/gtest.h>

#include <fstream>

#include "fuser/support/check.h"

namespace fuser {
namespace {

size_t first(size_t) { return 0; }

std::string messageOf(const std::function<void()>& work) {
  try {
    work();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(StreamQueuesTest, QueuedWorkHasALimit) {
  StreamQueues queues(2, true, first, nullptr, {3, 100});
  int done = 0;
  const auto enqueue = [&] { queues.enqueue("work", {}, [&] { ++done; }); };
  for (int i = 0; i < 3; ++i) enqueue();
  EXPECT_EQ(messageOf(enqueue),
            "a run on streams has at most 3 launches, copies and frees, and this one has more: "
            "an axis has too many places to run on streams");
  queues.runAll();
  EXPECT_EQ(done, 3);
}

// Whichever stream is chosen first.
TEST(StreamQueuesTest, FinishingTheCurrentStreamDoesWhatIsOrderedBeforeIt) {
  const auto last = [](size_t ready) { return ready - 1; };
  for (const StreamQueues::Choose& choose : {StreamQueues::Choose(first), StreamQueues::Choose(last)}) {
    StreamQueues queues(2, true, choose);
    std::string done;
    const auto enqueue = [&](size_t stream, char name) {
      queues.setCurrent(stream);
      queues.enqueue("work", {}, [&done, name] { done += name; });
    };
    enqueue(1, 'a');
    enqueue(2, 'b');
    queues.setCurrent(0);
    queues.synchronize(1);
    enqueue(1, 'c');
    enqueue(0, 'd');
    queues.finishCurrent();
    EXPECT_LT(done.find('a'), done.find('d')) << done;
    EXPECT_NE(done.find('d'), std::string::npos) << done;
    queues.runAll();
    EXPECT_EQ(done.size(), 4u) << done;
  }
}

TEST(StreamQueuesTest, RecordedElementsHaveALimitWithoutFreedOnes) {
  StreamQueues queues(2, true, first, nullptr, {100, 8});
  std::vector<float> memory(16);
  const auto access = [&](size_t begin, int64_t count) {
    return StreamQueues::Access{"t", {memory.data() + begin, DataType::Float, {count}, {1}, {}}, true};
  };
  queues.enqueue("a", {access(0, 8)}, [] {});
  queues.enqueue("a again", {access(0, 8)}, [] {});
  queues.enqueueFree("free", access(0, 4));
  queues.enqueue("b", {access(8, 4)}, [] {});
  EXPECT_EQ(messageOf([&] { queues.enqueue("c", {access(12, 1)}, [] {}); }),
            "a run on streams touches at most 8 elements, and this one more: %t is too large");
}

TEST(StreamQueuesTest, TheGrammarPrintsTheLimits) {
  std::ifstream file("fuser/text/grammar.md");
  const std::string grammar(std::istreambuf_iterator<char>(file), {});
  const std::string sentence = concat("of a run on streams: ", StreamLimits{}.work, " launches, copies and frees; ",
                                      StreamLimits{}.elements, " elements touched.");
  EXPECT_NE(grammar.find(sentence), std::string::npos) << sentence;
}

}  // namespace
}  // namespace fuser
