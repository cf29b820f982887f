// Binding of inputs, extents and host scalars.

#include "fuser/evaluate/expression_evaluator.h"

#include <gtest/gtest.h>

#include "fuser/ir/builder.h"

namespace fuser {
namespace {

std::string userError(const std::function<void()>& body) {
  try {
    body();
  } catch (const UserError& error) {
    return error.what();
  }
  return "no UserError";
}

TensorRef tensorOf(DataType dtype, Dims sizes) {
  TensorRef ref;
  ref.dtype = dtype;
  ref.sizes = sizes;
  ref.strides = contiguousStrides(sizes);
  return ref;
}

// f(%x: f32[i0, i1], %n: i64, %z: f32[i0, %n])
struct ExpressionEvaluatorTest : testing::Test {
  ExpressionEvaluatorTest() {
    x = build::input(fusion, DataType::Float, {fusion.extentSymbol("i0"), fusion.extentSymbol("i1")}, "x");
    fusion.addInput(n = fusion.newScalar(DataType::Int64, "n"));
    z = build::input(fusion, DataType::Float, {fusion.extentSymbol("i0"), fusion.scalarSymbol(n)}, "z");
  }
  std::vector<ExpressionEvaluator::InputValue> inputs(Dims xSizes, int64_t nValue, Dims zSizes) {
    return {tensorOf(DataType::Float, xSizes), ScalarValue(nValue), tensorOf(DataType::Float, zSizes)};
  }
  void bind(const std::vector<ExpressionEvaluator::InputValue>& values) {
    ExpressionEvaluator(fusion).bindInputs(values);
  }

  Fusion fusion{"f"};
  TensorView* x;
  Scalar* n;
  TensorView* z;
};

TEST_F(ExpressionEvaluatorTest, BindsExtentsByTheSizesOfInputs) {
  ExpressionEvaluator evaluator(fusion);
  evaluator.bindInputs(inputs({4, 3}, 7, {4, 7}));
  EXPECT_EQ(evaluator.evaluate(fusion.ints().mul(fusion.extentSymbol("i0"), fusion.extentSymbol("i1"))), 12);
  EXPECT_EQ(evaluator.evaluate(fusion.scalarSymbol(n)), 7);
  EXPECT_EQ(evaluator.sizes(z), (Dims{4, 7}));
}

TEST_F(ExpressionEvaluatorTest, ItemReadsTheHost) {
  Fusion host("g");
  Scalar* half = build::item(host, build::hostInput(host, DataType::BFloat16, "h"), "s");
  Scalar* count = build::item(host, build::hostInput(host, DataType::Int8, "k"), "n");
  Scalar* flag = build::item(host, build::hostInput(host, DataType::Bool, "b"), "t");
  BFloat16 a = convert<BFloat16>(0.5f);
  int8 b = -3;
  bool c = true;
  const auto at = [](DataType dtype, void* data) {
    TensorRef ref = tensorOf(dtype, {});
    ref.data = data;
    return ref;
  };
  ExpressionEvaluator evaluator(host);
  evaluator.bindInputs(std::vector<ExpressionEvaluator::InputValue>{at(DataType::BFloat16, &a), at(DataType::Int8, &b),
                                                                    at(DataType::Bool, &c)});
  a = convert<BFloat16>(2.0f);
  EXPECT_EQ(evaluator.evaluate(half), ScalarValue(0.5)) << "as it was when it was bound";
  EXPECT_EQ(evaluator.evaluate(count), ScalarValue(int64_t{-3}));
  EXPECT_EQ(evaluator.evaluate(flag), ScalarValue(true));
  TensorRef elsewhere = at(DataType::Bool, &c);
  elsewhere.device.kind = DeviceKind::Cuda;
  EXPECT_EQ(userError([&] {
              ExpressionEvaluator(host).bindInputs(std::vector<ExpressionEvaluator::InputValue>{
                  at(DataType::BFloat16, &a), at(DataType::Int8, &b), elsewhere});
            }),
            "input %b is declared {device = cpu}, got a tensor on the device");
  EXPECT_EQ(userError([&] {
              ExpressionEvaluator(host).bindInputs(std::vector<ExpressionEvaluator::InputValue>{
                  at(DataType::BFloat16, &a), at(DataType::Int8, nullptr), at(DataType::Bool, &c)});
            }),
            "%k has no memory");
}

TEST_F(ExpressionEvaluatorTest, RejectsASymbolWithTwoValues) {
  EXPECT_EQ(userError([&] {
              bind(inputs({4, 3}, 7, {5, 7}));
            }),
            "axis 0 of %z has size 5, but i0 is 4, the size of axis 0 of %x");
}

TEST_F(ExpressionEvaluatorTest, RejectsASizeThatAScalarContradicts) {
  EXPECT_EQ(userError([&] { bind(inputs({4, 3}, 8, {4, 7})); }), "axis 1 of %z has size 7, must be %n = 8");
}

TEST_F(ExpressionEvaluatorTest, RejectsAnotherNumberKindRankOrDtypeOfInputs) {
  EXPECT_EQ(userError([&] { bind({}); }), "fusion 'f' takes 3 inputs, got 0");
  EXPECT_EQ(userError([&] { bind(inputs({4}, 7, {4, 7})); }), "input %x has rank 2, got sizes [4]");
  auto values = inputs({4, 3}, 7, {4, 7});
  values[1] = ScalarValue(7.0);
  EXPECT_EQ(userError([&] { bind(values); }), "input %n is i64, got f64 7.0");
  values[1] = tensorOf(DataType::Int64, {});
  EXPECT_EQ(userError([&] { bind(values); }), "input %n is a scalar, got a tensor");
  values[0] = ScalarValue(7.0);
  EXPECT_EQ(userError([&] { bind(values); }), "input %x is a tensor, got a scalar");
  values[0] = tensorOf(DataType::Half, {4, 3});
  EXPECT_EQ(userError([&] { bind(values); }), "input %x is f32, got f16");
}

TEST_F(ExpressionEvaluatorTest, RejectsTooManyElementsWithoutOverflow) {
  EXPECT_NE(userError([&] { bind(inputs({int64_t{1} << 40, int64_t{1} << 40}, 7, {4, 7})); }), "no UserError");
  EXPECT_EQ(checkedNumel({int64_t{1} << 31, 1}), int64_t{1} << 31);
  EXPECT_EQ(checkedNumel({int64_t{1} << 31, 2}), std::nullopt);
  EXPECT_EQ(checkedNumel({int64_t{1} << 62, int64_t{1} << 62, 0}), 0);
  EXPECT_EQ(checkedNumel({-1, 0}), std::nullopt);
}

TEST_F(ExpressionEvaluatorTest, BroadcastAxesHaveSizeOne) {
  Fusion other("g");
  build::input(other, DataType::Float, {other.extentSymbol("i0"), other.ints().constant(1)}, "b");
  ExpressionEvaluator evaluator(other);
  const std::vector<ExpressionEvaluator::InputValue> good{tensorOf(DataType::Float, {4, 1})};
  evaluator.bindInputs(good);
  const std::vector<ExpressionEvaluator::InputValue> bad{tensorOf(DataType::Float, {4, 2})};
  EXPECT_EQ(userError([&] { ExpressionEvaluator(other).bindInputs(bad); }), "axis 1 of %b has size 2, must be 1");
}

TEST_F(ExpressionEvaluatorTest, EvaluatesAScalarExpressionOnce) {
  Scalar* rows = build::size(fusion, x, 0, "rows");
  Val* sum = build::binary(fusion, OpKind::Add, rows, n, "sum");
  Val* twice = build::binary(fusion, OpKind::Mul, sum, sum, "twice");
  ExpressionEvaluator evaluator(fusion);
  evaluator.bindInputs(inputs({4, 3}, 7, {4, 7}));
  EXPECT_EQ(evaluator.evaluate(twice), ScalarValue(int64_t{121}));
  EXPECT_EQ(evaluator.evaluate(sum), ScalarValue(int64_t{11}));
  EXPECT_EQ(evaluator.evaluated().size(), 3u);
}

TEST_F(ExpressionEvaluatorTest, TakesChainsThatAreLongerThanTheStackIsDeep) {
  Val* value = n;
  Val* one = fusion.newConstant(int64_t{1});
  for (int i = 0; i < 200000; ++i) {
    Scalar* next = fusion.newScalar(DataType::Int64);
    fusion.newExpr(OpKind::Add, {value, one}, {next});
    value = next;
  }
  ExpressionEvaluator evaluator(fusion);
  evaluator.bindInputs(inputs({4, 3}, 7, {4, 7}));
  EXPECT_EQ(evaluator.evaluate(value), ScalarValue(int64_t{200007}));
}

TEST_F(ExpressionEvaluatorTest, SizesMayDependOnScalarsThatDependOnSizes) {
  Val* more = build::binary(fusion, OpKind::Add, build::size(fusion, z, 1), fusion.newConstant(int64_t{2}), "more");
  Val* zero = fusion.newConstant(0.0);
  TensorView* tensor = build::full(fusion, {fusion.scalarSymbol(more)}, zero, DataType::Float, "made");
  Val* count = build::size(fusion, tensor, 0, "count");
  ExpressionEvaluator evaluator(fusion);
  evaluator.bindInputs(inputs({4, 3}, 7, {4, 7}));
  EXPECT_EQ(evaluator.evaluate(count), ScalarValue(int64_t{9}));
  EXPECT_EQ(evaluator.sizes(tensor), (Dims{9}));
}

}  // namespace
}  // namespace fuser
