// The rows of approximations.def against MPFR: the adversary's results lie within the manual's bounds and reach them.

#include <gtest/gtest.h>
#include <mpfr.h>

#include <cmath>
#include <map>

#include "fuser/support/split_mix.h"
#include "tests/fuser/ptx/kernel.h"
#include "tests/fuser/ptx/rows.h"

namespace fuser::ptx {
namespace {

bool isApproximation(std::string_view opcode) {
  return opcode.find(".approx.") != opcode.npos || opcode.starts_with("div.full.");
}

// --- numbers as bits ---

uint64_t bitsOfFloat(float value) { return std::bit_cast<uint32_t>(value); }
double numberOf(Type type, uint64_t bits) {
  switch (type) {
    case Type::F16: return Half::ofBits(static_cast<uint16_t>(bits));
    case Type::BF16: return Bfloat::ofBits(static_cast<uint16_t>(bits));
    case Type::F32: return std::bit_cast<float>(static_cast<uint32_t>(bits));
    default: return std::bit_cast<double>(bits);
  }
}
bool isSame(double a, double b) { return b != b ? a != a : a == b && std::signbit(a) == std::signbit(b); }
int64_t steps(float from, float to) {
  const auto place = [](float value) {
    const auto size = static_cast<int64_t>(bitsOfFloat(std::fabs(value)));
    return std::signbit(value) ? -size : size;
  };
  return place(to) - place(from);
}
uint64_t flushed(uint64_t bits) { return (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits; }

// --- operands ---

std::vector<uint64_t> samplesOf(Type type) {
  std::vector<uint64_t> samples;
  if (bitsOf(type) == 16) {
    for (uint64_t bits = 0; bits < 0x10000; ++bits) samples.push_back(bits);
    return samples;
  }
  const int fraction = type == Type::F32 ? 23 : 52;
  const uint64_t ones = (uint64_t{1} << fraction) - 1;
  for (uint64_t top = 0; top < (uint64_t{1} << (bitsOf(type) - fraction)); ++top) {
    for (uint64_t low : {uint64_t{0}, uint64_t{1}, ones / 2 + 1, ones, ones - 1, splitMix64(top) & ones})
      samples.push_back(top << fraction | low);
  }
  for (uint64_t i = 0; i < 20000; ++i) samples.push_back(splitMix64(i) & everyBit(type));
  for (int i = 0; i < 20000 && type == Type::F32; ++i)  // where sines and logarithms have narrow ranges
    samples.push_back(bitsOfFloat(static_cast<float>(i < 10000 ? (i - 5000) / 700.0 : i / 8000.0)));
  return samples;
}
// Of two operands the second is another one of the samples.
std::vector<RowOperands> operandsOf(const Row& row) {
  const std::vector<uint64_t> samples = samplesOf(row.operands[0]);
  std::vector<RowOperands> operands;
  for (size_t i = 0; i < samples.size(); ++i) operands.push_back({samples[i], samples[splitMix64(i) % samples.size()]});
  return operands;
}

// --- what the manual says ---

struct Promise {
  enum Kind { Nearest, Ulps, Relative, Absolute, UpToOne } kind;
  double size = 0;
  auto operator<=>(const Promise&) const = default;
};

bool isPowerOf(double base, double a) { return std::fmod(std::log2(a), std::log2(base)) == 0 && std::log2(a) < 200; }

Promise promiseOf(const std::string& name, Type type, double a) {
  if (a == 0 || !std::isfinite(a)) return {Promise::Nearest};
  if (name == "ex2" && std::fmod(a, 1) == 0) return {Promise::Nearest};
  if (name == "rcp" && isPowerOf(2, std::fabs(a))) return {Promise::Nearest};
  if (name == "rsqrt" && isPowerOf(4, a)) return {Promise::Nearest};
  if (name == "ex2" && type == Type::F32) return {Promise::Ulps, 2};
  if (name == "ex2") return {Promise::Relative, type == Type::F16 ? std::exp2(-9.9) : std::exp2(-7)};
  if (name == "lg2") return {a > 0.5 && a < 2 ? Promise::Absolute : Promise::Relative, std::exp2(-22)};
  if (name == "rcp") return {Promise::Ulps, 1};
  if (name == "rsqrt") return {Promise::Relative, std::exp2(-22.9)};
  if (name == "sqrt") return {Promise::Relative, std::exp2(-23)};
  if (name == "sin" || name == "cos") {
    if (std::fabs(a) > 100 * M_PI) return {Promise::UpToOne, 1};
    return {Promise::Absolute, std::exp2(std::fabs(a) > 2 * M_PI ? -14.7 : -20.5)};
  }
  if (name == "tanh" && type == Type::F32)
    return std::fabs(a) < 0x1p-126 ? Promise{Promise::Nearest} : Promise{Promise::Relative, std::exp2(-11)};
  if (name == "tanh") return {Promise::Absolute, type == Type::F16 ? std::exp2(-10.987) : std::exp2(-8)};
  if (name == "div") return {Promise::Ulps, 2};
  ADD_FAILURE() << "the manual says what of " << name;
  return {};
}

// --- the exact results ---

class Exact {
 public:
  Exact() {
    for (mpfr_t& each : numbers_) mpfr_init2(each, 120);
  }
  ~Exact() {
    for (mpfr_t& each : numbers_) mpfr_clear(each);
  }
  Exact(const Exact&) = delete;
  Exact& operator=(const Exact&) = delete;

  void set(const std::string& name, double a, double b) {
    mpfr_set_d(a_, a, MPFR_RNDN);
    mpfr_set_d(b_, b, MPFR_RNDN);
    if (name == "ex2") mpfr_exp2(exact_, a_, MPFR_RNDN);
    if (name == "lg2") mpfr_log2(exact_, a_, MPFR_RNDN);
    if (name == "rcp") mpfr_ui_div(exact_, 1, a_, MPFR_RNDN);
    if (name == "rsqrt") mpfr_rec_sqrt(exact_, a_, MPFR_RNDN);
    if (name == "sqrt") mpfr_sqrt(exact_, a_, MPFR_RNDN);
    if (name == "sin") mpfr_sin(exact_, a_, MPFR_RNDN);
    if (name == "cos") mpfr_cos(exact_, a_, MPFR_RNDN);
    if (name == "tanh") mpfr_tanh(exact_, a_, MPFR_RNDN);
    if (name == "div") mpfr_div(exact_, a_, b_, MPFR_RNDN);
    if (name == "rsqrt" && a == 0) mpfr_set_inf(exact_, std::signbit(a) ? -1 : 1);  // MPFR has one zero's alone
  }
  // The result's error as a part of the bound.
  double partOf(const Promise& promise, double result) {
    if (promise.kind == Promise::Ulps)
      return static_cast<double>(steps(nearest(), static_cast<float>(result))) / promise.size;
    if (promise.kind == Promise::UpToOne) return result;
    mpfr_sub_d(b_, exact_, result, MPFR_RNDN);
    mpfr_neg(b_, b_, MPFR_RNDN);
    mpfr_div_d(b_, b_, promise.size, MPFR_RNDN);
    mpfr_abs(a_, exact_, MPFR_RNDN);
    if (promise.kind == Promise::Relative) mpfr_div(b_, b_, a_, MPFR_RNDN);
    return mpfr_get_d(b_, MPFR_RNDN);
  }
  float nearest() const { return mpfr_get_flt(exact_, MPFR_RNDN); }
  double value() const { return mpfr_get_d(exact_, MPFR_RNDN); }

 private:
  mpfr_t numbers_[3];
  mpfr_t &a_ = numbers_[0], &b_ = numbers_[1], &exact_ = numbers_[2];
};

std::string nameOf(const Row& row) { return std::string(row.opcode.substr(0, row.opcode.find('.'))); }

// How far errors go, as parts of one bound, and how many of them more than half of it.
struct Reach {
  double least = 0, most = 0;
  int all = 0, below = 0, above = 0;
};

// --- tests ---

TEST(ApproximationsTest, NearestOnesAreTheExactResultsRounded) {
  Exact exact;
  int rows = 0;
  for (const Row& row : instructionTable()) {
    if (!isApproximation(row.opcode) || row.result != Type::F32 || row.opcode.find(".ftz.") != row.opcode.npos)
      continue;
    ++rows;
    const std::vector<RowOperands> operands = operandsOf(row);
    const std::vector<uint64_t> results = resultsOf(row, operands);
    for (size_t i = 0; i < operands.size(); ++i) {
      const double divisor = numberOf(Type::F32, operands[i][1]);
      if (row.opcode == "div.approx.f32" && std::fabs(divisor) > 0x1p126 && std::isfinite(divisor)) continue;
      exact.set(nameOf(row), numberOf(Type::F32, operands[i][0]), divisor);
      ASSERT_PRED2(isSame, numberOf(Type::F32, results[i]), exact.nearest())
          << row.opcode << " of " << numberOf(Type::F32, operands[i][0]);
    }
  }
  EXPECT_EQ(rows, 10);
}

TEST(ApproximationsTest, QuotientsByTheLargestNumbersAreZeros) {
  for (Approximation approximation : {Approximation::Nearest, Approximation::Adversarial}) {
    const auto quotient = [&](float a, float b) {
      const RowOperands operands{std::bit_cast<uint32_t>(a), std::bit_cast<uint32_t>(b)};
      return numberOf(Type::F32, resultsOf(rowNamed("div.approx.f32", approximation), {operands}).front());
    };
    EXPECT_EQ(quotient(0x1p127f, 0x1p127f), 0);
    EXPECT_TRUE(std::signbit(quotient(-1, 0x1.8p126f)));
    EXPECT_TRUE(std::isnan(quotient(INFINITY, 0x1p127f)));
    EXPECT_NEAR(quotient(0x1p127f, 0x1p126f), 2, 0x1p-20);
  }
}

TEST(ApproximationsTest, AdversarialOnesLieWithinTheManualsBoundsAndReachThem) {
  Exact exact;
  int rows = 0;
  for (const Row& row : instructionTable()) {
    const Type type = row.result;
    const bool isMeasured =
        type == Type::F32 ? row.opcode.find(".ftz.") == row.opcode.npos : type == Type::F16 || type == Type::BF16;
    if (!isApproximation(row.opcode) || !isMeasured) continue;
    ++rows;
    const std::string name = nameOf(row);
    std::vector<RowOperands> operands = operandsOf(row);
    if (row.opcode == "div.approx.f32") {
      std::erase_if(operands, [](const RowOperands& in) {
        const double size = std::fabs(numberOf(Type::F32, in[1]));
        return size > 0x1p126 && std::isfinite(size);
      });
    }
    const std::vector<uint64_t> nearest = resultsOf(row, operands),
                                results = resultsOf(rowNamed(row.opcode, Approximation::Adversarial), operands);
    std::map<Promise, Reach> reached;
    for (size_t i = 0; i < operands.size(); ++i) {
      const double a = numberOf(type, operands[i][0]), b = numberOf(type, operands[i][1]);
      const double result = numberOf(type, results[i]), otherwise = numberOf(type, nearest[i]);
      const Promise promise = promiseOf(name, type, a);
      // nearest() keeps subnormal results of bf16.
      if (row.opcode == "ex2.approx.ftz.bf16" && otherwise < 0x1p-126) {
        ASSERT_TRUE(result == 0 || result == 0x1p-126) << row.opcode << " of " << a;
        continue;
      }
      if (promise.kind == Promise::Nearest || otherwise == 0 || !std::isfinite(otherwise)) {
        ASSERT_PRED2(isSame, result, otherwise) << row.opcode << " of " << a << ", " << b;
        continue;
      }
      exact.set(name, a, b);
      const double part = exact.partOf(promise, result);
      ASSERT_TRUE(std::fabs(part) <= 1 || result == otherwise)
          << row.opcode << " of " << a << ", " << b << " is " << result << ", not " << otherwise << ": " << part;
      if (std::fabs(part) > 1) continue;
      Reach& reach = reached[promise];
      reach.least = std::min(reach.least, part);
      reach.most = std::max(reach.most, part);
      ++reach.all;
      reach.below += part < -0.5;
      reach.above += part > 0.5;
    }
    for (const auto& [promise, reach] : reached) {
      EXPECT_LE(reach.least, -0.9) << row.opcode << " within " << promise.size;
      EXPECT_GE(reach.most, 0.9) << row.opcode << " within " << promise.size;
      EXPECT_GT(reach.below, reach.all / 20) << row.opcode << " within " << promise.size;
      EXPECT_GT(reach.above, reach.all / 20) << row.opcode << " within " << promise.size;
    }
    EXPECT_FALSE(reached.empty()) << row.opcode;
  }
  EXPECT_EQ(rows, 14);
}

TEST(ApproximationsTest, FlushingOnesAreTheOthersOfFlushedOperandsFlushed) {
  int rows = 0;
  for (const Row& row : instructionTable()) {
    const size_t at = row.opcode.find(".ftz.");
    if (!isApproximation(row.opcode) || row.result != Type::F32 || at == row.opcode.npos) continue;
    ++rows;
    const std::string other = concat(row.opcode.substr(0, at), row.opcode.substr(at + 4));
    const std::vector<RowOperands> operands = operandsOf(row);
    std::vector<RowOperands> before = operands;
    for (RowOperands& in : before) in = {flushed(in[0]), flushed(in[1])};
    for (Approximation approximation : {Approximation::Nearest, Approximation::Adversarial}) {
      const std::vector<uint64_t> results = resultsOf(rowNamed(row.opcode, approximation), operands),
                                  others = resultsOf(rowNamed(other, approximation), before);
      for (size_t i = 0; i < operands.size(); ++i)
        ASSERT_EQ(results[i], flushed(others[i])) << row.opcode << " of " << operands[i][0] << ", " << operands[i][1];
    }
  }
  EXPECT_EQ(rows, 9);
}

// A number that is normal before the adversary is not flushed: 1 ulp of 2^-126 is no 0. Nor is one infinite that was
// none.
TEST(ApproximationsTest, QuotientsStayNormal) {
  std::vector<RowOperands> atLeast, atMost;
  for (uint64_t i = 0; i < 1000; ++i) {
    const float b = 0.5f + static_cast<float>(i) / 4000;
    atLeast.push_back({bitsOfFloat(0x1p-126f * 2 * b), bitsOfFloat(2 * b)});
    atMost.push_back({bitsOfFloat(0x1.fffffep127f * b), bitsOfFloat(b)});
  }
  for (const char* opcode : {"div.full.f32", "div.full.ftz.f32", "div.approx.ftz.f32"}) {
    const Row& row = rowNamed(opcode, Approximation::Adversarial);
    for (uint64_t result : resultsOf(row, atLeast)) {
      ASSERT_GE(numberOf(Type::F32, result), 0x1p-126f);
      ASSERT_LE(numberOf(Type::F32, result), 0x1.000004p-126f);
    }
    const std::vector<uint64_t> results = resultsOf(row, atMost), nearest = resultsOf(rowNamed(opcode), atMost);
    for (size_t i = 0; i < atMost.size(); ++i) {
      ASSERT_EQ(std::isinf(numberOf(Type::F32, results[i])), std::isinf(numberOf(Type::F32, nearest[i])))
          << opcode << " by " << numberOf(Type::F32, atMost[i][1]);
    }
  }
}

TEST(ApproximationsTest, QuotientsByLargeNumbersAreZeros) {
  const auto quotient = [](float a, float b) {
    return numberOf(Type::F32, resultsOf(rowNamed("div.approx.f32", Approximation::Adversarial),
                                         {{bitsOfFloat(a), bitsOfFloat(b)}})[0]);
  };
  for (float b : {0x1.000002p126f, 0x1p127f, 0x1.fffffep127f}) {
    for (float a : {3.0f, 0x1.fffffep127f, 0.0f}) {
      EXPECT_PRED2(isSame, quotient(a, b), 0.0) << b;
      EXPECT_PRED2(isSame, quotient(a, -b), -0.0) << b;
      EXPECT_PRED2(isSame, quotient(-a, b), -0.0) << b;
    }
    EXPECT_PRED2(isSame, quotient(INFINITY, b), NAN) << b;
  }
  EXPECT_EQ(quotient(3, INFINITY), 0);
  EXPECT_NE(quotient(0x1p127f, 0x1p126f), 0);
}

TEST(ApproximationsTest, OfF64TheLastOfTwentyBitsGoesEitherWay) {
  const uint64_t low = 0xffffffff, kNan = 0x7fffffff00000000;
  Exact exact;
  for (const char* opcode : {"rcp.approx.ftz.f64", "rsqrt.approx.ftz.f64"}) {
    const Row& row = rowNamed(opcode, Approximation::Adversarial);
    const std::vector<RowOperands> operands = operandsOf(row);
    std::vector<RowOperands> upper = operands;
    for (RowOperands& in : upper) in[0] &= ~low;
    const std::vector<uint64_t> results = resultsOf(row, operands), ofUpper = resultsOf(row, upper),
                                nearest = resultsOf(rowNamed(opcode), upper);
    int above = 0, below = 0;
    for (size_t i = 0; i < operands.size(); ++i) {
      const double a = std::bit_cast<double>(upper[i][0]), result = std::bit_cast<double>(results[i]);
      ASSERT_EQ(results[i], std::isnan(numberOf(Type::F64, operands[i][0])) ? kNan : ofUpper[i])
          << opcode << " of " << a;
      ASSERT_EQ(results[i] & low, 0u);
      ASSERT_TRUE(result == result || results[i] == kNan);
      if (result != result) continue;
      const double otherwise = std::bit_cast<double>(nearest[i]);
      const bool isPower = isPowerOf(nameOf(row) == "rcp" ? 2 : 4, std::fabs(a)) && std::isnormal(a);
      if (isPower || otherwise == 0 || !std::isfinite(otherwise)) {
        ASSERT_PRED2(isSame, result, otherwise) << opcode << " of " << a;
        continue;
      }
      exact.set(nameOf(row), a, 0);
      const double unit = std::ldexp(1.0, std::ilogb(exact.value()) - 20);
      const double part = exact.partOf({Promise::Absolute, unit}, result);
      ASSERT_LE(std::fabs(part), 1 + 0x1p-30) << opcode << " of " << a;
      above += part > 0.9;
      below += part < -0.9;
    }
    EXPECT_GT(above, 500) << opcode;
    EXPECT_GT(below, 500) << opcode;
  }
}

TEST(ApproximationsTest, TheAdversaryIsOneFunction) {
  int rows = 0;
  for (const Row& row : instructionTable()) {
    const Row& other = rowNamed(row.opcode, Approximation::Adversarial);
    EXPECT_EQ(&other != &row, isApproximation(row.opcode)) << row.opcode;
    if (!isApproximation(row.opcode) || row.opcode.ends_with("x2")) continue;
    ++rows;
    // In other lanes, beside other operands.
    std::vector<RowOperands> operands = operandsOf(row);
    const std::vector<uint64_t> results = resultsOf(other, operands);
    std::reverse(operands.begin(), operands.end());
    std::vector<uint64_t> again = resultsOf(other, operands);
    std::reverse(again.begin(), again.end());
    EXPECT_EQ(results, again) << row.opcode;
    if (bitsOf(row.result) != 16) continue;
    for (RowOperands& in : operands) in[0] |= (in[0] ^ 0x8000) << 16;
    const std::vector<uint64_t> pairs =
        resultsOf(rowNamed(concat(row.opcode, "x2"), Approximation::Adversarial), operands);
    for (size_t i = 0; i < results.size(); ++i) {
      const uint64_t at = results.size() - 1 - i;
      ASSERT_EQ(pairs[at], results[i] | results[i ^ 0x8000] << 16) << row.opcode << " of " << i;
    }
  }
  EXPECT_EQ(rows, 25);
}

TEST(ApproximationsTest, ProgramsHaveTheApproximationThatTheyAreMadeWith) {
  Kernel kernel{.body =
                    "cvt.rn.f32.u32 %f1, %t;\nfma.rn.f32 %f1, %f1, 0f3E800000, 0f3DCCCCCD;\n"
                    "ex2.approx.ftz.f32 %f2, %f1;\nst.global.f32 [%o], %f2;"};
  for (Approximation approximation : {Approximation::Nearest, Approximation::Adversarial}) {
    kernel.approximation = approximation;
    const std::vector<uint32_t> results = run(kernel);
    for (size_t i = 0; i < results.size(); ++i) {
      const float a = std::fma(static_cast<float>(i), 0.25f, 0.1f);
      EXPECT_EQ(results[i], resultsOf(rowNamed("ex2.approx.ftz.f32", approximation), {{bitsOfFloat(a)}})[0]) << a;
    }
  }
}

}  // namespace
}  // namespace fuser::ptx
