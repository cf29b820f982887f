// What a caller gets (fuser/text/grammar.md#what-a-caller-gets), and what needs no kernel for it.

#include <gtest/gtest.h>

#include "tests/fuser/runtime/session.h"

namespace fuser {
namespace {

TEST(OutputsTest, OutputsMayBeInputsRepeatedOrScalars) {
  Session session(R"(
fusion f(%x: f32[i0], %a: i64) {
  %y = neg(%x)
  return %x, %y, %y, %a
}
run { %x = values [1, 2] : f32[2]  %a = 7 })");
  const RunRecord record = session.run();
  EXPECT_EQ(std::get<TensorRef>(record.outputs.at(0)).data, session.inputMemory(0));
  EXPECT_EQ(std::get<TensorRef>(record.outputs.at(1)).data, std::get<TensorRef>(record.outputs.at(2)).data);
  EXPECT_EQ(elements(record.outputs[2]), (std::vector<double>{-1, -2}));
  EXPECT_EQ(scalar(record.outputs.at(3)), ScalarValue(int64_t{7}));
}

TEST(OutputsTest, NothingToComputeCompilesNoKernel) {
  Session session(R"(
fusion f(%x: f32[i0]) {
  return %x
}
run { %x = values [1, 2] : f32[2] })");
  EXPECT_EQ(elements(session.run().outputs.at(0)), (std::vector<double>{1, 2}));
  EXPECT_EQ(session.cache->counters().kernelCompilations, 0u);
}

TEST(OutputsTest, EmptyOutputsNeedNoKernel) {
  Session session(R"(
fusion f(%x: f32[i0, i1]) {
  %y = exp(%x)
  return %y
}
run { %x = values [] : f32[3, 0] })");
  const RunRecord record = session.run();
  EXPECT_EQ(std::get<TensorRef>(record.outputs.at(0)).sizes, (Dims{3, 0}));
  EXPECT_EQ(session.cache->counters().kernelCompilations, 0u);
}

TEST(OutputsTest, ASumOverAnEmptyAxisIsWritten) {
  Session session(R"(
fusion f(%x: f32[i0, i1]) {
  %y = sum(%x) {dims = [1]}
  return %y
}
run { %x = values [] : f32[3, 0] })");
  EXPECT_EQ(elements(session.run().outputs.at(0)), (std::vector<double>{0, 0, 0}));
}

TEST(OutputsTest, FusionsWithoutInputsRun) {
  Session session(R"(
fusion f() {
  %y = full() {shape = [3], fill_value = 1.5, dtype = f32}
  return %y
}
run { })");
  EXPECT_EQ(elements(session.run().outputs.at(0)), (std::vector<double>{1.5, 1.5, 1.5}));
}

TEST(OutputsTest, AnExpandedOutputOfItsOwnHoldsEachElement) {
  Session session(R"(
fusion f(%x: f32[i0, 1]) {
  %n = neg(%x)
  %y = expand(%n) {shape = [-1, 4]}
  %v = permute(%y) {dims = [1, 0]}
  return %v, %y, %y
}
run { %x = values [1, 2] : f32[2, 1] })");
  const RunRecord record = session.run();
  const auto& view = std::get<TensorRef>(record.outputs.at(0));
  const auto& own = std::get<TensorRef>(record.outputs.at(1));
  EXPECT_EQ(own.strides, (Dims{4, 1}));
  EXPECT_EQ(elements(record.outputs[1]), (std::vector<double>{-1, -1, -1, -1, -2, -2, -2, -2}));
  EXPECT_EQ(view.data, own.data);
  EXPECT_EQ(view.strides, (Dims{1, 4}));
  EXPECT_EQ(std::get<TensorRef>(record.outputs.at(2)).data, own.data);
}

TEST(OutputsTest, AnExpandedViewOfAnInputTakesNoMemory) {
  Session session(R"(
fusion f(%x: f32[i0, 1]) {
  %y = expand(%x) {shape = [-1, 4]}
  return %y
}
run { %x = values [1, 2] : f32[2, 1] })");
  const RunRecord record = session.run();
  EXPECT_EQ(std::get<TensorRef>(record.outputs.at(0)).strides, (Dims{1, 0}));
}

}  // namespace
}  // namespace fuser
