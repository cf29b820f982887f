// Outputs in memory that the caller gives: what the host program does for each, that nothing else is written or
// allocated, and which memory is rejected.

#include <gtest/gtest.h>

#include "fuser/host_ir/host_ir_container.h"
#include "fuser/host_run/tensor_memory.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/text/parser.h"
#include "tests/fuser/analysis/stage_observers.h"

namespace fuser {
namespace {

struct Ran {
  std::string host;  // the host program's text
  std::vector<HostValue> inputs;
  OutputMemory memory;
  RunRecord record;
  size_t blocks = 0;  // that the run asked the system for
  RunData data;
};

// Lines of the text that start with one of these, without indentation.
std::vector<std::string> linesOf(const std::string& text, const std::vector<std::string>& starts) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    std::string line = text.substr(at, end - at);
    line.erase(0, line.find_first_not_of(' '));
    for (const std::string& start : starts) {
      if (line.starts_with(start)) lines.push_back(line);
    }
    at = end + 1;
  }
  return lines;
}

// withMemory: false: the same case, whose outputs the program allocates.
Ran run(const std::string& text, bool withMemory = true) {
  const Case testCase = parseCase(text, "test");
  FusionExecutorCache::Settings settings = settingsOf(testCase);
  settings.context.checkInvariants = true;
  Ran ran;
  AfterHost printing([&](HostIrContainer& program) { ran.host = toString(program); });
  settings.context.observers = {&printing};
  std::shared_ptr<const Fusion> fusion(std::shared_ptr<const Fusion>(), testCase.fusion.get());
  ran.data = materialize(testCase, testCase.runs.at(0));
  ran.inputs = hostValues(ran.data);
  if (withMemory) ran.memory = outputMemory(testCase, ran.inputs);
  FusionExecutorCache cache(fusion, settings);
  ran.record = cache.run(ran.inputs, ran.memory.refs);
  ran.blocks = cache.counters().memoryBlocks;
  for (const TensorData& block : ran.memory.blocks) EXPECT_TRUE(keptPoison(block)) << "written beside it";
  return ran;
}

std::vector<std::byte> bytesOf(const HostValue& value) { return elementsOf(std::get<TensorRef>(value)); }

// Each output has the bytes that it has where the program allocates it, and those with memory lie there.
Ran expectSame(const std::string& text) {
  Ran ran = run(text);
  const Ran withoutMemory = run(text, false);
  EXPECT_EQ(ran.record.outputs.size(), withoutMemory.record.outputs.size());
  for (size_t i = 0; i < ran.record.outputs.size(); ++i) {
    if (!std::holds_alternative<TensorRef>(ran.record.outputs[i])) continue;
    EXPECT_EQ(bytesOf(ran.record.outputs[i]), bytesOf(withoutMemory.record.outputs[i])) << "output " << i << "\n"
                                                                                        << ran.host;
    if (!ran.memory.refs[i]) continue;
    EXPECT_EQ(std::get<TensorRef>(ran.record.outputs[i]).data, ran.memory.refs[i]->data);
    EXPECT_EQ(std::get<TensorRef>(ran.record.outputs[i]).strides, ran.memory.refs[i]->strides);
  }
  return ran;
}

constexpr const char* kRun = "run { %x = normal(seed = 1) : f32[6, 5] }\n";
const std::vector<std::string> kOutputLines = {"allocate", "take", "copy", "view", "reuse"};

TEST(PreallocatedTest, AKernelWritesToTheBufferWithoutAnAllocation) {
  const Ran ran = expectSame(concat("fusion f(%x: f32[i0, i1]) {\n  %y = neg(%x)\n  return %y\n}\n",
                                    "preallocate %y {allocation_order = [1, 0], gaps = [2, 3], offset = 1}\n", kRun));
  EXPECT_EQ(linesOf(ran.host, kOutputLines), std::vector<std::string>{"take output 0 for %y"});
  EXPECT_EQ(ran.record.peakBytes, 0u);
  EXPECT_EQ(ran.blocks, 0u);
  EXPECT_TRUE(ran.record.memory.empty());
}

TEST(PreallocatedTest, ReadersOfTheOutputReadTheBuffer) {
  const Ran ran = expectSame(
      concat("fusion f(%x: f32[i0, i1]) {\n  %y = exp(%x)\n  %c = segment_set(%y)\n  %s = sum(%c) {dims = [0]}\n",
             "  return %y, %s\n}\npreallocate %y {gaps = [0, 1], offset = 3}\n", kRun));
  EXPECT_EQ(linesOf(ran.host, {"take"}), std::vector<std::string>{"take output 0 for %y"});
}

TEST(PreallocatedTest, ARepeatedOutputIsOneTensorInTheBuffer) {
  const Ran ran = expectSame(
      concat("fusion f(%x: f32[i0, i1]) {\n  %y = neg(%x)\n  return %y, %y\n}\npreallocate %y {offset = 1}\n", kRun));
  EXPECT_EQ(std::get<TensorRef>(ran.record.outputs[1]).data, ran.memory.refs[0]->data);
}

TEST(PreallocatedTest, AnInputThatIsReturnedIsCopied) {
  const Ran ran =
      expectSame(concat("fusion f(%x: f32[i0, i1]) {\n  return %x\n}\npreallocate %x {gaps = [1, 1]}\n", kRun));
  EXPECT_EQ(linesOf(ran.host, kOutputLines), std::vector<std::string>{"copy %x to output 0"});
}

TEST(PreallocatedTest, AViewOfAnInputIsCopied) {
  const Ran ran = expectSame(concat("fusion f(%x: f32[i0, i1]) {\n  %y = permute(%x) {dims = [1, 0]}\n  return %y\n}\n",
                                    "preallocate %y {offset = 2}\n", kRun));
  EXPECT_EQ(linesOf(ran.host, kOutputLines), (std::vector<std::string>{"view %y of %x", "copy %y to output 0"}));
}

TEST(PreallocatedTest, AViewOfAnOutputSeesTheCallersMemory) {
  const std::string program =
      "fusion f(%x: f32[i0, i1]) {\n  %y = neg(%x)\n  %v = permute(%y) {dims = [1, 0]}\n  return %y, %v\n}\n";
  const Ran one = expectSame(concat(program, "preallocate %y {gaps = [0, 2]}\n", kRun));
  EXPECT_EQ(linesOf(one.host, kOutputLines), (std::vector<std::string>{"take output 0 for %y", "view %v of %y"}));
  EXPECT_EQ(std::get<TensorRef>(one.record.outputs[1]).data, one.memory.refs[0]->data);
  const Ran result = expectSame(concat(program, "preallocate %y {gaps = [0, 2]}\npreallocate %v\n", kRun));
  EXPECT_EQ(linesOf(result.host, kOutputLines),
            (std::vector<std::string>{"take output 0 for %y", "view %v of %y", "copy %v to output 1"}));
}

TEST(PreallocatedTest, AViewOfAnInputStaysInTheInputThatIsCopiedToTheCallersMemory) {
  const Ran ran =
      expectSame(concat("fusion f(%x: f32[i0, i1]) {\n  %v = permute(%x) {dims = [1, 0]}\n  return %x, %v\n}\n",
                        "preallocate %x {gaps = [0, 2]}\n", kRun));
  EXPECT_NE(std::get<TensorRef>(ran.record.outputs[1]).data, ran.memory.refs[0]->data);
}

TEST(PreallocatedTest, AnExpandedOutputIsCopied) {
  const Ran ran =
      expectSame(concat("fusion f(%x: f32[i0, i1]) {\n  %s = sum(%x) {dims = [1], keepdim = true}\n",
                        "  %y = expand(%s) {shape = [-1, i1]}\n  return %y\n}\npreallocate %y {offset = 1}\n", kRun));
  EXPECT_EQ(linesOf(ran.host, {"copy"}), std::vector<std::string>{"copy %y to output 0"});
}

TEST(PreallocatedTest, WhatIsReturnedAgainLiesInTheMemoryGivenFirst) {
  const Ran ran = expectSame(concat("fusion f(%x: f32[i0, i1]) {\n  %s = sum(%x) {dims = [1], keepdim = true}\n",
                                    "  %y = expand(%s) {shape = [-1, i1]}\n  %v = permute(%y) {dims = [1, 0]}\n",
                                    "  return %y, %y, %v\n}\npreallocate %y {gaps = [0, 1]}\n", kRun));
  const TensorRef& given = *ran.memory.refs[0];
  for (size_t output : {0, 1, 2}) EXPECT_EQ(std::get<TensorRef>(ran.record.outputs[output]).data, given.data);
  EXPECT_EQ(std::get<TensorRef>(ran.record.outputs[2]).strides, (Dims{given.strides[1], given.strides[0]}));
}

TEST(PreallocatedTest, AnEmptyOutputNeedsNoAddress) {
  const Case emptyCase = parseCase(
      "fusion f(%x: f32[i0]) {\n  %y = neg(%x)\n  return %y\n}\nrun { %x = normal(seed = 1) : f32[0] }\n", "test");
  const RunData data = materialize(emptyCase, emptyCase.runs.front());
  const std::vector<std::optional<TensorRef>> outputs{TensorRef{nullptr, DataType::Float, {0}, {1}, {}}};
  std::shared_ptr<const Fusion> fusion(std::shared_ptr<const Fusion>(), emptyCase.fusion.get());
  FusionExecutorCache cache(fusion, settingsOf(emptyCase));
  EXPECT_EQ(std::get<TensorRef>(cache.run(hostValues(data), outputs).outputs.at(0)).sizes, Dims{0});
}

TEST(PreallocatedTest, StandaloneOpsWriteToTheBuffer) {
  const Ran body = expectSame(concat(
      "fusion f(%x: f32[i0, i1]) {\n  %t = exp(%x)\n  %y = neg(%t)\n  %s = sum(%y) {dims = [1]}\n",
      "  return %y, %s\n}\nstream %t {dim = 0}\nstream %y {dim = 0}\n",
      "preallocate %y {allocation_order = [1, 0], gaps = [1, 1], offset = 1}\npreallocate %s {gaps = [2]}\n", kRun));
  const std::vector<std::string> taken{"take output 0 for %y", "take output 1 for %s"};
  EXPECT_EQ(linesOf(body.host, {"allocate", "take", "copy"}), taken);
  const Ran copies = expectSame(
      concat("fusion f(%x: f32[i0, i1]) {\n  %t = set(%x)\n  %y = set(%t)\n  return %y\n}\nstream %t {dim = 0}\n",
             "stream %y {dim = 0}\npreallocate %y {allocation_order = [1, 0], gaps = [1, 1], offset = 1}\n", kRun));
  EXPECT_EQ(linesOf(copies.host, {"allocate", "take", "copy"}),
            (std::vector<std::string>{"allocate %t: f32[i0, i1] {sliced_axis = 0}", "take output 0 for %y"}));
}

TEST(PreallocatedTest, ASegmentWithItsOwnCacheWritesToTheBuffer) {
  expectSame(concat(
      "fusion f(%x: f32[i0, i1]) {\n  %y = exp(%x)\n  %s = sum(%y) {dims = [0]}\n  %z = neg(%s)\n  return %y, %z\n}\n",
      "option merge_predicate = \"always\"\npreallocate %y {offset = 1}\npreallocate %z {gaps = [3]}\n", kRun));
}

// --- through the interface alone ---

struct Buffers {
  explicit Buffers(const std::string& text)
      : program(parseCase(text, "test")),
        data(materialize(program, program.runs.front())),
        inputs(hostValues(data)),
        cache(std::shared_ptr<const Fusion>(std::shared_ptr<const Fusion>(), program.fusion.get()),
              settingsOf(program)) {}

  std::string errorOf(const std::vector<std::optional<TensorRef>>& outputs) {
    try {
      cache.run(inputs, outputs);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }

  Case program;
  RunData data;
  std::vector<HostValue> inputs;
  FusionExecutorCache cache;
};

struct RejectedMemoryTest : testing::Test {
  TensorRef memory() { return {block.data() + 4, DataType::Float, {2, 3}, {3, 1}, {}}; }
  std::string errorOf(const TensorRef& ref) { return buffers.errorOf({ref, std::nullopt, std::nullopt}); }

  Buffers buffers{
      "fusion f(%x: f32[i0, i1], %a: f64) {\n  %y = neg(%x)\n  %z = exp(%x)\n  return %y, %z, %a\n}\n"
      "run { %x = values [1.0, 2.0, 3.0, 4.0, 5.0, 6.0] : f32[2, 3]  %a = 1.0 }\n"};
  std::vector<float> block = std::vector<float>(64, 0.5f);
};

TEST_F(RejectedMemoryTest, AcceptsAValidBufferAndWritesOnlyItsElements) {
  EXPECT_EQ(errorOf(memory()), "");
  std::vector<float> expected(64, 0.5f);
  for (size_t i = 0; i < 6; ++i) expected[4 + i] = -static_cast<float>(i + 1);
  EXPECT_EQ(block, expected);
  EXPECT_EQ(buffers.errorOf({}), "");
  EXPECT_EQ(buffers.errorOf({std::nullopt, std::nullopt, std::nullopt}), "");
}

TEST_F(RejectedMemoryTest, AnotherDtypeSizeOrDevice) {
  TensorRef ref = memory();
  ref.dtype = DataType::Int32;
  EXPECT_EQ(errorOf(ref), "the memory given for output %y is i32, and must be f32");
  ref = memory();
  ref.sizes = {3, 2};
  EXPECT_EQ(errorOf(ref), "the memory given for output %y has sizes [3, 2], and must have sizes [2, 3]");
  ref = memory();
  ref.device = {DeviceKind::Cuda, 1};
  EXPECT_EQ(errorOf(ref), "the memory given for output %y is on cuda:1, and must be on cpu:0");
}

TEST_F(RejectedMemoryTest, NegativeOrOverlappingStrides) {
  TensorRef ref = memory();
  ref.strides = {1};
  EXPECT_EQ(errorOf(ref),
            "the memory given for output %y has strides [1], and must have one for each of the sizes [2, 3]");
  ref.strides = {3, -1};
  EXPECT_EQ(errorOf(ref), "the memory given for output %y has the negative stride -1, and must have none");
  ref.strides = {2, 1};
  EXPECT_EQ(
      errorOf(ref),
      "the memory given for output %y has sizes [2, 3] and strides [2, 1], with which elements share memory, and must "
      "hold each alone");
}

TEST_F(RejectedMemoryTest, NullOrMisalignedAddress) {
  TensorRef ref = memory();
  ref.data = nullptr;
  EXPECT_EQ(errorOf(ref), "the memory given for output %y has no address, and must have 6 elements");
  ref.data = reinterpret_cast<std::byte*>(block.data()) + 1;
  EXPECT_EQ(
      errorOf(ref),
      "the address of the memory given for output %y is not a multiple of 4 bytes, and must be one, the size of f32");
}

TEST_F(RejectedMemoryTest, MemoryOfAnInputOrOfAnotherOutput) {
  EXPECT_EQ(errorOf(std::get<TensorRef>(buffers.inputs[0])),
            "the memory given for output %y overlaps that of input %x, and must lie apart");
  TensorRef next = memory();
  next.data = block.data() + 9;
  EXPECT_EQ(buffers.errorOf({memory(), next, std::nullopt}),
            "the memory given for output %z overlaps that of output %y, and must lie apart");
  next.data = block.data() + 10;
  EXPECT_EQ(buffers.errorOf({memory(), next, std::nullopt}), "");
}

TEST_F(RejectedMemoryTest, AScalarAndTheWrongNumberOfOutputs) {
  EXPECT_EQ(buffers.errorOf({std::nullopt, std::nullopt, memory()}),
            "memory is given for output %a, which is a scalar, and must be given for tensors");
  EXPECT_EQ(buffers.errorOf({memory()}), "memory is given for 1 outputs, and there are 3");
}

TEST(PreallocatedTest, TheBufferOfAnInPlaceOutputIsItsInput) {
  Buffers buffers(
      "fusion f(%x: f32[i0]) {\n  %y = neg(%x)\n  return %y\n}\nalias %y -> %x\nrun { %x = values [1.0, 2.0] : f32[2] "
      "}\n");
  float other[2] = {};
  EXPECT_EQ(buffers.errorOf({TensorRef{other, DataType::Float, {2}, {1}, {}}}),
            "other memory is given for output %y than that of input %x, which it overwrites and must be given");
  EXPECT_EQ(buffers.errorOf({std::get<TensorRef>(buffers.inputs[0])}), "");
  EXPECT_EQ(static_cast<const float*>(buffers.data.tensors[0].ref.data)[1], -2.0f);
}

// The first place is where the program writes it; at the second it is copied to.
TEST(PreallocatedTest, ARepeatedOutputMayHaveTwoBuffers) {
  Buffers buffers(
      "fusion f(%x: f32[i0]) {\n  %y = neg(%x)\n  return %y, %y\n}\nrun { %x = values [1.0, 2.0] : f32[2] }\n");
  float first[2] = {}, second[2] = {};
  EXPECT_EQ(buffers.errorOf(
                {TensorRef{first, DataType::Float, {2}, {1}, {}}, TensorRef{second, DataType::Float, {2}, {1}, {}}}),
            "");
  EXPECT_EQ(first[1], -2.0f);
  EXPECT_EQ(second[1], -2.0f);
}

// A program for another set of outputs is another program; each is compiled once.
TEST(PreallocatedTest, EachSetOfBufferedOutputsHasItsOwnProgram) {
  Buffers buffers("fusion f(%x: f32[i0]) {\n  %y = neg(%x)\n  return %y\n}\nrun { %x = values [1.0, 2.0] : f32[2] }\n");
  float first[2] = {}, second[4] = {};
  EXPECT_EQ(buffers.errorOf({}), "");
  EXPECT_EQ(buffers.errorOf({TensorRef{first, DataType::Float, {2}, {1}, {}}}), "");
  EXPECT_EQ(buffers.errorOf({TensorRef{second, DataType::Float, {2}, {2}, {}}}), "");
  EXPECT_EQ(buffers.cache.counters().compilations, 2u);
  EXPECT_EQ(second[2], -2.0f);
  EXPECT_EQ(second[1], 0.0f);
}

}  // namespace
}  // namespace fuser
