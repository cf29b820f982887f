// Boxes (oracle/ORACLE.md#boxes-not-points): for every row and dtype, random sets of operands; what the row gives on
// samples inside (true values from MPFR, the error column's extremes around them, LibTorch's own results) must lie in
// the set that the oracle computes. FUSER_FULL=1 runs a hundred times as many.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>

#include "fuser/ir/builder.h"
#include "oracle/compare.h"
#include "oracle/reference/reference.h"
#include "oracle/rounding.h"
#include "oracle/rule_group.h"
#include "oracle/slice.h"
#include "oracle/whole_rules.h"
#include "tests/in_full.h"
#include "tests/oracle/boxes.h"
#include "tests/oracle/true_value.h"

namespace oracle_test {
namespace {

using fuser::DataType;
using fuser::Dims;
using fuser::Family;
using fuser::OpKind;
using oracle::Interval;
using oracle::Value;
using oracle::Whole;

constexpr size_t kSamples = 6;  // an operand

// Where LibTorch's own CPU kernels leave the semantics that fusions have. The true values decide; no column widens for
// it. `where`: of the operands' numbers; null: everywhere.
struct Outlier {
  OpKind op;
  bool only16Bits;
  bool (*where)(double a, double b);
  const char* reason;
};
bool largeQuotient(double a, double b) { return !(std::fabs(a / b) < 0x1p20); }
bool denormal(double a, double) { return std::fabs(a) < 0x1p-126; }
bool huge(double a, double) { return std::fabs(a) > 0x1p120; }
bool nearOverflow(double a, double) {
  return (std::fabs(a) > 88.5 && std::fabs(a) < 90) || (std::fabs(a) > 709 && std::fabs(a) < 710.5);
}
constexpr Outlier kOutliers[] = {
    {OpKind::Log1p, false, denormal, "the f32 vector log1p flushes a negative denormal to +0"},
    {OpKind::Sqrt, false, nullptr, "MKL's vector square root is off by an ulp, in f32 and f64"},
    {OpKind::Rsqrt, true, nullptr,
     "the square root is rounded to 16 bits before it divides; one op is one rounding here"},
    {OpKind::Erf, true, nullptr, "the 16-bit kernel has an absolute error: it flushes small operands to zero"},
    {OpKind::Gelu, false, huge, "the vector kernel gives NaN or infinity there"},
    {OpKind::Sinh, false, nearOverflow, "the vector sinh overflows at 88.5 in f32, at 709.8 in f64"},
    {OpKind::Cosh, false, nearOverflow, "the vector cosh overflows at 88.5 in f32, at 709.8 in f64"},
    {OpKind::Softsign, true, nullptr, "made of three ops there, each rounded to 16 bits"},
    {OpKind::Tanhshrink, true, nullptr, "made of two ops there, each rounded to 16 bits"},
    {OpKind::Logit, true, nullptr, "each step is rounded to 16 bits"},
    {OpKind::Xlogy, true, nullptr, "the logarithm is rounded to 16 bits before it is multiplied"},
    {OpKind::TruncDiv, true, nullptr,
     "the quotient is rounded to 16 bits before it is truncated; one op is one rounding here"},
    {OpKind::FloorDiv, true, nullptr, "each step is rounded to 16 bits"},
    {OpKind::FloorDiv, false, largeQuotient, "the vector fmod inside is wrong or NaN for large quotients"},
    {OpKind::Fmod, false, largeQuotient, "the vector fmod is wrong or NaN for large quotients"},
    {OpKind::Remainder, false, largeQuotient, "the vector fmod inside is wrong or NaN for large quotients"},
};

bool isOutlier(OpKind op, DataType dtype, double a, double b) {
  for (const Outlier& outlier : kOutliers) {
    if (outlier.op != op || (outlier.only16Bits && fuser::computeType(dtype) == dtype)) continue;
    if (!outlier.where || outlier.where(a, b)) return true;
  }
  return false;
}

// LibTorch's vector kernels of these fuse the product with the sum, those for the rest of an array do not: what is
// between may be off by the product's rounding.
Interval withFusedProduct(OpKind op, Interval set, const std::array<double, 3>& x, DataType dtype) {
  if (op != OpKind::Lerp && op != OpKind::Addcmul) return set;
  const double size = std::max({std::fabs(x[0]), std::fabs(x[1]), std::fabs(x[2] * x[1]), std::fabs(x[2] * x[0])});
  const double slack = 4 * oracle::ulp(std::min(size, oracle::format(dtype).largest), dtype);
  set.lo -= slack;
  set.hi += slack;
  if (set.hasZero()) set.flags |= oracle::kZeros;
  // What overflows on one way to the result need not do so on the other.
  if (size * 2 > oracle::format(dtype).largest) return Interval::everything(oracle::format(dtype).largest);
  return set;
}

// The f32 vector gelu has an erf of its own, whose error is absolute. An end in 16 bits stands for what is up to half a
// step beyond it before the rounding, and LibTorch's error comes before the rounding too.
Interval withOwnErf(OpKind op, Interval set, const std::array<double, 3>& x, DataType dtype) {
  if (op != OpKind::Gelu) return set;
  const double slack = 4 * oracle::ulp(std::max(1.0, std::min(std::fabs(x[0]), 0x1p120)), DataType::Float);
  const auto halfStep = [&](double end) {
    return fuser::computeType(dtype) == dtype ? 0 : oracle::ulp(end, dtype) / 2;
  };
  set.lo = oracle::roundOnce(set.lo - halfStep(set.lo) - slack, dtype);
  set.hi = oracle::roundOnce(set.hi + halfStep(set.hi) + slack, dtype);
  if (set.hasZero()) set.flags |= oracle::kZeros;
  return set;
}

size_t boxCount() { return fuser::inFull() ? 30000 : 300; }

Value tensorOf(DataType dtype, std::vector<Interval> real, std::vector<Whole> whole) {
  Value value;
  value.dtype = dtype;
  value.sizes = {static_cast<int64_t>(real.size() + whole.size())};
  value.strides = {1};
  if (fuser::isFloating(dtype))
    value.real = std::make_shared<const std::vector<Interval>>(std::move(real));
  else
    value.whole = std::make_shared<const std::vector<Whole>>(std::move(whole));
  return value;
}

// Sampled operands of one row, as memory for LibTorch, with the box that each comes from.
struct Samples {
  std::vector<std::vector<std::byte>> memory;  // an operand
  std::vector<std::array<double, 3>> numbers;  // floating operands
  std::vector<size_t> box;
};

class Row {
 public:
  Row(OpKind op, DataType dtype) : op_(op), dtype_(dtype), fusion_("row") {
    const fuser::IntExpr n = fusion_.extentSymbol("i0");
    std::vector<fuser::Val*> operands;
    for (size_t i = 0; i < fuser::operandCount(op); ++i) {
      if (isNamed(i)) {
        operands.push_back(fusion_.newScalar(scalarType(), fuser::concat("x", i)));
        fusion_.addInput(operands.back());
      } else {
        operands.push_back(fuser::build::input(fusion_, operandType(i), {n}, fuser::concat("x", i)));
      }
    }
    result_ = fuser::build::pointwise(fusion_, op, operands);
  }

  DataType operandType(size_t i) const { return fuser::takesCondition(op_, i) ? DataType::Bool : dtype_; }
  // A scalar that stands in braces: one value a draw.
  bool isNamed(size_t i) const { return i + fuser::namedOperands(op_).size() >= arity(); }
  DataType scalarType() const { return fuser::isFloating(dtype_) ? DataType::Double : DataType::Int64; }
  const fuser::Expr& expr() const { return *result_->definition(); }
  size_t arity() const { return fuser::operandCount(op_); }

  void run(Random& random, size_t boxes) {
    drawBoxes(random, boxes);
    sets_ = oracle::pointwise(expr(), operands_, {});
    drawSamples(random, boxes);
    compareWithLibTorch();
    if (fuser::isFloating(dtype_) && fuser::isFloating(result_->dtype())) compareWithTruth();
  }

 private:
  void drawBoxes(Random& random, size_t boxes) {
    operands_.clear();
    named_.clear();
    for (size_t i = 0; i < arity(); ++i) {
      if (isNamed(i)) {
        drawNamed(random);
        continue;
      }
      std::vector<Interval> real;
      std::vector<Whole> whole;
      for (size_t box = 0; box < boxes; ++box) {
        if (fuser::isFloating(operandType(i)))
          real.push_back(randomInterval(random, operandType(i)));
        else
          whole.push_back(randomWhole(random, operandType(i)));
      }
      operands_.push_back(tensorOf(operandType(i), std::move(real), std::move(whole)));
    }
  }

  void drawNamed(Random& random) {
    // Numbers of f32, so that what LibTorch derives of them in f64 and we in f32 is the same.
    constexpr double kValues[] = {1, 0.5, 2, 0.25, 1.5, -1, 3, 20, 0.0, double{0.3f}};
    double number = kValues[random() % std::size(kValues)];
    if (op_ == OpKind::Celu && number == 0) number = 4;         // LibTorch refuses 0
    if (op_ == OpKind::Softshrink) number = std::fabs(number);  // and negative ones
    const fuser::ScalarValue value =
        fuser::isFloating(dtype_) ? fuser::ScalarValue(number) : fuser::ScalarValue(static_cast<int64_t>(number * 4));
    named_.push_back(value);
    if (fuser::opInfo(op_).domain == fuser::Domain::Bounds && named_.size() == 2 && isAbove(named_[0], named_[1])) {
      std::swap(named_[0], named_[1]);
      operands_.back() = oracle::exact(named_[0]);
    }
    operands_.push_back(oracle::exact(named_.back()));
  }
  static bool isAbove(const fuser::ScalarValue& low, const fuser::ScalarValue& high) {
    return low.as<double>() > high.as<double>();
  }

  // Outside the row's domain the language has values of its own; LibTorch raises there, or traps.
  bool isGuarded(const std::array<int64_t, 3>& whole) const {
    if (fuser::isFloating(dtype_)) return false;
    const int64_t lowest = oracle::fullRange(dtype_).lo;
    switch (fuser::opInfo(op_).domain) {
      case fuser::Domain::Any: return false;
      case fuser::Domain::Divisor: return whole[1] == 0 || (whole[1] == -1 && whole[0] == lowest);
      case fuser::Domain::Exponent: return whole[1] < 0;
      case fuser::Domain::Magnitude: return whole[0] == lowest;
      case fuser::Domain::Bounds: return false;  // `named_` are in order
    }
    return false;
  }

  template <class T>
  static void append(std::vector<std::byte>& memory, T value) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    memory.insert(memory.end(), bytes, bytes + sizeof(T));
  }
  static void appendAs(std::vector<std::byte>& memory, DataType dtype, double real, int64_t whole) {
    fuser::dispatch(dtype, [&]<class T>() {
      append(memory,
             fuser::isFloating(dtype) ? fuser::convert<T>(real) : fuser::convert<T>(static_cast<fuser::int64>(whole)));
    });
  }

  void drawSamples(Random& random, size_t boxes) {
    samples_ = {};
    samples_.memory.resize(arity());
    for (size_t box = 0; box < boxes; ++box) {
      std::vector<std::vector<double>> real(3);
      std::vector<std::vector<int64_t>> whole(3);
      size_t count = 1;
      for (size_t i = 0; i < drawn(); ++i) {
        const int64_t at = static_cast<int64_t>(box);
        if (fuser::isFloating(operandType(i)))
          real[i] = samples(random, operands_[i].realAt(at), operandType(i), kSamples);
        else
          whole[i] = samples(random, operands_[i].wholeAt(at), kSamples);
        count *= std::max(real[i].size(), whole[i].size());
      }
      for (size_t k = 0; k < count; ++k) {
        std::array<double, 3> numbers{};
        std::array<int64_t, 3> wholes{};
        size_t rest = k;
        for (size_t i = 0; i < drawn(); ++i) {
          const size_t size = std::max(real[i].size(), whole[i].size());
          if (!real[i].empty())
            numbers[i] = real[i][rest % size];
          else
            wholes[i] = whole[i][rest % size];
          rest /= size;
        }
        if (isGuarded(wholes)) continue;
        for (size_t i = 0; i < drawn(); ++i) appendAs(samples_.memory[i], operandType(i), numbers[i], wholes[i]);
        samples_.numbers.push_back(numbers);
        samples_.box.push_back(box);
      }
    }
  }

  // Operands with samples; the named ones follow.
  size_t drawn() const { return arity() - fuser::namedOperands(op_).size(); }

  std::string describe(size_t sample) const {
    std::string text(fuser::opName(op_));
    text += " of " + std::string(fuser::dtypeName(dtype_));
    const int64_t box = static_cast<int64_t>(samples_.box[sample]);
    for (const fuser::ScalarValue& value : named_) text += " with " + value.toString();
    for (size_t i = 0; i < drawn(); ++i) {
      text += "\n  operand " + (operands_[i].real ? fuser::concat(oracle::toString(operands_[i].realAt(box)), " at ",
                                                                  samples_.numbers[sample][i])
                                                  : oracle::toString(operands_[i].wholeAt(box), operands_[i].dtype));
    }
    return text + "\n  accepts " +
           (sets_.real ? oracle::toString(sets_.realAt(box)) : oracle::toString(sets_.wholeAt(box), sets_.dtype));
  }

  void compareWithLibTorch() {
    std::vector<reference::Value> operands;
    const int64_t count = static_cast<int64_t>(samples_.box.size());
    for (size_t i = 0; i < drawn(); ++i) {
      operands.push_back({fuser::TensorRef{samples_.memory[i].data(), operandType(i), {count}, {1}, {}}, nullptr});
    }
    for (const fuser::ScalarValue& value : named_) operands.push_back({value, nullptr});
    const reference::Value result = reference::evaluate(expr(), operands, {});
    const Value actual = oracle::exact(std::get<fuser::TensorRef>(result.value));
    size_t reported = 0;
    for (size_t sample = 0; sample < samples_.box.size() && reported < 3; ++sample) {
      const int64_t at = static_cast<int64_t>(sample);
      const int64_t box = static_cast<int64_t>(samples_.box[sample]);
      if (fuser::isFloating(dtype_) && isOutlier(op_, dtype_, samples_.numbers[sample][0], samples_.numbers[sample][1]))
        continue;
      const bool inside =
          sets_.whole ? sets_.wholeAt(box).lo <= actual.wholeAt(at).lo && actual.wholeAt(at).lo <= sets_.wholeAt(box).hi
                      : oracle::contains(forLibTorch(sets_.realAt(box), sample), actual.realAt(at).single());
      if (inside) continue;
      ++reported;
      ADD_FAILURE() << describe(sample) << "\n  LibTorch gives "
                    << (actual.whole ? oracle::toString(actual.wholeAt(at), actual.dtype)
                                     : oracle::toString(actual.realAt(at)));
    }
  }

  Interval forLibTorch(const Interval& set, size_t sample) const {
    const std::array<double, 3>& x = samples_.numbers[sample];
    return withOwnErf(op_, withFusedProduct(op_, set, x, dtype_), x, dtype_);
  }

  // The true value, and what the error column allows around it.
  void compareWithTruth() {
    const DataType compute = fuser::computeType(dtype_);
    const int error = static_cast<int>(fuser::opInfo(op_).error);
    size_t reported = 0;
    for (size_t sample = 0; sample < samples_.box.size() && reported < 3; ++sample) {
      const auto& x = samples_.numbers[sample];
      const std::optional<double> truth = trueValue(op_, x[0], x[1], compute);
      if (!truth) return;
      for (int off : {0, -error, error}) {
        // Functions that are exact at a zero or one, and never change their sign, stay so.
        if (off && (!std::isfinite(*truth) || *truth == 0 || x[0] == 0 || std::isinf(x[0]))) continue;
        if (off && op_ == OpKind::Pow && (x[0] == 1 || x[1] == 0 || std::isinf(x[1]))) continue;
        double value = *truth;
        for (int i = 0; i < std::abs(off); ++i) value = step(value, off > 0, compute);
        if (std::signbit(value) != std::signbit(*truth)) value = std::copysign(0.0, *truth);
        value = oracle::convertTo(value, dtype_);
        if (oracle::contains(sets_.realAt(static_cast<int64_t>(samples_.box[sample])), value)) continue;
        ++reported;
        ADD_FAILURE() << describe(sample) << "\n  true value " << *truth << " moved by " << off << " ulp: " << value;
      }
    }
  }

  static double step(double value, bool up, DataType compute) {
    const double towards = up ? oracle::kInfinity : -oracle::kInfinity;
    if (compute == DataType::Double) return std::nextafter(value, towards);
    return static_cast<double>(std::nextafter(static_cast<float>(value), static_cast<float>(towards)));
  }

  OpKind op_;
  DataType dtype_;
  fuser::Fusion fusion_;
  fuser::Val* result_;
  std::vector<Value> operands_;
  std::vector<fuser::ScalarValue> named_;
  Value sets_;
  Samples samples_;
};

class BoxesTest : public testing::TestWithParam<OpKind> {};

// The column and the code that judges by it.
TEST(RuleGroupTest, FormulasAreThoseOfTheTable) {
  for (OpKind op : fuser::kAllOps) {
    const oracle::RuleGroup group = oracle::ruleGroup(op);
    EXPECT_EQ(group == oracle::RuleGroup::Formula, fuser::opInfo(op).rule == fuser::IntervalRule::Formula)
        << fuser::opName(op);
    const bool isPointwise = group < oracle::RuleGroup::Structural;
    EXPECT_EQ(isPointwise, fuser::isPointwise(op)) << fuser::opName(op);
  }
}

TEST_P(BoxesTest, HoldTrueValues) {
  reference::useOneThread();
  for (DataType dtype : fuser::kAllDataTypes) {
    if (!fuser::acceptsDtype(GetParam(), dtype)) continue;
    if (fuser::promotedType(GetParam(), dtype, false) != dtype) continue;
    Random random(static_cast<uint64_t>(GetParam()) * 16 + static_cast<uint64_t>(dtype));
    Row row(GetParam(), dtype);
    for (size_t done = 0; done < boxCount(); done += 300) row.run(random, 300);
  }
}

std::vector<OpKind> pointwiseOps() {
  std::vector<OpKind> ops;
  for (OpKind op : fuser::kAllOps) {
    if (fuser::isPointwise(op)) ops.push_back(op);
  }
  return ops;
}

INSTANTIATE_TEST_SUITE_P(Rows, BoxesTest, testing::ValuesIn(pointwiseOps()),
                         [](const auto& row) { return std::string(fuser::opName(row.param)); });

}  // namespace
}  // namespace oracle_test
