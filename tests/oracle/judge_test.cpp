// judge(): verdicts, counts, the first wrong op, what a wrong record gets; planted faults
// (oracle/ORACLE.md#mutations-and-planted-faults); and LibTorch's own answer for whole generated fusions.

#include "oracle/judge.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "fuser/case/functional_updates.h"
#include "fuser/ir/builder.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/text/printer.h"
#include "fuzz/generate/generate.h"
#include "oracle/reference/reference.h"
#include "oracle/rounding.h"
#include "tests/oracle/adversarial.h"
#include "tests/oracle/dense_array.h"

namespace oracle_test {
namespace {

using fuser::Case;
using fuser::DataType;
using fuser::Fusion;
using fuser::HostValue;
using fuser::OpKind;
using fuser::RunData;
using fuser::RunRecord;
using fuser::TensorRef;
using fuser::TensorView;
using fuser::Val;
using oracle::Judgement;
using oracle::Verdict;

// y = exp(x) * x + 1 on 4 floats, as a correct engine with probes runs it.
struct Chain {
  Fusion fusion{"chain"};
  DenseArray input{DataType::Float, {4}};
  std::vector<HostValue> inputs;
  RunRecord record;

  Chain() {
    reference::useOneThread();
    TensorView* x = fuser::build::input(fusion, DataType::Float, {fusion.extentSymbol("i0")}, "x");
    Val* e = fuser::build::unary(fusion, OpKind::Exp, x, "e");
    Val* p = fuser::build::binary(fusion, OpKind::Mul, e, x, "p");
    fusion.addOutput(fuser::build::binary(fusion, OpKind::Add, p, fusion.newConstant(1.0), "y"));
    fusion.markOrigins();
    for (int i = 0; i < 4; ++i) input.as<float>()[i] = 0.5f + static_cast<float>(i);
    inputs.push_back(input.ref());
    std::mt19937_64 random(1);
    Adversary adversary;
    adversary.probes = true;
    adversary.maxSegments = 1;
    record = runAdversarially(fusion, inputs, adversary, random);
  }
  Judgement judge() const { return oracle::judge(fusion, inputs, record, {{}, true, true, 5}); }
  float* stored(size_t i) { return static_cast<float*>(std::get<TensorRef>(record.segments[0].outputs[i].value).data); }
};

TEST(JudgeTest, CountsWhatAgrees) {
  Chain chain;
  const Judgement judgement = chain.judge();
  EXPECT_EQ(judgement.verdict, Verdict::Agrees) << oracle::toString(judgement);
  EXPECT_EQ(judgement.total.judged, 12);  // e, p, y
  EXPECT_EQ(judgement.total.decided, 12);
  EXPECT_EQ(judgement.total.outside, 0);
  ASSERT_EQ(judgement.outputs.size(), 1u);
  EXPECT_EQ(judgement.outputs[0].counts.inside, 4);
  EXPECT_FALSE(judgement.firstWrongOp);
}

TEST(JudgeTest, NamesTheFirstWrongOpAndItsElement) {
  Chain chain;
  // p is wrong at [2]; y, computed from the wrong p, is right on its own.
  chain.stored(1)[2] *= 1.001f;
  chain.stored(2)[2] = chain.stored(1)[2] + 1;
  const Judgement judgement = chain.judge();
  EXPECT_EQ(judgement.verdict, Verdict::Differs);
  ASSERT_TRUE(judgement.firstWrongOp) << oracle::toString(judgement);
  EXPECT_EQ(judgement.firstWrongOp->op, OpKind::Mul);
  EXPECT_EQ(judgement.firstWrongOp->value, "p");
  EXPECT_EQ(judgement.firstWrongOp->outside, 1);
  EXPECT_EQ(judgement.firstWrongOp->worst.index, fuser::Dims{2});
  EXPECT_NE(oracle::toString(judgement).find("first wrong op: Mul -> %p"), std::string::npos);
}

// What comes later may be further off.
TEST(JudgeTest, ShowsTheFirstWrongOpsElementsFirst) {
  Chain chain;
  chain.stored(1)[2] *= 1.001f;
  chain.stored(1)[3] *= 1.002f;
  for (size_t i = 0; i < 4; ++i) chain.stored(2)[i] = 1000;
  const Judgement judgement = chain.judge();
  ASSERT_EQ(judgement.worst.size(), 5u);
  std::vector<std::string> places;
  for (const oracle::Mismatch& mismatch : judgement.worst) {
    places.push_back(fuser::concat(mismatch.value, mismatch.index));
  }
  EXPECT_EQ(places[0], "p[3]");
  EXPECT_EQ(places[1], "p[2]");
  for (size_t i = 2; i < 5; ++i) EXPECT_EQ(judgement.worst[i].value, "y");
  EXPECT_EQ(judgement.firstWrongOp->worst.index, fuser::Dims{3});
}

TEST(JudgeTest, HoldsSegmentsAgainstWhatTheyLoaded) {
  Fusion fusion("two");
  TensorView* x = fuser::build::input(fusion, DataType::Float, {fusion.extentSymbol("i0")}, "x");
  Val* a = fuser::build::unary(fusion, OpKind::Exp, x, "a");
  Val* b = fuser::build::binary(fusion, OpKind::Mul, a, x, "b");
  fusion.setOutputs({b});
  fusion.markOrigins();
  DenseArray input(DataType::Float, {1});
  *input.as<float>() = 1;
  DenseArray stored(DataType::Float, {1}), result(DataType::Float, {1});
  *stored.as<float>() = std::exp(1.0f);
  RunRecord record;
  record.outputs.push_back(result.ref());
  record.segments.resize(2);
  record.segments[0].outputs.push_back({a->id(), "a", stored.ref()});
  record.segments[1].inputs.push_back({a->id(), "a", stored.ref()});
  record.segments[1].outputs.push_back({b->id(), "b", result.ref()});
  *result.as<float>() = *stored.as<float>();
  EXPECT_EQ(oracle::judge(fusion, std::vector<HostValue>{input.ref()}, record).verdict, Verdict::Agrees);
  // One ulp off: within the plain intervals of exp, but not the product of what was loaded.
  *result.as<float>() = std::nextafter(*stored.as<float>(), 10.0f);
  const Judgement judgement = oracle::judge(fusion, std::vector<HostValue>{input.ref()}, record);
  EXPECT_EQ(judgement.verdict, Verdict::Differs);
  EXPECT_FALSE(judgement.worst.at(0).wholeFusionView);
  // A wrong anchor is caught where it was stored, and hides nothing behind it.
  *stored.as<float>() = 3;
  *result.as<float>() = 3;
  const Judgement hidden = oracle::judge(fusion, std::vector<HostValue>{input.ref()}, record);
  EXPECT_EQ(hidden.stored.at(0).counts.outside, 1);
  EXPECT_EQ(hidden.outputs.at(0).counts.outside, 1);
}

// What a segment stores may be read before it is returned, in other memory.
TEST(JudgeTest, AWrongStoredCopyOfARightOutputDiffers) {
  Fusion fusion("copied");
  TensorView* x = fuser::build::input(fusion, DataType::Float, {fusion.extentSymbol("i0")}, "x");
  Val* a = fuser::build::unary(fusion, OpKind::Neg, x, "a");
  fusion.setOutputs({a});
  fusion.markOrigins();
  DenseArray input(DataType::Float, {1}), stored(DataType::Float, {1}), result(DataType::Float, {1});
  *input.as<float>() = 1;
  *stored.as<float>() = 2;
  *result.as<float>() = -1;
  RunRecord record;
  record.outputs.push_back(result.ref());
  record.segments.resize(1);
  record.segments[0].outputs.push_back({a->id(), "a", stored.ref()});
  const Judgement judgement = oracle::judge(fusion, std::vector<HostValue>{input.ref()}, record);
  EXPECT_EQ(judgement.verdict, Verdict::Differs);
  EXPECT_EQ(judgement.stored.at(0).counts.outside, 1);
}

// %b is wrong, %c right for the %b that it loads. Where the plain view may be left out, it is not left out behind %b.
TEST(JudgeTest, AWrongAnchorHidesNothingBehindIt) {
  Fusion fusion("three");
  TensorView* x = fuser::build::input(fusion, DataType::Float, {fusion.extentSymbol("i0")}, "x");
  Val* a = fuser::build::unary(fusion, OpKind::Exp, x, "a");
  Val* b = fuser::build::binary(fusion, OpKind::Mul, a, a, "b");
  Val* c = fuser::build::unary(fusion, OpKind::Neg, b, "c");
  fusion.setOutputs({c});
  fusion.markOrigins();
  DenseArray input(DataType::Float, {1}), first(DataType::Float, {1}), second(DataType::Float, {1}),
      third(DataType::Float, {1});
  *input.as<float>() = 1;
  *first.as<float>() = std::exp(1.0f);
  *second.as<float>() = 3;
  *third.as<float>() = -3;
  RunRecord record;
  record.outputs.push_back(third.ref());
  record.segments.resize(3);
  record.segments[0].outputs.push_back({a->id(), "a", first.ref()});
  record.segments[1].inputs.push_back({a->id(), "a", first.ref()});
  record.segments[1].outputs.push_back({b->id(), "b", second.ref()});
  record.segments[2].inputs.push_back({b->id(), "b", second.ref()});
  record.segments[2].outputs.push_back({c->id(), "c", third.ref()});
  oracle::JudgeOptions options;
  options.allViews = false;
  const Judgement judgement = oracle::judge(fusion, std::vector<HostValue>{input.ref()}, record, options);
  ASSERT_EQ(judgement.stored.size(), 3u);
  EXPECT_EQ(judgement.stored[0].counts.outside, 0);
  EXPECT_EQ(judgement.stored[1].counts.outside, 1);
  EXPECT_EQ(judgement.stored[2].counts.outside, 1);
  EXPECT_EQ(judgement.outputs.at(0).counts.outside, 1);
}

TEST(JudgeTest, FlagsWrongSizesAndDtypes) {
  Chain chain;
  TensorRef& output = std::get<TensorRef>(chain.record.outputs[0]);
  output.sizes = {3};
  Judgement judgement = chain.judge();
  EXPECT_EQ(judgement.verdict, Verdict::Differs);
  EXPECT_NE(judgement.reason.find("has sizes [3], expected [4]"), std::string::npos) << judgement.reason;
  output.sizes = {4};
  output.dtype = DataType::Int32;
  judgement = chain.judge();
  EXPECT_NE(judgement.reason.find("is i32, expected f32"), std::string::npos) << judgement.reason;
}

// n = i64(exp(log(8.0))): 7 or 8, as log and exp round; y has n elements.
struct SizedByScalar {
  Fusion fusion{"sized"};
  Val* n = nullptr;
  std::vector<HostValue> inputs{fuser::ScalarValue(8.0)};
  std::vector<DenseArray> results;

  SizedByScalar() {
    fuser::Scalar* s = fusion.newScalar(DataType::Double, "s");
    fusion.addInput(s);
    Val* e = fuser::build::unary(fusion, OpKind::Exp, fuser::build::unary(fusion, OpKind::Log, s, "l"), "e");
    n = fuser::build::cast(fusion, e, DataType::Int64, "n");
    fusion.addOutput(
        fuser::build::full(fusion, {fusion.scalarSymbol(n)}, fusion.newConstant(1.0), DataType::Float, "y"));
    fusion.markOrigins();
  }
  // Of a run that returns `size` elements, and recorded this number for n.
  Judgement judge(int64_t size, std::optional<int64_t> recorded) {
    DenseArray& result = results.emplace_back(DataType::Float, fuser::Dims{size});
    std::fill_n(result.as<float>(), size, 1.0f);
    RunRecord record;
    record.outputs.push_back(result.ref());
    if (recorded) record.extents.emplace_back(n->id(), *recorded);
    return oracle::judge(fusion, inputs, record);
  }
};

TEST(JudgeTest, AnExtentOfAnUncertainScalarIsTheRunsOwn) {
  SizedByScalar sized;
  for (int64_t number : {7, 8}) {
    const Judgement judgement = sized.judge(number, number);
    EXPECT_EQ(judgement.verdict, Verdict::Agrees) << oracle::toString(judgement);
    EXPECT_EQ(judgement.total.decided, number);
  }
  const Judgement otherSize = sized.judge(7, 8);
  EXPECT_EQ(otherSize.verdict, Verdict::Differs);
  EXPECT_EQ(otherSize.reason, "%y has sizes [7], expected [8]");
  EXPECT_EQ(sized.judge(8, std::nullopt).verdict, Verdict::Unsupported);
}

TEST(JudgeTest, AnExtentOutsideTheSetOfItsScalarDiffers) {
  SizedByScalar sized;
  const Judgement judgement = sized.judge(9, 9);
  EXPECT_EQ(judgement.verdict, Verdict::Differs);
  EXPECT_EQ(judgement.reason, "%n is 9 where it sets a size, accepted [7, 8]");
}

// Another special value, or a number, for a special one; another number for a zero.
double wrongSpecial(double value, uint64_t draw) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double others[] = {1.0, kInfinity, -kInfinity, std::nan("")};
  for (size_t i = 0;; ++i) {
    const double other = others[(draw + i) % std::size(others)];
    if (std::isnan(value) ? !std::isnan(other) : other != value) return other;
  }
}

// One element moved by that share of its size, or made another integer, special value or truth, in a random stored
// value.
bool plantFault(RunRecord& record, std::mt19937_64& random, double share) {
  std::vector<TensorRef> places;
  for (const fuser::SegmentRecord& segment : record.segments) {
    for (const fuser::BoundaryValue& output : segment.outputs) {
      const auto* ref = std::get_if<TensorRef>(&output.value);
      if (ref && fuser::numel(ref->sizes) > 0 && output.origin) places.push_back(*ref);
    }
  }
  if (places.empty()) return false;
  const TensorRef& ref = places[random() % places.size()];
  const size_t at = random() % static_cast<size_t>(fuser::numel(ref.sizes));
  return fuser::dispatch(ref.dtype, [&]<class T>() {
    T& element = static_cast<T*>(ref.data)[at];
    const auto old = fuser::widen(element);
    if (!fuser::isFloating(ref.dtype)) {
      element = fuser::convert<T>(
          static_cast<fuser::int64>(ref.dtype == DataType::Bool ? !old : static_cast<fuser::int64>(old) + 1));
      return true;
    }
    const double value = static_cast<double>(old);
    if (!std::isfinite(value) || value == 0) {
      element = fuser::convert<T>(wrongSpecial(value, random()));
      return true;
    }
    if (std::fabs(value) < std::ldexp(1.0, oracle::format(ref.dtype).minExponent)) return false;
    // At least two steps of the dtype, away from zero or towards it.
    const double step = std::max(std::fabs(value) * share, 2 * oracle::ulp(value, ref.dtype));
    element = fuser::convert<T>(value + (random() % 2 ? step : -step));
    return static_cast<double>(fuser::widen(element)) != value;
  });
}

class PlantedFaultTest : public testing::TestWithParam<int> {};

// Of 2^-6 and 2^-10 of an element's size.
TEST_P(PlantedFaultTest, IsCaughtInProbedRuns) {
  reference::useOneThread();
  fuser::fuzz::GeneratorOptions options;
  options.medianElements = 64;
  options.exclude = {OpKind::Cond};  // what is judged of a run is the side that it takes
  int planted = 0, caught = 0;
  for (uint64_t number = 0; number < 400; ++number) {
    Case testCase = fuser::functionalCase(fuser::fuzz::generateCase(21, number, options));
    testCase.fusion->markOrigins();
    std::mt19937_64 random(number);
    const RunData data = fuser::materialize(testCase, testCase.runs[0]);
    const std::vector<HostValue> inputs = hostValues(data);
    Adversary adversary;
    adversary.probes = true;
    RunRecord record = runAdversarially(*testCase.fusion, inputs, adversary, random);
    if (!plantFault(record, random, std::ldexp(1.0, -GetParam()))) continue;
    ++planted;
    caught += oracle::judge(*testCase.fusion, inputs, record, {{}, true, true, 5}).verdict == Verdict::Differs;
  }
  std::printf("planted faults of 2^-%d: %d of %d caught\n", GetParam(), caught, planted);
  EXPECT_GT(planted, 200);
  EXPECT_GE(caught, 0.99 * planted);
}

INSTANTIATE_TEST_SUITE_P(Shares, PlantedFaultTest, testing::Values(6, 10));

// Kernels of one op whose row says exactly rounded: four steps off is wrong, as is any other integer.
TEST(JudgeTest, CatchesFourUlpInExactOps) {
  reference::useOneThread();
  std::mt19937_64 random(5);
  int planted = 0, caught = 0;
  for (OpKind op : fuser::kAllOps) {
    const fuser::OpInfo& info = fuser::opInfo(op);
    if (!fuser::isPointwise(op) || info.error != 0 || info.rule == fuser::IntervalRule::Formula ||
        info.result == fuser::Result::Bool || !fuser::namedOperands(op).empty()) {
      continue;
    }
    for (DataType dtype : {DataType::Float, DataType::Double, DataType::Half, DataType::BFloat16}) {
      if (!fuser::acceptsDtype(op, dtype)) continue;
      fuser::Fusion fusion("one");
      const fuser::IntExpr n = fusion.extentSymbol("i0");
      std::vector<Val*> operands;
      std::vector<DenseArray> arrays;
      std::vector<HostValue> inputs;
      for (size_t i = 0; i < fuser::operandCount(op); ++i) {
        const DataType type = fuser::takesCondition(op, i) ? DataType::Bool : dtype;
        operands.push_back(fuser::build::input(fusion, type, {n}, fuser::concat("x", i)));
        arrays.emplace_back(type, fuser::Dims{64});
        fuser::dispatch(type, [&]<class T>() {
          for (size_t k = 0; k < 64; ++k)
            arrays.back().as<T>()[k] = fuser::convert<T>(std::normal_distribution(0.0, 2.0)(random));
        });
      }
      for (const DenseArray& array : arrays) inputs.push_back(array.ref());
      Val* result = fuser::build::pointwise(fusion, op, operands);
      fusion.setOutputs({result});
      fusion.markOrigins();
      RunRecord record = runAdversarially(fusion, inputs, {}, random);
      EXPECT_NE(oracle::judge(fusion, inputs, record).verdict, Verdict::Differs) << info.name << " of " << dtype;
      const TensorRef& ref = std::get<TensorRef>(record.outputs[0]);
      const bool moved = fuser::dispatch(dtype, [&]<class T>() {
        T& element = static_cast<T*>(ref.data)[random() % 64];
        const double value = static_cast<double>(fuser::widen(element));
        if (!std::isfinite(value) || std::fabs(value) < oracle::format(dtype).smallest * 0x1p60) return false;
        const double step = 4 * oracle::ulp(value, dtype);
        element = fuser::convert<T>(random() % 2 ? value + step : value - step);
        return true;
      });
      if (!moved) continue;
      ++planted;
      const bool found = oracle::judge(fusion, inputs, record).verdict == Verdict::Differs;
      caught += found;
      if (!found)
        std::printf("missed: %s of %s\n", std::string(info.name).c_str(), std::string(fuser::dtypeName(dtype)).c_str());
    }
  }
  std::printf("four ulp off: %d of %d caught\n", caught, planted);
  EXPECT_GT(planted, 60);
  EXPECT_GE(caught, 0.99 * planted);
}

// Ops whose LibTorch kernels leave the fusions' semantics on some operands: see boxes_test.cpp; and prod, which
// multiplies in 16 bits on the CPU.
std::set<OpKind> outliers() {
  return {OpKind::Prod, OpKind::Sqrt, OpKind::Rsqrt, OpKind::Erf, OpKind::TruncDiv, OpKind::FloorDiv, OpKind::Fmod,
          OpKind::Remainder, OpKind::Gelu, OpKind::Softsign, OpKind::Logit, OpKind::Tanhshrink, OpKind::Xlogy,
          OpKind::Lerp, OpKind::Addcmul,
          // Of f32 LibTorch's are infinite from 89 on, where the result is a number still.
          OpKind::Cosh, OpKind::Sinh,
          // It adds squares of f32 in f64, whose sum overflows later.
          OpKind::Var, OpKind::VarMean,
          // The language has no sign of a NaN.
          OpKind::Signbit, OpKind::Copysign,
          // LibTorch refuses a negative lambd, and alpha = 0.
          OpKind::Softshrink, OpKind::Celu,
          // What is judged of a run is the side that it takes.
          OpKind::Cond};
}

// On the CPU LibTorch rounds a scalar that stands in front of 16 bits to them (oracle/ORACLE.md#2-rounding).
bool hasScalarBefore16Bits(const fuser::Fusion& fusion) {
  const std::vector<fuser::Expr*>& exprs = fusion.exprs();
  return std::any_of(exprs.begin(), exprs.end(), [](const fuser::Expr* expr) {
    return expr->family() == fuser::Family::Binary && expr->output()->isTensor() && expr->input(0)->isScalar() &&
           fuser::dtypeSize(expr->input(1)->dtype()) == 2;
  });
}

TEST(JudgeTest, AcceptsLibTorchsOwnAnswer) {
  reference::useOneThread();
  fuser::fuzz::GeneratorOptions options;
  options.medianElements = 64;
  options.exclude = outliers();
  for (uint64_t number = 0; number < 400; ++number) {
    Case testCase = fuser::functionalCase(fuser::fuzz::generateCase(22, number, options));
    if (hasScalarBefore16Bits(*testCase.fusion)) continue;
    testCase.fusion->markOrigins();
    for (const fuser::Run& run : testCase.runs) {
      if (run.expectation != fuser::Expectation::Agrees) continue;  // LibTorch refuses it
      const RunData data = fuser::materialize(testCase, run);
      const std::vector<HostValue> inputs = hostValues(data);
      std::vector<reference::Value> operands;
      for (const HostValue& input : inputs) operands.push_back({input, nullptr});
      const auto values = reference::evaluate(*testCase.fusion, operands);
      RunRecord record;
      for (const Val* output : testCase.fusion->outputs()) {
        const auto* scalar = output->isScalar() ? output->as<fuser::Scalar>() : nullptr;
        if (scalar && scalar->isConstant())
          record.outputs.push_back(*scalar->constant());
        else
          record.outputs.push_back(values[output->id()].value().value);
      }
      const Judgement judgement = oracle::judge(*testCase.fusion, inputs, record);
      EXPECT_NE(judgement.verdict, Verdict::Differs)
          << "case " << number << " " << oracle::toString(judgement) << fuser::printCase(testCase);
    }
  }
}

}  // namespace
}  // namespace oracle_test
