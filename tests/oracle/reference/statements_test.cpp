// Statements on real memory.

#include <gtest/gtest.h>

#include "fuser/ir/builder.h"
#include "oracle/reference/reference.h"

namespace reference {
namespace {

using fuser::Dims;
using fuser::Fusion;
using fuser::TensorRef;
using fuser::TensorView;

std::vector<float> numbersOf(const Value& value) {
  const TensorRef& ref = std::get<TensorRef>(value.value);
  const float* data = static_cast<const float*>(ref.data);
  return {data, data + fuser::numel(ref.sizes)};
}

Value valueOf(std::vector<float>& numbers, Dims sizes) {
  TensorRef ref;
  ref.data = numbers.data();
  ref.dtype = fuser::DataType::Float;
  ref.strides = fuser::contiguousStrides(sizes);
  ref.sizes = std::move(sizes);
  return {ref, nullptr};
}

fuser::ScalarValue noScalars(const fuser::Val* scalar) {
  throw std::logic_error("%" + scalar->name() + " is no scalar of these programs");
}

// %x of 2 x 3, a column of it through a permute, and what writes to that column.
struct Written {
  Fusion fusion{"f"};
  TensorView* x = fuser::build::input(fusion, fuser::DataType::Float, sizes({2, 3}), "x");
  TensorView* u = fuser::build::input(fusion, fuser::DataType::Float, sizes({1, 2}), "u");
  std::vector<float> numbersOfX{1, 2, 3, 4, 5, 6}, numbersOfU{7, 8};

  std::vector<fuser::IntExpr> sizes(std::vector<int64_t> numbers) {
    std::vector<fuser::IntExpr> result;
    for (int64_t number : numbers) result.push_back(fusion.ints().constant(number));
    return result;
  }
  TensorView* column() {
    TensorView* turned = fuser::build::permute(fusion, x, {1, 0});
    return fuser::build::slice(fusion, turned, 0, fusion.ints().constant(1), fusion.ints().constant(2), nullptr);
  }
  MemoryAfter run() {
    const Value inputs[] = {valueOf(numbersOfX, {2, 3}), valueOf(numbersOfU, {1, 2})};
    return runStatements(fusion, inputs, noScalars);
  }
};

TEST(StatementsTest, AnUpdateWritesThroughViewsToTheInputAndLeavesTheCallersMemory) {
  Written test;
  TensorView* column = test.column();
  fuser::build::update(test.fusion, column, test.u);
  test.fusion.addOutput(column);
  const MemoryAfter after = test.run();
  EXPECT_EQ(numbersOf(after.inputs[0]), (std::vector<float>{1, 7, 3, 4, 8, 6}));
  EXPECT_EQ(numbersOf(after.outputs[0]), (std::vector<float>{7, 8}));
  EXPECT_EQ(test.numbersOfX, (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST(StatementsTest, ACopyMadeBeforeKeepsItsElementsAndAViewMadeBeforeDoesNot) {
  Written test;
  TensorView* copy = fuser::build::set(test.fusion, test.x);
  TensorView* view = fuser::build::unsqueeze(test.fusion, test.x, {0});
  fuser::build::update(test.fusion, test.column(), test.u);
  test.fusion.addOutput(copy);
  test.fusion.addOutput(view);
  const MemoryAfter after = test.run();
  EXPECT_EQ(numbersOf(after.outputs[0]), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(numbersOf(after.outputs[1]), (std::vector<float>{1, 7, 3, 4, 8, 6}));
}

TEST(StatementsTest, ASourceThatOverlapsIsReadBeforeAnythingIsWritten) {
  Written test;
  TensorView* flat = fuser::build::reshape(test.fusion, test.x, test.sizes({6}));
  const auto slice = [&](int64_t first, int64_t last) {
    return fuser::build::slice(test.fusion, flat, 0, test.fusion.ints().constant(first),
                               test.fusion.ints().constant(last), nullptr);
  };
  TensorView* from = slice(0, 5);
  TensorView* to = slice(1, 6);
  fuser::build::update(test.fusion, to, from);
  EXPECT_EQ(numbersOf(test.run().inputs[0]), (std::vector<float>{1, 1, 2, 3, 4, 5}));
}

TEST(StatementsTest, AnOpThatIsNoMoveStandsForAllElementsOfItsOperands) {
  Written test;
  TensorView* before = fuser::build::unary(test.fusion, fuser::OpKind::Neg, test.x)->as<TensorView>();
  fuser::build::update(test.fusion, test.column(), test.u);
  TensorView* after = fuser::build::unary(test.fusion, fuser::OpKind::Neg, test.x)->as<TensorView>();
  TensorView* again = fuser::build::unary(test.fusion, fuser::OpKind::Neg, test.x)->as<TensorView>();
  for (TensorView* output : {before, after, again}) test.fusion.addOutput(output);
  const auto bytesOf = [](const Value& value) {
    const TensorRef& ref = std::get<TensorRef>(value.value);
    return std::string(static_cast<const char*>(ref.data), 6 * sizeof(float));
  };
  const MemoryAfter made = test.run();
  EXPECT_NE(bytesOf(made.outputs[0]), bytesOf(made.outputs[1]));
  EXPECT_EQ(bytesOf(made.outputs[1]), bytesOf(made.outputs[2]));
}

}  // namespace
}  // namespace reference
