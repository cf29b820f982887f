// Programs with streams on the cuda engine, over a stand-in for libcuda whose streams do their work in an order that
// the test decides: the same results as the interpreter's, by the events that synchronizations became.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "fuser/analysis/compile_observer.h"
#include "fuser/execute/cuda_engine.h"
#include "fuser/host_run/tensor_memory.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/runtime/fusion_executor_cache.h"
#include "fuser/text/parser.h"
#include "tests/fuser/execute/cuda_stand_in/cuda_stand_in.h"

namespace fuser {
namespace {

// Two loops, with an expression of the whole tensor between them.
constexpr const char* kChain = R"(fusion chain(%x: f32[i0, i1]) {
  %a = set(%x)
  %b = set(%a)
  %y = set(%b)
  return %y
}
stream %a {dim = 0}
stream %y {dim = 0}
run { %x = normal(seed = 1) : f32[5, 3] }
)";

// Outputs in the caller's memory: between gaps, over an input, and of a view by a copy behind the loops.
constexpr const char* kPreallocated = R"(fusion given(%x: f32[i0, i1], %w: f32[i0, i1]) {
  %a = neg(%x)
  %y = sub(%a, %w)
  %z = sub(%y, %a)
  %v = permute(%a) {dims = [1, 0]}
  return %y, %z, %v
}
alias %z -> %w
stream %a {dim = 0}
stream %y {dim = 0}
stream %z {dim = 0}
preallocate %y {allocation_order = [1, 0], gaps = [1, 2], offset = 1}
preallocate %v {gaps = [0, 1]}
run {
  %x = normal(seed = 1) : f32[5, 3]
  %w = normal(seed = 2) : f32[5, 3]
}
)";

// A segment with a cache of its own between expressions on streams; an output that is an input, and a view of one.
constexpr const char* kInner = R"(fusion inner(%x: f32[i0, i1], %w: f32[i0, i1]) {
  %a = neg(%x)
  %b = cat(%a, %w) {dim = 0}
  %c = cat(%b, %w) {dim = 0}
  %y = neg(%a)
  %t = permute(%x) {dims = [1, 0]}
  return %c, %y, %x, %t
}
option merge_predicate = "random"
stream %a {dim = 0}
stream %y {dim = 0}
run {
  %x = normal(seed = 1) : f32[5, 3]
  %w = normal(seed = 2) : f32[5, 3]
}
)";

// No elements at all, and reductions of what has some.
constexpr const char* kEmpty = R"(fusion empty(%x: f32[i0, i1], %w: f32[i1]) {
  %a = neg(%x)
  %s = amax(%w) {dims = [0]}
  %y = neg(%a)
  return %y, %s
}
stream %a {dim = 1}
stream %y {dim = 1}
run {
  %x = normal(seed = 1) : f32[0, 3]
  %w = normal(seed = 2) : f32[3]
}
)";

constexpr const char* kAll[] = {kChain, kPreallocated, kInner, kEmpty};

// All that a run shows or may write: outputs, inputs, what its segments read and made, and the memory given for outputs
// with what lies around it.
using Written = std::vector<std::vector<std::byte>>;

// Counts the synchronizations of a host program, and takes the one with that number away.
struct Dropping : CompileObserver {
  void afterHost(HostIrContainer& program) override {
    const std::vector<hir::HostExpr*> all = hostExprsOf<hir::Synchronize>(program);
    synchronizations = all.size();
    if (dropped) program.remove(all.at(*dropped));
  }
  std::optional<size_t> dropped;
  size_t synchronizations = 0;
};

struct Program {
  Program(const std::string& text, std::shared_ptr<Engine> engine, bool check = true,
          std::optional<size_t> dropped = std::nullopt)
      : testCase(parseCase(text, "test")), settings(settingsOf(testCase)) {
    settings.engine = std::move(engine);
    settings.streams.check = check;
    settings.record = true;
    settings.context.observers = {&dropping};
    dropping.dropped = dropped;
    const std::shared_ptr<const Fusion> fusion(std::shared_ptr<const Fusion>(), testCase.fusion.get());
    cache = std::make_unique<FusionExecutorCache>(fusion, settings);
  }

  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  Written run() {
    RunData data = materialize(testCase, testCase.runs.front());
    const std::vector<HostValue> inputs = hostValues(data);
    OutputMemory memory = outputMemory(testCase, inputs);
    const RunRecord record = cache->run(inputs, memory.refs);
    Written written;
    const auto add = [&](const HostValue& value) { written.push_back(elementsOf(std::get<TensorRef>(value))); };
    std::for_each(record.outputs.begin(), record.outputs.end(), add);
    std::for_each(inputs.begin(), inputs.end(), add);
    for (const SegmentRecord& segment : record.segments) {
      for (const BoundaryValue& value : segment.inputs) add(value.value);
      for (const BoundaryValue& value : segment.outputs) add(value.value);
    }
    for (const TensorData& block : memory.blocks) {
      EXPECT_TRUE(keptPoison(block));
      written.push_back(elementsOf(block.ref));
    }
    return written;
  }

  size_t synchronizations() const { return dropping.synchronizations; }

  Case testCase;
  Dropping dropping;
  FusionExecutorCache::Settings settings;
  std::unique_ptr<FusionExecutorCache> cache;
};

class DeviceStreamsTest : public ::testing::Test {
 protected:
  // Knuth's MMIX generator: another order for every seed.
  void chooseBy(uint64_t seed) {
    standIn_.choose = [state = seed](size_t ready) mutable {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      return static_cast<size_t>((state >> 33) % ready);
    };
  }
  Program onDevice(const char* text, bool check = true, std::optional<size_t> dropped = std::nullopt) {
    return Program(text, standIn_.makeEngine(), check, dropped);
  }
  void expectAllGivenBack() const {
    EXPECT_EQ(standIn_.allocations(), 0);
    EXPECT_EQ(standIn_.streamsAndEvents(), 0);
    EXPECT_EQ(standIn_.modules(), 0);
  }

  CudaStandIn standIn_;
};

TEST_F(DeviceStreamsTest, AllOrdersThatEventsAllowGiveTheSameResults) {
  for (const char* text : kAll) {
    const Written expected = Program(text, nullptr).run();
    Program device = onDevice(text);
    for (uint64_t seed = 0; seed < 50; ++seed) {
      chooseBy(seed);
      ASSERT_EQ(device.run(), expected) << text << "seed " << seed;
    }
    EXPECT_GT(device.synchronizations(), 0u);
  }
  EXPECT_GT(standIn_.launchesOnStreams, 100u);
  EXPECT_GT(standIn_.waits, 100u);
  EXPECT_EQ(standIn_.foreignArguments, 0u) << "a kernel was given memory that only the host has";
  expectAllGivenBack();
}

// What orders the work is the event: without it some order is wrong, and with the check on it is reported first.
TEST_F(DeviceStreamsTest, AMissingSynchronizationIsAlwaysReported) {
  const Written expected = Program(kChain, nullptr).run();
  const auto someOrderIsWrong = [&](size_t dropped) {
    Program device = onDevice(kChain, false, dropped);
    bool wrong = false;
    for (uint64_t seed = 0; seed < 50 && !wrong; ++seed) {
      chooseBy(seed);
      wrong = device.run() != expected;
    }
    return wrong;
  };
  // The first one orders a loop behind the caller, whose inputs are copied before it; the last one, before the caller
  // reads.
  EXPECT_TRUE(someOrderIsWrong(1)) << "%b reads %a behind the first loop";
  EXPECT_TRUE(someOrderIsWrong(2)) << "the second loop reads %b";
  for (size_t dropped = 0; dropped < 4; ++dropped) {
    Program device = onDevice(kChain, true, dropped);
    EXPECT_THROW(device.run(), ViolationError) << dropped;
    EXPECT_EQ(device.synchronizations(), 4u);
  }
  EXPECT_EQ(standIn_.launches, standIn_.launchesOnStreams) << "a run that failed left work behind";
  expectAllGivenBack();
}

TEST_F(DeviceStreamsTest, RunsWithEqualShapesAllocateNoMemory) {
  Program device = onDevice(kChain);
  device.run();
  const size_t blocks = device.cache->counters().memoryBlocks;
  EXPECT_GT(blocks, 0u);
  device.run();
  EXPECT_EQ(device.cache->counters().memoryBlocks, blocks);
}

TEST_F(DeviceStreamsTest, AFaultOfAnyKernelIsAViolation) {
  Program(kPreallocated, standIn_.makeEngine()).run();
  const size_t launches = standIn_.launches;
  for (size_t failing = 1; failing <= launches; ++failing) {
    Program device = onDevice(kPreallocated);
    standIn_.failingLaunch = standIn_.launches + failing;
    EXPECT_THROW(device.run(), ViolationError) << failing;
    standIn_.setFailure(0);
  }
  expectAllGivenBack();
}

// Each has streams of its own; what they read is the same memory.
TEST_F(DeviceStreamsTest, ConcurrentRunsAreIndependent) {
  const Written expected = Program(kChain, nullptr).run();
  Program device = onDevice(kChain);
  const RunData data = materialize(device.testCase, device.testCase.runs.front());
  chooseBy(7);
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int turn = 0; turn < 10; ++turn) {
        const RunRecord record = device.cache->run(hostValues(data));
        right += elementsOf(std::get<TensorRef>(record.outputs.at(0))) == expected.at(0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 40);
}

// Launch by launch, then, as programs without streams run.
TEST_F(DeviceStreamsTest, WithoutSharedMemoryStreamsAreHostQueues) {
  standIn_.setShares(false);
  EXPECT_EQ(onDevice(kPreallocated).run(), Program(kPreallocated, nullptr).run());
  EXPECT_GT(standIn_.launches, 0u);
  EXPECT_EQ(standIn_.launchesOnStreams, 0u);
  expectAllGivenBack();
}

TEST_F(DeviceStreamsTest, AProgramWithoutStreamsRunsLaunchByLaunch) {
  const char* text = "fusion f(%x: f32[i0]) { %y = neg(%x) return %y }\nrun { %x = normal(seed = 1) : f32[7] }\n";
  EXPECT_EQ(onDevice(text).run(), Program(text, nullptr).run());
  EXPECT_EQ(standIn_.launches, 1u);
  EXPECT_EQ(standIn_.launchesOnStreams, 0u);
}

// On its streams, or, where it shares no memory with the host, launch by launch.
TEST(StreamsOnAGpuTest, GiveTheInterpretersResultsWhereThereIsAGpu) {
  if (!CudaDriver::open().isOpen()) GTEST_SKIP() << "no NVIDIA driver: nothing was run on a GPU";
  const std::shared_ptr<Engine> engine = makeCudaEngine();
  std::string large = kChain;
  large.replace(large.find("[5, 3]"), 6, "[16, 100000]");
  for (const std::string& text : {std::string(kPreallocated), std::string(kInner), std::string(kEmpty), large}) {
    const Written expected = Program(text, nullptr).run();
    Program gpu(text, engine);
    for (int turn = 0; turn < 20; ++turn) EXPECT_EQ(gpu.run(), expected) << text;
  }
}

}  // namespace
}  // namespace fuser
