// Programs of several devices: which collective each move between meshes becomes, text for text, and what all devices
// make together.

#include "fuser/runtime/multi_device_executor.h"

#include <gtest/gtest.h>

#include "fuser/communicate/in_process.h"
#include "fuser/runtime/build_program.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/text/parser.h"
#include "tests/fuser/analysis/stage_observers.h"

namespace fuser {
namespace {

// Numbers 0, 1, 2 … of f32[4, 6].
std::string matrix() {
  std::string values;
  for (int i = 0; i < 24; ++i) values += concat(i ? ", " : "", i, ".0");
  return concat("run { %x = values [", values, "] : f32[4, 6] }\n");
}

Case readCase(const std::string& body, const std::string& placement) {
  return parseCase(
      concat("fusion f(%x: f32[i0, i1]) {\n", body, "  return %y\n}\nmesh {devices = [0, 1]}\n", placement, matrix()),
      "case");
}

std::shared_ptr<const Fusion> fusionOf(const Case& testCase) {
  return std::shared_ptr<const Fusion>(std::shared_ptr<const Fusion>(), testCase.fusion.get());
}

// The communications of a device's program, one a line.
std::string communicationsOf(const Case& testCase, int device) {
  FusionExecutorCache::Settings settings = settingsOf(testCase);
  settings.device = device;
  const RunData data = materialize(testCase, testCase.runs.front());
  const std::vector<HostValue> inputs = hostValues(data);
  const auto program = buildProgram(*testCase.fusion, settings, {}, inputs);
  const std::string text = toString(*program->host);
  std::string lines;
  for (size_t begin = 0, end; begin < text.size(); begin = end + 1) {
    end = text.find('\n', begin);
    const std::string line = text.substr(begin, end - begin);
    if (line.find(" {team = ") != std::string::npos) lines += line.substr(2) + "\n";
  }
  return lines;
}

std::vector<float> run(const Case& testCase) {
  FusionExecutorCache cache(fusionOf(testCase), settingsOf(testCase));
  const RunData data = materialize(testCase, testCase.runs.front());
  const RunRecord record = cache.run(hostValues(data));
  const auto& y = std::get<TensorRef>(record.outputs.front());
  std::vector<float> values;
  for (int64_t i = 0; i < numel(y.sizes); ++i) values.push_back(static_cast<const float*>(y.data)[i]);
  return values;
}

std::vector<float> numbers(int64_t count) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(static_cast<float>(i));
  return values;
}

struct Move {
  const char* name;
  const char* placement;
  const char* onFirst;
  const char* onSecond;
};

// From %x to %y = set(%x).
constexpr Move kMoves[] = {
    {"Broadcast", "mesh %x {devices = [1]}\n", "broadcast none -> %y {team = [0, 1], root = 1}\n",
     "broadcast %x.l0 -> %y {team = [0, 1], root = 1}\n"},
    {"SendRecv", "mesh %x {devices = [1]}\nmesh %y {devices = [0]}\n", "send_recv none -> %y {team = [0], root = 1}\n",
     "send_recv %x.l0 -> none {team = [0], root = 1}\n"},
    {"Gather", "shard %x {dim = 0, type = DIDx}\nmesh %y {devices = [0]}\n",
     "gather %x.l1 -> %y {team = [0, 1], root = 0}\n", "gather %x.l1 -> none {team = [0, 1], root = 0}\n"},
    {"Allgather", "shard %x {dim = 0, type = DIDx}\n", "allgather %x.l1 -> %y {team = [0, 1]}\n",
     "allgather %x.l1 -> %y {team = [0, 1]}\n"},
    {"AllgatherOfAnInnerAxis", "shard %x {dim = 1, type = DIDx}\n", "allgather %x.l1 -> %y.l2 {team = [0, 1]}\n",
     "allgather %x.l1 -> %y.l2 {team = [0, 1]}\n"},
    {"Scatter", "mesh %x {devices = [1]}\nshard %y {dim = 1, type = DIDx}\n",
     "scatter none -> %y.l1 {team = [0, 1], root = 1}\n", "scatter %x.l0 -> %y.l2 {team = [0, 1], root = 1}\n"},
    {"AllToAll", "shard %x {dim = 0, type = DIDx}\nshard %y {dim = 1, type = DIDx}\n",
     "all_to_all %y.l2 -> %y.l1 {team = [0, 1]}\n", "all_to_all %y.l2 -> %y.l1 {team = [0, 1]}\n"},
    {"SendRecvOfParts",
     "shard %x {dim = 1, type = DIDx}\nmesh %y {devices = [1, 0]}\nshard %y {dim = 1, type = DIDx}\n",
     "send_recv %x.l1 -> none {team = [1], root = 0}\nsend_recv none -> %y.l2 {team = [0], root = 1}\n",
     "send_recv none -> %y.l1 {team = [1], root = 0}\nsend_recv %x.l2 -> none {team = [0], root = 1}\n"},
    {"NothingForAPartOfTheWhole", "shard %y {dim = 1, type = DIDx}\n", "", ""},
};

class MoveTest : public testing::TestWithParam<Move> {};

TEST_P(MoveTest, BecomesACollective) {
  const Case testCase = readCase("  %y = set(%x)\n", GetParam().placement);
  EXPECT_EQ(communicationsOf(testCase, 0), GetParam().onFirst);
  EXPECT_EQ(communicationsOf(testCase, 1), GetParam().onSecond);
}

TEST_P(MoveTest, KeepsEveryElement) {
  EXPECT_EQ(run(readCase("  %y = set(%x)\n", GetParam().placement)), numbers(24));
}

// The run says so, whether somebody reads what is received or not.
TEST_P(MoveTest, AMissingWaitIsReported) {
  const Case testCase = readCase("  %y = set(%x)\n", GetParam().placement);
  const RunData data = materialize(testCase, testCase.runs.front());
  for (int device : {0, 1}) {
    size_t waits = 1;
    for (size_t dropped = 0; dropped < waits; ++dropped) {
      FusionExecutorCache::Settings settings = settingsOf(testCase);
      AfterHost dropping([&](HostIrContainer& program) {
        if (program.device->number != device) return;
        const std::vector<hir::HostExpr*> all = hostExprsOf<hir::Wait>(program);
        waits = all.size();
        if (dropped < waits) program.remove(all[dropped]);
      });
      settings.context.observers = {&dropping};
      std::string message;
      try {
        FusionExecutorCache(fusionOf(testCase), settings).run(hostValues(data));
      } catch (const ViolationError& error) {
        message = error.what();
      }
      EXPECT_EQ(message.find("a wait is missing") != message.npos, waits > 0) << message;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Moves, MoveTest, testing::ValuesIn(kMoves), [](const auto& each) { return each.param.name; });

// From %x, sharded along axis 0, to %y = sum(%x) over it.
constexpr Move kJoins[] = {
    {"Allreduce", "", "allreduce %y.l1 -> %y {team = [0, 1], reduction = sum}\n",
     "allreduce %y.l1 -> %y {team = [0, 1], reduction = sum}\n"},
    {"Reduce", "mesh %y {devices = [1]}\n", "reduce %y.l1 -> none {team = [0, 1], root = 1, reduction = sum}\n",
     "reduce %y.l1 -> %y {team = [0, 1], root = 1, reduction = sum}\n"},
    {"ReduceScatter", "shard %y {dim = 0, type = DIDx}\n",
     "reduce_scatter %y.l1 -> %y.l2 {team = [0, 1], reduction = sum}\n",
     "reduce_scatter %y.l1 -> %y.l2 {team = [0, 1], reduction = sum}\n"},
};

class JoinTest : public testing::TestWithParam<Move> {};

TEST_P(JoinTest, BecomesACollective) {
  const Case testCase =
      readCase("  %y = sum(%x) {dims = [0]}\n", concat("shard %x {dim = 0, type = DIDx}\n", GetParam().placement));
  EXPECT_EQ(communicationsOf(testCase, 0), GetParam().onFirst);
  EXPECT_EQ(communicationsOf(testCase, 1), GetParam().onSecond);
  EXPECT_EQ(run(testCase), (std::vector<float>{36, 40, 44, 48, 52, 56}));
}

INSTANTIATE_TEST_SUITE_P(Joins, JoinTest, testing::ValuesIn(kJoins), [](const auto& each) { return each.param.name; });

TEST(MultiDeviceExecutorTest, EachDeviceIsGivenItsPartsAndGivesItsParts) {
  const Case testCase =
      readCase("  %y = neg(%x)\n", "shard %x {dim = 0, type = DIDx}\nshard %y {dim = 0, type = DIDx}\n");
  runRanks(2, [&](Communicator& communicator) {
    MultiDeviceExecutor executor(fusionOf(testCase), communicator, settingsOf(testCase));
    std::vector<float> part(12, static_cast<float>(communicator.rank() + 1));
    const RunRecord record =
        executor.run(std::vector<HostValue>{TensorRef{part.data(), DataType::Float, {2, 6}, {6, 1}, {}}});
    const auto& y = std::get<TensorRef>(record.outputs.front());
    EXPECT_EQ(y.sizes, (Dims{2, 6}));
    EXPECT_EQ(static_cast<const float*>(y.data)[0], -part[0]);
  });
}

TEST(MultiDeviceExecutorTest, ADeviceWithoutAnOutputGivesATensorWithoutMemory) {
  const Case testCase = readCase("  %y = neg(%x)\n", "mesh %x {devices = [0]}\nmesh %y {devices = [0]}\n");
  runRanks(2, [&](Communicator& communicator) {
    MultiDeviceExecutor executor(fusionOf(testCase), communicator, settingsOf(testCase));
    std::vector<float> all(24, 1);
    void* mine = communicator.rank() == 0 ? all.data() : nullptr;
    const RunRecord record = executor.run(std::vector<HostValue>{TensorRef{mine, DataType::Float, {4, 6}, {6, 1}, {}}});
    EXPECT_EQ(std::get<TensorRef>(record.outputs.front()).data != nullptr, communicator.rank() == 0);
  });
}

std::string errorOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(MultiDeviceExecutorTest, SaysWhatDoesNotFitTheRanks) {
  const Case plain =
      parseCase(concat("fusion f(%x: f32[i0, i1]) {\n  %y = neg(%x)\n  return %y\n}\n", matrix()), "case");
  const Case onTwo = readCase("  %y = neg(%x)\n", "");
  EXPECT_EQ(errorOf([&] {
              runRanks(1, [&](Communicator& rank) { MultiDeviceExecutor(fusionOf(plain), rank, {}); });
            }),
            "'f' names no devices: mesh {devices = [0, 1]} does");
  EXPECT_EQ(errorOf([&] {
              runRanks(1, [&](Communicator& rank) { MultiDeviceExecutor(fusionOf(onTwo), rank, {}); });
            }),
            "'f' runs on device 1, and there are 1 ranks");
  EXPECT_EQ(errorOf([&] {
              runRanks(3, [&](Communicator& rank) { MultiDeviceExecutor(fusionOf(onTwo), rank, {}); });
            }),
            "rank 2 is none of the devices [0, 1] of 'f'");
}

TEST(MultiDeviceExecutorTest, RejectsWhatCannotBeHeldInEqualParts) {
  Case testCase = readCase("  %y = neg(%x)\n", "mesh %y {devices = [1, 0]}\nshard %y {dim = 0, type = DIDx}\n");
  std::get<TensorInput>(testCase.runs[0].inputs[0].value).recipe = {};
  std::get<TensorInput>(testCase.runs[0].inputs[0].value).sizes = {5, 6};
  EXPECT_EQ(errorOf([&] { run(testCase); }),
            "shard %y {dim = 0}: its size 5 is not a multiple of 2, the number of its devices [1, 0]");
}

TEST(MultiDeviceExecutorTest, RejectsAPartWithoutMemory) {
  const Case testCase = readCase("  %y = neg(%x)\n", "shard %x {dim = 0, type = DIDx}\n");
  EXPECT_EQ(errorOf([&] {
              runRanks(2, [&](Communicator& communicator) {
                MultiDeviceExecutor executor(fusionOf(testCase), communicator, settingsOf(testCase));
                executor.run(std::vector<HostValue>{TensorRef{nullptr, DataType::Float, {2, 6}, {6, 1}, {}}});
              });
            }),
            "%x has no memory");
}

TEST(MultiDeviceExecutorTest, SaysWhatWouldBringAnOperandWithoutThatPass) {
  const std::string off = "option disable pass DecomposeReshardingsPass\n",
                    sharded = "shard %x {dim = 0, type = DIDx}\n";
  EXPECT_EQ(errorOf([&] { run(readCase("  %y = neg(%x)\n", off + sharded)); }),
            "%y is made of what other devices hold: DecomposeReshardingsPass, which is off, would bring it");
  EXPECT_EQ(
      errorOf([&] {
        run(readCase("  %y = set(%x)\n", off + sharded + "mesh %y {devices = [1]}\nmesh %x {devices = [1, 0]}\n"));
      }),
      "");
  EXPECT_EQ(errorOf([&] { run(readCase("  %y = reshape(%x) {shape = [6, 4]}\n", off + sharded)); }),
            "%x is not whole on every device, where a kernel of several expressions needs it: "
            "DecomposeReshardingsPass, which is "
            "off, would bring it");
  EXPECT_EQ(run(readCase("  %y = set(%x)\n", off + sharded)), numbers(24)) << "one collective moves it";
}

// A size that one operand gives as a number and the other as a symbol: of two devices' parts one is a broadcast axis.
TEST(MultiDeviceExecutorTest, APartOfANumberMeetsAPartOfASymbol) {
  for (const char* operands : {"%x, %w", "%w, %x"}) {
    const Case testCase =
        parseCase(concat("fusion f(%x: f32[i0, i1], %w: f32[2, i1]) {\n  %y = add(", operands,
                         ")\n  return %y\n}\nmesh {devices = [0, 1]}\nshard %x {dim = 0, type = DIDx}\n"
                         "shard %w {dim = 0, type = DIDx}\nshard %y {dim = 0, type = DIDx}\n"
                         "run { %x = values [1.0, 2.0, 3.0, 4.0] : f32[2, 2]\n"
                         "      %w = values [10.0, 20.0, 30.0, 40.0] : f32[2, 2] }\n"),
                  "case");
    EXPECT_EQ(run(testCase), (std::vector<float>{11, 22, 33, 44}));
  }
}

// Sums that devices join are judged as such: from a whole operand, with the joins in their depth.
TEST(MultiDeviceExecutorTest, TheRecordHasWhatCollectivesBring) {
  const Case testCase = readCase("  %y = sum(%x) {dims = [0]}\n", "shard %x {dim = 0, type = DIDx}\n");
  FusionExecutorCache::Settings settings = settingsOf(testCase);
  settings.record = true;
  FusionExecutorCache cache(fusionOf(testCase), settings);
  const RunData data = materialize(testCase, testCase.runs.front());
  const RunRecord record = cache.run(hostValues(data));
  ASSERT_EQ(record.segments.size(), 1u);
  EXPECT_EQ(record.segments[0].inputs.at(0).name, "x");
  EXPECT_EQ(std::get<TensorRef>(record.segments[0].inputs[0].value).sizes, (Dims{4, 6}));
  EXPECT_EQ(record.segments[0].outputs.at(0).name, "y");
  ASSERT_EQ(record.segments[0].reductionDepths.size(), 1u);
  EXPECT_EQ(record.segments[0].reductionDepths[0].second.total(), 2 + 2)
      << "each device adds two rows, and then their sums are added";
}

TEST(MultiDeviceExecutorTest, RejectsWhatTakesOneDevice) {
  EXPECT_EQ(errorOf([&] { run(readCase("  %y = neg(%x)\n", "alias %y -> %x\n")); }),
            "alias %y -> %x: a case on several devices has no aliases");
  EXPECT_EQ(
      errorOf([&] { run(readCase("  %y = neg(%x)\n", "option disable pass LowerReshardingsPass\n")); }),
      "option disable pass LowerReshardingsPass: a case on several devices needs it, which makes the program of each");
}

TEST(MultiDeviceExecutorTest, SizesAreThoseOfTheWhole) {
  const Case testCase =
      readCase("  %n = size(%x) {dim = 0}\n  %y = mul(%x, %n)\n", "shard %x {dim = 0, type = DIDx}\n");
  std::vector<float> expected = numbers(24);
  for (float& value : expected) value *= 4;
  EXPECT_EQ(run(testCase), expected);
}

TEST(MultiDeviceExecutorTest, ASecondRunCompilesNothing) {
  const Case testCase = readCase("  %y = neg(%x)\n", "shard %x {dim = 0, type = DIDx}\n");
  FusionExecutorCache cache(fusionOf(testCase), settingsOf(testCase));
  const RunData data = materialize(testCase, testCase.runs.front());
  cache.run(hostValues(data));
  const CacheCounters first = cache.counters();
  cache.run(hostValues(data));
  const CacheCounters second = cache.counters();
  EXPECT_EQ(second.compilations, 1u);
  EXPECT_EQ(second.kernelCompilations, first.kernelCompilations);
  EXPECT_EQ(second.memoryBlocks, first.memoryBlocks);
  EXPECT_EQ(second.runs, 2u);
}

}  // namespace
}  // namespace fuser
