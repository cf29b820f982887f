// Outputs in the memory of inputs: written in place, copied, or seen as views; what the host program does for each.

#include <gtest/gtest.h>

#include "fuser/host_ir/host_ir_container.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/text/parser.h"
#include "tests/fuser/analysis/stage_observers.h"

namespace fuser {
namespace {

struct Ran {
  std::string host;               // the host program's text
  std::vector<float> input;       // what the first input's memory holds afterwards, one element after the other
  std::vector<HostValue> inputs;  // as given
  RunRecord record;
  RunData data;
};

Ran run(const std::string& text) {
  const Case testCase = parseCase(text, "test");
  FusionExecutorCache::Settings settings = settingsOf(testCase);
  settings.context.checkInvariants = true;
  Ran ran;
  AfterHost printing([&](HostIrContainer& program) { ran.host = toString(program); });
  settings.context.observers = {&printing};
  std::shared_ptr<const Fusion> fusion(std::shared_ptr<const Fusion>(), testCase.fusion.get());
  ran.data = materialize(testCase, testCase.runs.at(0));
  ran.inputs = hostValues(ran.data);
  FusionExecutorCache cache(fusion, settings);
  ran.record = cache.run(ran.inputs);
  const TensorRef& first = std::get<TensorRef>(ran.inputs.at(0));
  const auto* elements = static_cast<const float*>(first.data);
  ran.input.assign(elements, elements + extentInMemory(first.sizes, first.strides));
  return ran;
}

const void* memoryOf(const HostValue& value) { return std::get<TensorRef>(value).data; }

std::string errorOf(const std::string& text) {
  try {
    run(text);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(AliasTest, AnElementwiseOutputIsWrittenInPlace) {
  const Ran ran = run(R"(
fusion f(%x: f32[i0], %z: f32[i0]) {
  %y = add(%x, %z)
  return %y
}
alias %y -> %x
run { %x = values [1.0, 2.0, 3.0] : f32[3]   %z = values [10.0, 20.0, 30.0] : f32[3] }
)");
  EXPECT_NE(ran.host.find("reuse %x for %y"), std::string::npos) << ran.host;
  EXPECT_EQ(ran.host.find("allocate"), std::string::npos) << ran.host;
  EXPECT_EQ(ran.input, (std::vector<float>{11, 22, 33}));
  EXPECT_EQ(memoryOf(ran.record.outputs[0]), memoryOf(ran.inputs[0]));
}

TEST(AliasTest, AStridedInputKeepsItsStrides) {
  const Ran ran = run(R"(
fusion f(%x: f32[i0, i1] {allocation_order = [1, 0], contiguity = [false, false]}) {
  %y = neg(%x)
  return %y
}
alias %y -> %x
run { %x = values [1.0, 2.0, 3.0, 4.0] : f32[2, 2] {strides = [2, 5]} }
)");
  const TensorRef& output = std::get<TensorRef>(ran.record.outputs[0]);
  EXPECT_EQ(output.strides, (Dims{2, 5}));
  EXPECT_EQ(ran.input[0], -1);
  EXPECT_EQ(ran.input[5], -2);
  EXPECT_EQ(ran.input[2], -3);
  EXPECT_EQ(ran.input[7], -4);
}

constexpr const char* kSoftmaxLike = R"(
fusion f(%x: f32[i0]) {
  %s = sum(%x) {dims = [0]}
  %y = div(%x, %s)
  %z = exp(%x)
  return %y, %z
}
alias %y -> %x
)";
constexpr const char* kRun = "run { %x = values [1.0, 2.0, 1.0] : f32[3] }\n";

TEST(AliasTest, TheKernelThatOverwritesComesLast) {
  const Ran ran = run(concat(kSoftmaxLike, kRun));
  EXPECT_NE(ran.host.find("reuse %x for %y.stored"), std::string::npos) << ran.host;
  EXPECT_GT(ran.host.rfind("launch"), ran.host.find("reuse %x"));
  EXPECT_EQ(ran.input, (std::vector<float>{0.25, 0.5, 0.25}));
  EXPECT_EQ(memoryOf(ran.record.outputs[0]), memoryOf(ran.inputs[0]));
}

// A block reads its row once, into registers, before any thread writes it.
TEST(AliasTest, ARowThatAKernelKeepsIsOverwrittenInPlace) {
  const Ran ran = run(R"(
fusion f(%x: f32[i0, i1]) {
  %s = sum(%x) {dims = [1], keepdim = true}
  %y = div(%x, %s)
  return %y
}
alias %y -> %x
run { %x = values [1.0, 2.0, 1.0, 3.0, 4.0, 1.0] : f32[2, 3] }
)");
  EXPECT_NE(ran.host.find("reuse %x for %y"), std::string::npos) << ran.host;
  EXPECT_EQ(ran.host.find("launch"), ran.host.rfind("launch")) << ran.host;
  EXPECT_EQ(ran.input, (std::vector<float>{0.25, 0.5, 0.25, 0.375, 0.5, 0.125}));
}

// The output depends on the second result alone of an op that makes two.
TEST(AliasTest, ARowIsOverwrittenInPlaceByWhatReadsASecondResult) {
  const Ran ran = run(R"(
fusion f(%x: f32[i0, i1]) {
  %v, %m = var_mean(%x) {dims = [1], correction = 0, keepdim = true}
  %y = sub(%x, %m)
  return %y
}
alias %y -> %x
run { %x = values [1.0, 2.0, 3.0, 3.0, 4.0, 8.0] : f32[2, 3] }
)");
  EXPECT_EQ(ran.host.find("launch"), ran.host.rfind("launch")) << ran.host;
  EXPECT_EQ(ran.input, (std::vector<float>{-1, 0, 1, -2, -1, 3}));
}

// All threads of a row read its element of %b, and one writes the result.
TEST(AliasTest, WhatAllThreadsOfARowReadIsNotOverwrittenInPlace) {
  const Ran ran = run(R"(
fusion f(%b: f32[i0], %x: f32[i0, i1]) {
  %s = sum(%x) {dims = [1]}
  %c = add(%b, %s)
  %u = unsqueeze(%c) {dims = [1]}
  %y = div(%x, %u)
  return %c, %y
}
alias %c -> %b
run { %b = values [1.0, 2.0] : f32[2]  %x = values [1.0, 2.0, 1.0, 3.0, 4.0, 1.0] : f32[2, 3] }
)");
  EXPECT_EQ(ran.input, (std::vector<float>{5, 10}));
  const auto* quotients = static_cast<const float*>(memoryOf(ran.record.outputs[1]));
  EXPECT_EQ(std::vector<float>(quotients, quotients + 6), (std::vector<float>{0.2f, 0.4f, 0.2f, 0.3f, 0.4f, 0.1f}));
}

TEST(AliasTest, WithoutThePassTheHostCopies) {
  const Ran ran = run(R"(
fusion f(%x: f32[i0, i0]) {
  %a = permute(%x) {dims = [1, 0]}
  %y = add(%x, %a)
  return %y
}
alias %y -> %x
option disable pass SegmentInplaceUpdatePass
option disable pass StoreSlicesInPlacePass
run { %x = values [1.0, 2.0, 3.0, 4.0] : f32[2, 2] }
)");
  EXPECT_NE(ran.host.find("  copy %y to %x\n  return"), std::string::npos) << ran.host;
  EXPECT_EQ(ran.input, (std::vector<float>{2, 5, 5, 8}));
  EXPECT_EQ(memoryOf(ran.record.outputs[0]), memoryOf(ran.inputs[0]));
}

// One kernel would read it again behind the store.
TEST(AliasTest, AnIndependentReaderReadsFirst) {
  for (const char* off :
       {"", "option disable pass SegmentInplaceUpdatePass\noption disable pass StoreSlicesInPlacePass\n"}) {
    const Ran ran = run(concat(R"(
fusion f(%x: f32[i0]) {
  %y = neg(%x)
  %z = add(%x, 1.0)
  return %y, %z
}
alias %y -> %x
)",
                               off, kRun));
    const auto* other = static_cast<const float*>(memoryOf(ran.record.outputs[1]));
    EXPECT_EQ(ran.input, (std::vector<float>{-1, -2, -1}));
    EXPECT_EQ(std::vector<float>(other, other + 3), (std::vector<float>{2, 3, 2}));
  }
}

TEST(AliasTest, AnInputReadTransposedIsNotOverwritten) {
  const Ran ran = run(R"(
fusion f(%x: f32[i0, i0]) {
  %a = permute(%x) {dims = [1, 0]}
  %y = add(%x, %a)
  return %y
}
alias %y -> %x
run { %x = values [1.0, 2.0, 3.0, 4.0] : f32[2, 2] }
)");
  EXPECT_EQ(ran.input, (std::vector<float>{2, 5, 5, 8}));
}

TEST(AliasTest, RejectsInputsThatCannotBeOverwritten) {
  const std::string program = "fusion f(%x: f32[i0], %z: f32[i1]) {\n  %y = neg(%z)\n  return %y\n}\nalias %y -> %x\n";
  EXPECT_EQ(errorOf(program + "run { %x = normal(seed = 1) : f32[3]  %z = normal(seed = 1) : f32[4] }\n"),
            "%y has sizes [4] and cannot be written to %x of sizes [3]");
  EXPECT_EQ(errorOf(program + "run { %x = normal(seed = 1) : f32[3]  %z = view of %x : f32[3] }\n"),
            "%y cannot be written to %x: %z lies in the same memory");
  const auto located = [](const std::string& body) {
    const std::string error = errorOf("fusion f(%x: f32[i0], %w: f32[1*i0], %i: i32[i0]) {\n" + body);
    return error.substr(0, error.find('\n'));
  };
  EXPECT_EQ(located("  %y = neg(%x)\n  return %y, %x\n}\nalias %y -> %x\n"),
            "test:5:13: %x is also returned, and would be overwritten by %y");
  EXPECT_EQ(located("  %y = neg(%x)\n  return %y\n}\nalias %y -> %w\n"),
            "test:5:13: %w has an expanded axis: its elements share memory");
  EXPECT_EQ(located("  %y = neg(%x)\n  return %y\n}\nalias %y -> %i\n"), "test:5:13: %y is f32, %i is i32");
  EXPECT_EQ(located("  %y = sum(%x)\n  return %y\n}\nalias %y -> %x\n"), "test:5:13: %y has 0 axes, %x has 1");
}

TEST(ViewTest, APermutedInputNeedsNoKernel) {
  const Ran ran = run(R"(
fusion f(%x: f32[i0, i1]) {
  %a = permute(%x) {dims = [1, 0]}
  %b = unsqueeze(%a) {dims = [1]}
  %y = expand(%b) {shape = [-1, 4, -1]}
  %z = exp(%x)
  return %y, %z
}
run { %x = values [1.0, 2.0, 3.0, 4.0, 5.0, 6.0] : f32[2, 3] }
)");
  EXPECT_NE(ran.host.find("view %y of %x"), std::string::npos) << ran.host;
  EXPECT_EQ(ran.host.find("launch"), ran.host.rfind("launch")) << ran.host;
  const TensorRef& output = std::get<TensorRef>(ran.record.outputs[0]);
  EXPECT_EQ(output.data, memoryOf(ran.inputs[0]));
  EXPECT_EQ(output.sizes, (Dims{3, 4, 2}));
  EXPECT_EQ(output.strides, (Dims{1, 0, 3}));
}

TEST(ViewTest, AKernelOutputMayBeASource) {
  const Ran ran = run(R"(
fusion f(%x: f32[i0, i1]) {
  %t = exp(%x)
  %y = permute(%t) {dims = [1, 0]}
  return %y, %t
}
run { %x = values [1.0, 2.0] : f32[1, 2] }
)");
  EXPECT_NE(ran.host.find("view %y of %t"), std::string::npos) << ran.host;
  EXPECT_EQ(memoryOf(ran.record.outputs[0]), memoryOf(ran.record.outputs[1]));
}

}  // namespace
}  // namespace fuser
