// The named cases (oracle/ORACLE.md#named-cases): what is accepted, and what next to it is not.

#include <gtest/gtest.h>

#include <cmath>

#include "fuser/ir/builder.h"
#include "oracle/judge.h"
#include "oracle/reference/reference.h"
#include "tests/oracle/dense_array.h"

namespace oracle_test {
namespace {

using fuser::DataType;
using fuser::Fusion;
using fuser::HostValue;
using fuser::OpKind;
using fuser::RunRecord;
using fuser::TensorView;
using fuser::Val;
using oracle::Judgement;
using oracle::Verdict;

constexpr double kInf = oracle::kInfinity;
const double kNan = std::nan("");

DenseArray tensor(DataType dtype, const std::vector<double>& values) {
  DenseArray wide(DataType::Double, {static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), wide.as<double>());
  return wide.cast(dtype);
}

DenseArray integers(const std::vector<int64_t>& values) {
  DenseArray result(DataType::Int64, {static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), result.as<fuser::int64>());
  return result;
}

// A fusion whose inputs are vectors of one length.
struct Program {
  Fusion fusion{"named"};
  std::vector<DenseArray> inputs;

  TensorView* input(const DenseArray& data) {
    inputs.push_back(data);
    return fuser::build::input(fusion, data.dtype, {fusion.extentSymbol("i0")}, fuser::concat("x", inputs.size()));
  }
  Val* op(OpKind kind, std::vector<Val*> operands) { return fuser::build::pointwise(fusion, kind, operands); }
  std::vector<HostValue> values() const {
    std::vector<HostValue> result;
    for (const DenseArray& data : inputs) result.push_back(data.ref());
    return result;
  }

  // The verdict when the program's one output holds the given values.
  Verdict verdictOf(Val* output, const DenseArray& actual, const oracle::JudgeOptions& options = {}) {
    reference::useOneThread();
    fusion.setOutputs({output});
    fusion.markOrigins();
    RunRecord record;
    record.outputs.push_back(actual.ref());
    return oracle::judge(fusion, values(), record, options).verdict;
  }
  bool accepts(Val* output, const DenseArray& actual) { return verdictOf(output, actual) != Verdict::Differs; }
  bool accepts(Val* output, std::vector<double> actual) { return accepts(output, tensor(output->dtype(), actual)); }
};

DenseArray rank0(const DenseArray& one) { return one.reshaped({}); }

TEST(NamedCasesTest, ResidualOfAProductStoredElsewhere) {
  // r = a * b - p, p the same product as an earlier segment stored it. Unfused r is 0; an FMA gives p's rounding error.
  Program program;
  Val* a = program.input(tensor(DataType::Float, {1 + 0x1p-12}));
  Val* b = program.input(tensor(DataType::Float, {1 + 0x1p-13}));
  Val* p = program.op(OpKind::Mul, {a, b});
  Val* r = program.op(OpKind::Sub, {program.op(OpKind::Mul, {a, b}), p});
  program.fusion.setOutputs({r});
  program.fusion.markOrigins();
  const float product = (1 + 0x1p-12f) * (1 + 0x1p-13f);
  const float residual = std::fma(1 + 0x1p-12f, 1 + 0x1p-13f, -product);
  ASSERT_NE(residual, 0);
  const auto verdict = [&](double value, bool contraction, std::optional<fuser::SumForms> forms = std::nullopt) {
    const DenseArray stored = tensor(DataType::Float, {product});
    const DenseArray result = tensor(DataType::Float, {value});
    RunRecord record;
    record.outputs.push_back(result.ref());
    record.segments.resize(2);
    record.segments[0].outputs.push_back({p->id(), "p", stored.ref()});
    record.segments[1].inputs.push_back({p->id(), "p", stored.ref()});
    record.segments[1].outputs.push_back({r->id(), "r", result.ref()});
    if (forms) record.segments[1].sums = {{r->id(), *forms}};
    oracle::JudgeOptions options;
    options.arithmetic.contraction = contraction;
    return oracle::judge(program.fusion, program.values(), record, options).verdict;
  };
  EXPECT_EQ(verdict(0, false), Verdict::Agrees);
  EXPECT_EQ(verdict(residual, false), Verdict::Differs);
  EXPECT_NE(verdict(0, true), Verdict::Differs);
  EXPECT_NE(verdict(residual, true), Verdict::Differs);
  EXPECT_EQ(verdict(2 * residual, true), Verdict::Differs);
  // Where the kernel says which of the two it computes, the other one is wrong.
  EXPECT_EQ(verdict(0, true, fuser::SumForms{true, false}), Verdict::Agrees);
  EXPECT_EQ(verdict(residual, true, fuser::SumForms{true, false}), Verdict::Differs);
  EXPECT_EQ(verdict(0, true, fuser::SumForms{false, true}), Verdict::Differs);
  EXPECT_EQ(verdict(residual, true, fuser::SumForms{false, true}), Verdict::Agrees);
  EXPECT_NE(verdict(0, true, fuser::SumForms{true, true}), Verdict::Differs);
  EXPECT_NE(verdict(residual, true, fuser::SumForms{true, true}), Verdict::Differs);
}

TEST(NamedCasesTest, OverflowingProductBesideAnInfinity) {
  // a * b overflows. Rounded it meets -inf, which is NaN; an FMA's product is finite, and -inf stays.
  for (const DataType dtype : {DataType::Float, DataType::Double}) {
    const double large = dtype == DataType::Float ? 0x1p100 : 0x1p1000;
    Program program;
    Val* a = program.input(tensor(dtype, {large}));
    Val* c = program.input(tensor(dtype, {-kInf}));
    Val* sum = program.op(OpKind::Add, {program.op(OpKind::Mul, {a, a}), c});
    oracle::JudgeOptions fused;
    fused.arithmetic.contraction = true;
    EXPECT_NE(program.verdictOf(sum, tensor(dtype, {-kInf}), fused), Verdict::Differs);
    EXPECT_NE(program.verdictOf(sum, tensor(dtype, {kNan}), fused), Verdict::Differs);
    EXPECT_EQ(program.verdictOf(sum, tensor(dtype, {kInf}), fused), Verdict::Differs);
    EXPECT_EQ(program.verdictOf(sum, tensor(dtype, {-kInf})), Verdict::Differs);
  }
}

TEST(NamedCasesTest, AFusedProductOfWhatIsNoNumber) {
  // What is infinite or NaN is so whether or not the product is rounded.
  Program program;
  Val* a = program.input(tensor(DataType::Float, {kInf, kInf, kNan, 2}));
  Val* b = program.input(tensor(DataType::Float, {2, -1, 1, 3}));
  Val* c = program.input(tensor(DataType::Float, {-kInf, 1, 1, kInf}));
  Val* sum = program.op(OpKind::Add, {program.op(OpKind::Mul, {a, b}), c});
  program.fusion.setOutputs({sum});
  program.fusion.markOrigins();
  const auto verdict = [&](const std::vector<double>& values) {
    const DenseArray result = tensor(DataType::Float, values);
    RunRecord record;
    record.outputs.push_back(result.ref());
    record.segments.resize(1);
    record.segments[0].outputs.push_back({sum->id(), "s", result.ref()});
    record.segments[0].sums = {{sum->id(), fuser::SumForms{false, true}}};
    oracle::JudgeOptions options;
    options.arithmetic.contraction = true;
    return oracle::judge(program.fusion, program.values(), record, options).verdict;
  };
  EXPECT_EQ(verdict({kNan, -kInf, kNan, kInf}), Verdict::Agrees);
  EXPECT_EQ(verdict({kInf, -kInf, kNan, kInf}), Verdict::Differs);
  EXPECT_EQ(verdict({kNan, 1, kNan, kInf}), Verdict::Differs);
}

TEST(NamedCasesTest, TiesOfTwoRoundings) {
  // f64 to bf16 goes through f32, which makes a tie of this number; bf16's neighbours are 1 and 1 + 2^-7.
  Program program;
  Val* x = program.input(tensor(DataType::Double, {1 + 0x1p-8 + 0x1p-40}));
  Val* y = fuser::build::cast(program.fusion, x, DataType::BFloat16);
  EXPECT_EQ(program.verdictOf(y, tensor(DataType::BFloat16, {1})), Verdict::Agrees);
  EXPECT_FALSE(program.accepts(y, {1 + 0x1p-7}));
}

TEST(NamedCasesTest, VarianceOfSmallDeviations) {
  // Two passes, mean 10^4 times the deviation, each step rounded to f32.
  constexpr size_t kCount = 64;
  std::vector<double> data;
  for (size_t i = 0; i < kCount; ++i) data.push_back(1e4 + std::sin(static_cast<double>(i)));
  Program program;
  const DenseArray values = tensor(DataType::Float, data);
  TensorView* x = program.input(values);
  Val* n = program.fusion.newConstant(static_cast<double>(kCount));
  Val* mean = program.op(OpKind::Div, {fuser::build::reduction(program.fusion, OpKind::Sum, x, {0}, true), n});
  Val* deviation = program.op(OpKind::Sub, {x, mean});
  Val* square = program.op(OpKind::Mul, {deviation, deviation});
  Val* variance = program.op(
      OpKind::Div, {fuser::build::reduction(program.fusion, OpKind::Sum, square->as<TensorView>(), {0}, false), n});
  float sum = 0, squares = 0;
  for (size_t i = 0; i < kCount; ++i) sum += values.as<float>()[i];
  for (size_t i = 0; i < kCount; ++i) {
    const float d = values.as<float>()[i] - sum / kCount;
    squares += d * d;
  }
  EXPECT_TRUE(program.accepts(variance, rank0(tensor(DataType::Float, {squares / kCount}))));
  EXPECT_FALSE(program.accepts(variance, rank0(tensor(DataType::Float, {squares / kCount * 2}))));
}

TEST(NamedCasesTest, SumWhosePartialSumsOverflow) {
  Program program;
  TensorView* x = program.input(tensor(DataType::Float, {3e38, 3e38, -3e38, -3e38}));
  Val* sum = fuser::build::reduction(program.fusion, OpKind::Sum, x, {0}, false);
  for (double value : {0.0, kInf, -kInf, kNan})
    EXPECT_TRUE(program.accepts(sum, rank0(tensor(DataType::Float, {value})))) << value;
  EXPECT_FALSE(program.accepts(sum, rank0(tensor(DataType::Float, {1e38}))));
}

// In any order: a NaN term, infinities of both signs, an infinity times a zero.
TEST(NamedCasesTest, ReductionsThatAreCertainlyNan) {
  struct {
    OpKind op;
    std::vector<double> terms;
  } const cases[] = {{OpKind::Sum, {kNan, kInf, 1}},
                     {OpKind::Sum, {kInf, 1, -kInf}},
                     {OpKind::Prod, {0, 2, -kInf}},
                     {OpKind::Prod, {kNan, 1e30, 1e30}}};
  for (const auto& [op, terms] : cases) {
    for (double value : {kNan, kInf, -kInf, 0.0}) {
      Program program;
      Val* result =
          fuser::build::reduction(program.fusion, op, program.input(tensor(DataType::Float, terms)), {0}, false);
      const Verdict wanted = std::isnan(value) ? Verdict::Agrees : Verdict::Differs;
      EXPECT_EQ(program.verdictOf(result, rank0(tensor(DataType::Float, {value}))), wanted)
          << fuser::opName(op) << " " << value;
    }
  }
}

TEST(NamedCasesTest, ProductWhosePartialProductsLeaveTheRange) {
  Program program;
  TensorView* x = program.input(tensor(DataType::Float, {1e-30, 1e-30, 1e30, 1e30}));
  Val* product = fuser::build::reduction(program.fusion, OpKind::Prod, x, {0}, false);
  for (double value : {1.0, 0.0, kInf, kNan})
    EXPECT_TRUE(program.accepts(product, rank0(tensor(DataType::Float, {value})))) << value;
  EXPECT_FALSE(program.accepts(product, rank0(tensor(DataType::Float, {-1}))));
  EXPECT_FALSE(program.accepts(product, rank0(tensor(DataType::Float, {-kInf}))));
}

TEST(NamedCasesTest, IntegerToFloatRoundsOnce) {
  // 2^60 + 2^36 is a tie for f32; the 1 decides it, and f64 would lose it.
  Program program;
  Val* x = program.input(integers({(int64_t{1} << 60) + (int64_t{1} << 36) + 1}));
  Val* y = fuser::build::cast(program.fusion, x, DataType::Float);
  EXPECT_EQ(program.verdictOf(y, tensor(DataType::Float, {0x1p60 + 0x1p37})), Verdict::Agrees);
  EXPECT_FALSE(program.accepts(y, {0x1p60}));
}

TEST(NamedCasesTest, ComparisonInIntegersAndInFloats) {
  Program program;
  Val* x = program.input(integers({(1 << 24) + 1}));
  Val* y = program.input(integers({1 << 24}));
  EXPECT_EQ(program.verdictOf(program.op(OpKind::Gt, {x, y}), tensor(DataType::Bool, {1})), Verdict::Agrees);
  Val* rounded = fuser::build::cast(program.fusion, x, DataType::Float);
  Val* other = fuser::build::cast(program.fusion, y, DataType::Float);
  EXPECT_EQ(program.verdictOf(program.op(OpKind::Gt, {rounded, other}), tensor(DataType::Bool, {0})), Verdict::Agrees);
}

TEST(NamedCasesTest, EitherZero) {
  Program program;
  TensorView* x = program.input(tensor(DataType::Float, {-0.0, -0.0}));
  TensorView* zero = program.input(tensor(DataType::Float, {0.0, 0.0}));
  for (double value : {0.0, -0.0}) {
    EXPECT_TRUE(program.accepts(program.op(OpKind::Relu, {x}), {value, value}));
    EXPECT_TRUE(program.accepts(fuser::build::reduction(program.fusion, OpKind::Sum, x, {0}, false),
                                rank0(tensor(DataType::Float, {value}))));
    EXPECT_TRUE(program.accepts(program.op(OpKind::Maximum, {x, zero}), {value, value}));
    EXPECT_TRUE(program.accepts(program.op(OpKind::Maximum, {zero, x}), {value, value}));
  }
  // Where the sign is certain it counts.
  EXPECT_TRUE(program.accepts(program.op(OpKind::Neg, {zero}), {-0.0, -0.0}));
  EXPECT_FALSE(program.accepts(program.op(OpKind::Neg, {zero}), {0.0, 0.0}));
}

TEST(NamedCasesTest, SigmoidWhoseExponentialOverflows) {
  // exp(88.8) is infinite in f32, so the formula gives 0, not the 2.7e-39 that f64 would.
  Program program;
  Val* x = program.input(tensor(DataType::Float, {-88.8}));
  Val* sigmoid = program.op(OpKind::Sigmoid, {x});
  EXPECT_EQ(program.verdictOf(sigmoid, tensor(DataType::Float, {0})), Verdict::Agrees);
  EXPECT_FALSE(program.accepts(sigmoid, {1 / (1 + std::exp(88.8))}));
  Program silu;
  Val* y = silu.input(tensor(DataType::Float, {-89}));
  Val* product = silu.op(OpKind::Mul, {y, silu.op(OpKind::Sigmoid, {y})});
  EXPECT_EQ(silu.verdictOf(product, tensor(DataType::Float, {-0.0})), Verdict::Agrees);
  EXPECT_FALSE(silu.accepts(product, {-89 / (1 + std::exp(89.0))}));
}

}  // namespace
}  // namespace oracle_test
