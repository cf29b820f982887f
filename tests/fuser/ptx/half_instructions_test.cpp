// Instructions of f16 and bf16, and of pairs of them, against MPFR at their precision, and in kernels.

#include <mpfr.h>

#include <functional>
#include <map>

#include "fuser/support/split_mix.h"
#include "tests/fuser/ptx/kernel.h"
#include "tests/fuser/ptx/rows.h"

namespace fuser::ptx {
namespace {

constexpr Type kHalves[] = {Type::F16, Type::BF16};

double valueOf(Type type, uint64_t bits) {
  const auto half = static_cast<uint16_t>(bits);
  return type == Type::F16 ? double{Half::ofBits(half)} : double{Bfloat::ofBits(half)};
}

// Results of MPFR, rounded once to f16 or bf16, their subnormal numbers included.
class Rounder {
 public:
  explicit Rounder(Type type, mpfr_rnd_t rounding = MPFR_RNDN) : type_(type), rounding_(rounding) {
    for (mpfr_t& each : x_) mpfr_init2(each, 64);
    mpfr_init2(result_, type == Type::F16 ? 11 : 8);
  }
  ~Rounder() {
    for (mpfr_t& each : x_) mpfr_clear(each);
    mpfr_clear(result_);
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
  }
  Rounder(const Rounder&) = delete;
  Rounder& operator=(const Rounder&) = delete;

  double of(std::string_view name, double a, double b = 0, double c = 0) {
    mpfr_set_emin(-4000);
    mpfr_set_emax(4000);
    mpfr_set_d(x_[0], a, MPFR_RNDN);
    mpfr_set_d(x_[1], b, MPFR_RNDN);
    mpfr_set_d(x_[2], c, MPFR_RNDN);
    int inexact = 0;
    if (name == "add") inexact = mpfr_add(result_, x_[0], x_[1], rounding_);
    if (name == "sub") inexact = mpfr_sub(result_, x_[0], x_[1], rounding_);
    if (name == "mul") inexact = mpfr_mul(result_, x_[0], x_[1], rounding_);
    if (name == "fma") inexact = mpfr_fma(result_, x_[0], x_[1], x_[2], rounding_);
    if (name == "ex2") inexact = mpfr_exp2(result_, x_[0], rounding_);
    if (name == "tanh") inexact = mpfr_tanh(result_, x_[0], rounding_);
    if (name == "cvt") inexact = mpfr_set(result_, x_[0], rounding_);
    return rounded(inexact);
  }
  double ofInteger(__int128 value) {
    mpfr_set_emin(-4000);
    mpfr_set_emax(4000);
    const int inexact = value < 0 ? mpfr_set_si(result_, static_cast<int64_t>(value), rounding_)
                                  : mpfr_set_ui(result_, static_cast<uint64_t>(value), rounding_);
    return rounded(inexact);
  }

 private:
  double rounded(int inexact) {
    mpfr_set_emin(type_ == Type::F16 ? -23 : -132);
    mpfr_set_emax(type_ == Type::F16 ? 16 : 128);
    inexact = mpfr_check_range(result_, inexact, rounding_);
    mpfr_subnormalize(result_, inexact, rounding_);
    return mpfr_get_d(result_, MPFR_RNDN);
  }

  Type type_;
  mpfr_rnd_t rounding_;
  mpfr_t x_[3], result_;
};

std::vector<uint64_t> boundariesOf(Type type) {
  std::vector<uint64_t> values;
  const std::vector<uint64_t> bits =
      type == Type::F16
          ? std::vector<uint64_t>{0x0000, 0x0001, 0x0002, 0x0003, 0x03ff, 0x0400, 0x0401, 0x1400, 0x37ff, 0x3800,
                                  0x3bff, 0x3c00, 0x3c01, 0x3e00, 0x4248, 0x6bff, 0x7bff, 0x7c00, 0x7e01}
          : std::vector<uint64_t>{0x0000, 0x0001, 0x0002, 0x0003, 0x007f, 0x0080, 0x0081, 0x0100, 0x1fc0, 0x3a80,
                                  0x3f00, 0x3f7f, 0x3f80, 0x3f81, 0x3fc0, 0x5f80, 0x7f7f, 0x7f80, 0x7fc1};
  for (uint64_t each : bits) {
    values.push_back(each);
    values.push_back(each | 0x8000);
  }
  return values;
}

// All boundary values in each place, then random bits.
std::vector<RowOperands> samplesOf(Type type, int count, int random) {
  std::vector<RowOperands> all{{}};
  for (int i = 0; i < count; ++i) {
    std::vector<RowOperands> longer;
    for (const RowOperands& operands : all) {
      for (uint64_t value : boundariesOf(type)) {
        longer.push_back(operands);
        longer.back()[static_cast<size_t>(i)] = value;
      }
    }
    all = std::move(longer);
  }
  for (uint64_t i = 0; i < static_cast<uint64_t>(random); ++i) {
    const uint64_t bits = splitMix64(i);
    all.push_back({bits & 0xffff, bits >> 16 & 0xffff, bits >> 32 & 0xffff, 0});
    // A third operand that is near the product, or far below it.
    if (i % 2 == 0) all.back()[2] = (all.back()[0] + (bits >> 48 & 0xfff)) & 0xffff;
  }
  return all;
}

void expectAll(std::string_view opcode, Type type, const std::vector<RowOperands>& samples,
               const std::function<double(double, double, double)>& expected) {
  const std::vector<uint64_t> results = resultsOf(rowNamed(opcode), samples);
  int wrong = 0;
  for (size_t i = 0; i < samples.size() && wrong < 4; ++i) {
    const double a = valueOf(type, samples[i][0]), b = valueOf(type, samples[i][1]), c = valueOf(type, samples[i][2]);
    const double given = valueOf(type, results[i]), wanted = expected(a, b, c);
    if (isSame(given, wanted) && (given == given || results[i] == 0x7fff)) continue;
    ++wrong;
    ADD_FAILURE() << opcode << " of " << a << ", " << b << ", " << c << " is " << given << ", not " << wanted;
  }
}

double flushedHalf(double value) { return std::fabs(value) < 0x1p-14 ? std::copysign(0.0, value) : value; }
double clamped(double value) { return value != value || value <= 0 ? 0.0 : std::min(value, 1.0); }
double positive(double value) { return value <= 0 ? 0.0 : value; }

TEST(HalfInstructionsTest, ArithmeticRoundsOnce) {
  for (Type type : kHalves) {
    Rounder exact(type);
    const std::string_view text = typeInfo(type).text;
    for (std::string_view name : {"add", "sub", "mul", "fma"}) {
      const std::vector<RowOperands> samples = samplesOf(type, name == "fma" ? 3 : 2, 100000);
      const auto expected = [&](double a, double b, double c) { return exact.of(name, a, b, c); };
      expectAll(concat(name, ".rn.", text), type, samples, expected);
      if (name != "fma") expectAll(concat(name, ".", text), type, samples, expected);
    }
    expectAll(concat("fma.rn.relu.", text), type, samplesOf(type, 3, 1000),
              [&](double a, double b, double c) { return positive(exact.of("fma", a, b, c)); });
  }
}

// The product is the middle of two numbers, and what is added is too small for a double to see.
TEST(HalfInstructionsTest, TheSmallestAddendDecidesTies) {
  EXPECT_EQ(resultOf("fma.rn.bf16", {0x3f81, 0x3fc0, 0x0001}), 0x3fc2u);
  EXPECT_EQ(resultOf("fma.rn.bf16", {0x3f81, 0x3fc0, 0x8001}), 0x3fc1u);
  EXPECT_EQ(resultOf("fma.rn.bf16", {0x3f83, 0x3fc0, 0x0001}), 0x3fc5u);
  EXPECT_EQ(resultOf("fma.rn.bf16", {0xbf83, 0x3fc0, 0x0001}), 0xbfc4u);
}

TEST(HalfInstructionsTest, ModifiersFlushAndClamp) {
  Rounder exact(Type::F16);
  for (std::string_view name : {"add", "sub", "mul", "fma"}) {
    const std::vector<RowOperands> samples = samplesOf(Type::F16, name == "fma" ? 3 : 2, 20000);
    const auto of = [&](double a, double b, double c) { return exact.of(name, a, b, c); };
    const auto flushed = [&](double a, double b, double c) {
      return flushedHalf(of(flushedHalf(a), flushedHalf(b), flushedHalf(c)));
    };
    expectAll(concat(name, ".rn.ftz.f16"), Type::F16, samples, flushed);
    expectAll(concat(name, ".rn.sat.f16"), Type::F16, samples,
              [&](double a, double b, double c) { return clamped(of(a, b, c)); });
    expectAll(concat(name, ".rn.ftz.sat.f16"), Type::F16, samples,
              [&](double a, double b, double c) { return clamped(flushed(a, b, c)); });
    if (name != "fma") continue;
    expectAll("fma.rn.ftz.relu.f16", Type::F16, samples,
              [&](double a, double b, double c) { return positive(flushed(a, b, c)); });
  }
}

TEST(HalfInstructionsTest, SignsMinimaAndMaxima) {
  for (Type type : kHalves) {
    const std::string_view text = typeInfo(type).text;
    const std::vector<RowOperands> samples = samplesOf(type, 2, 2000);
    expectAll(concat("neg.", text), type, samples, [](double a, double, double) { return -a; });
    expectAll(concat("abs.", text), type, samples, [](double a, double, double) { return std::fabs(a); });
    for (bool isMin : {true, false}) {
      const auto chosen = [&](double a, double b) {
        if (a == 0 && b == 0) return std::signbit(a) == isMin ? a : b;
        return isMin ? std::fmin(a, b) : std::fmax(a, b);
      };
      const char* name = isMin ? "min" : "max";
      expectAll(concat(name, ".", text), type, samples, [&](double a, double b, double) { return chosen(a, b); });
      expectAll(concat(name, ".NaN.", text), type, samples,
                [&](double a, double b, double) { return a != a || b != b ? NAN : chosen(a, b); });
      if (type != Type::F16) continue;
      expectAll(concat(name, ".ftz.f16"), type, samples,
                [&](double a, double b, double) { return chosen(flushedHalf(a), flushedHalf(b)); });
    }
  }
}

TEST(HalfInstructionsTest, ApproximationsAreTheExactResultsRounded) {
  std::vector<RowOperands> every;
  for (uint64_t bits = 0; bits < 0x10000; ++bits) every.push_back({bits});
  for (Type type : kHalves) {
    Rounder exact(type);
    expectAll(concat("tanh.approx.", typeInfo(type).text), type, every,
              [&](double a, double, double) { return exact.of("tanh", a); });
    const std::string power = type == Type::F16 ? "ex2.approx.f16" : "ex2.approx.ftz.bf16";
    expectAll(power, type, every,
              [&](double a, double, double) { return std::fabs(a) < 0x1p-30 ? 1.0 : exact.of("ex2", a); });
  }
}

TEST(HalfInstructionsTest, PairsAreTheirHalves) {
  int rows = 0;
  for (const Row& row : instructionTable()) {
    if (row.operands[0] != Type::F16x2 && row.operands[0] != Type::BF16x2) continue;
    ++rows;
    const Row& each = rowNamed(row.opcode.substr(0, row.opcode.size() - 2));
    const std::vector<RowOperands> samples = samplesOf(each.operands[0], 2, 500);
    std::vector<RowOperands> pairs;
    for (size_t i = 0; i < samples.size(); ++i) {
      RowOperands pair{};
      for (size_t k = 0; k < 3; ++k) pair[k] = samples[i][k] | samples[samples.size() - 1 - i][k] << 16;
      pairs.push_back(pair);
    }
    const std::vector<uint64_t> single = resultsOf(each, samples), paired = resultsOf(row, pairs);
    for (size_t i = 0; i < samples.size(); ++i)
      ASSERT_EQ(paired[i], single[i] | single[samples.size() - 1 - i] << 16) << row.opcode;
  }
  EXPECT_GT(rows, 40);
}

TEST(HalfInstructionsTest, ConversionsFromFloatsRoundOnceInEachDirection) {
  std::vector<RowOperands> floats, doubles;
  for (Type type : kHalves) {
    for (uint64_t bits = 0; bits < 0x7fff; bits += 7) {
      const double value = valueOf(type, bits), next = valueOf(type, bits + 1), middle = value + (next - value) / 2;
      for (double each : {value, middle, std::nextafter(middle, 0), std::nextafter(middle, INFINITY), -middle, -next})
        doubles.push_back({std::bit_cast<uint64_t>(each)});
    }
  }
  for (double each : {65519.9999, 65520.0, 0x1p-25, 0x1.00001p-25, 0x1p-134, 0x1.fep127, 0x1.ffp127, 1e300, 1e-300})
    for (double sign : {1.0, -1.0}) doubles.push_back({std::bit_cast<uint64_t>(each * sign)});
  for (const RowOperands& each : doubles)
    floats.push_back({std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(each[0])))});
  for (const auto& [word, rounding] : {std::pair{"rn", MPFR_RNDN}, std::pair{"rz", MPFR_RNDZ},
                                       std::pair{"rm", MPFR_RNDD}, std::pair{"rp", MPFR_RNDU}}) {
    for (Type type : kHalves) {
      Rounder exact(type, rounding);
      for (Type from : {Type::F32, Type::F64}) {
        const std::string opcode = concat("cvt.", word, ".", typeInfo(type).text, ".", typeInfo(from).text);
        const std::vector<RowOperands>& samples = from == Type::F32 ? floats : doubles;
        const std::vector<uint64_t> results = resultsOf(rowNamed(opcode), samples);
        for (size_t i = 0; i < samples.size(); ++i) {
          const double value = from == Type::F64 ? std::bit_cast<double>(samples[i][0])
                                                 : std::bit_cast<float>(static_cast<uint32_t>(samples[i][0]));
          ASSERT_PRED2(isSame, valueOf(type, results[i]), exact.of("cvt", value)) << opcode << " of " << value;
        }
      }
    }
  }
}

TEST(HalfInstructionsTest, ConversionsOfIntegersRoundOnce) {
  for (const auto& [word, rounding] : {std::pair{"rn", MPFR_RNDN}, std::pair{"rz", MPFR_RNDZ},
                                       std::pair{"rm", MPFR_RNDD}, std::pair{"rp", MPFR_RNDU}}) {
    for (Type type : kHalves) {
      Rounder exact(type, rounding);
      for (Type from : {Type::S8, Type::U8, Type::S16, Type::U16, Type::S32, Type::U32, Type::S64, Type::U64}) {
        std::vector<RowOperands> samples;
        for (uint64_t i = 0; i < 4000; ++i) samples.push_back({splitMix64(i) >> (i % 64) & everyBit(from)});
        // Middles of two numbers, and what is just above and below them.
        for (int bit = 9; bit < bitsOf(from); ++bit) {
          for (uint64_t near : {-1, 0, 1})
            samples.push_back({((uint64_t{257} << bit >> 8 | uint64_t{1} << bit) + near) & everyBit(from)});
        }
        const std::string opcode = concat("cvt.", word, ".", typeInfo(type).text, ".", typeInfo(from).text);
        const std::vector<uint64_t> results = resultsOf(rowNamed(opcode), samples);
        for (size_t i = 0; i < samples.size(); ++i) {
          __int128 value = samples[i][0];
          const bool isSigned = typeInfo(from).reading == Reading::Signed;
          if (isSigned && samples[i][0] >> (bitsOf(from) - 1)) value -= __int128{1} << bitsOf(from);
          ASSERT_EQ(valueOf(type, results[i]), exact.ofInteger(value)) << opcode << " of " << samples[i][0];
        }
      }
    }
  }
}

TEST(HalfInstructionsTest, ConversionsToWiderTypesAreExact) {
  for (uint64_t bits = 0; bits < 0x10000; ++bits) {
    for (Type type : kHalves) {
      const double value = valueOf(type, bits);
      const std::string_view text = typeInfo(type).text;
      const auto narrow = static_cast<uint32_t>(resultOf(concat("cvt.f32.", text), {bits}));
      ASSERT_PRED2(isSame, std::bit_cast<float>(narrow), value);
      ASSERT_PRED2(isSame, std::bit_cast<double>(resultOf(concat("cvt.f64.", text), {bits})), value);
      if (bits % 16 != 3 || value != value) continue;
      ASSERT_EQ(resultOf(concat("cvt.rni.", text, ".", text), {bits}) & 0x7fff,
                (type == Type::F16 ? Half(std::nearbyint(value)).bits : Bfloat(std::nearbyint(value)).bits) & 0x7fff);
      const double whole = std::clamp(std::floor(value), -2147483648.0, 2147483647.0);
      ASSERT_EQ(static_cast<int32_t>(resultOf(concat("cvt.rmi.s32.", text), {bits})), static_cast<int32_t>(whole));
    }
  }
  EXPECT_EQ(resultOf("cvt.rzi.u32.f16", {0x7e00}), 0u);
  EXPECT_EQ(resultOf("cvt.rzi.s64.f16", {0x7e00}), uint64_t{1} << 63);
  EXPECT_EQ(resultOf("cvt.rzi.u8.bf16", {0x43c8}), 255u);
}

TEST(HalfInstructionsTest, ConversionsClamp) {
  const auto f32 = [](float value) { return uint64_t{std::bit_cast<uint32_t>(value)}; };
  EXPECT_EQ(resultOf("cvt.rn.satfinite.f16.f32", {f32(1e9f)}), 0x7bffu);
  EXPECT_EQ(resultOf("cvt.rn.satfinite.bf16.f32", {f32(-INFINITY)}), 0xff7fu);
  EXPECT_EQ(resultOf("cvt.rz.satfinite.f16.f32", {f32(-1.0f)}), 0xbc00u);
  EXPECT_EQ(resultOf("cvt.rn.relu.f16.f32", {f32(-1.0f)}), 0u);
  EXPECT_EQ(resultOf("cvt.rn.relu.f16.f32", {f32(NAN)}), 0x7fffu);
  EXPECT_EQ(resultOf("cvt.rn.relu.satfinite.f16.f32", {f32(1e9f)}), 0x7bffu);
  EXPECT_EQ(resultOf("cvt.rn.sat.f16.f32", {f32(7.0f)}), 0x3c00u);
}

// --- in kernels ---

// What the body leaves in %r1 of the first thread.
uint32_t firstOf(const std::string& body) { return run({concat(body, "\nst.global.u32 [%o], %r1;"), "", 1, 1})[0]; }

TEST(HalfInstructionsTest, ConversionsPackTwoFloats) {
  const std::string floats = "mov.f32 %f1, 0f3f800000;\nmov.f32 %f2, 0fc0000000;\n";
  EXPECT_EQ(firstOf(floats + "cvt.rn.f16x2.f32 %r1, %f1, %f2;"), 0x3c00c000u);
  EXPECT_EQ(firstOf(floats + "cvt.rn.bf16x2.f32 %r1, %f1, %f2;"), 0x3f80c000u);
  EXPECT_EQ(firstOf(floats + "cvt.rz.relu.f16x2.f32 %r1, %f1, %f2;"), 0x3c000000u);
  EXPECT_REFUSED((Kernel{"cvt.rq.f16x2.f32 %r1, %f1, %f2;"}), "no instruction 'cvt.rq");
}

TEST(HalfInstructionsTest, ComparisonsOfPairsGiveTwoPredicates) {
  const std::string halves = "mov.b32 %r2, 0x3c004000;\nmov.b32 %r3, 0x3c013e00;\n";  // (2, 1) and (1.5, 1 + 2^-10)
  const std::string select = "selp.u32 %r1, 10, 0, %p1;\nselp.u32 %r4, 1, 0, %p2;\nadd.u32 %r1, %r1, %r4;";
  EXPECT_EQ(firstOf(halves + "setp.gt.f16x2 %p1|%p2, %r2, %r3;\n" + select), 10u);
  EXPECT_EQ(firstOf(halves + "setp.lt.f16x2 %p1|%p2, %r2, %r3;\n" + select), 1u);
  EXPECT_EQ(firstOf(halves + "setp.eq.s32 %p3, 0, 0;\nsetp.lt.or.f16x2 %p1|%p2, %r2, %r3, !%p3;\n" + select), 1u);
  EXPECT_EQ(firstOf(halves + "set.gt.f16x2.f16x2 %r1, %r2, %r3;"), 0x00003c00u);
  EXPECT_EQ(firstOf(halves + "set.le.u32.f16x2 %r1, %r2, %r3;"), 0xffff0000u);
  EXPECT_EQ(firstOf("mov.b32 %r2, 0x40003f80;\nset.equ.bf16x2.bf16x2 %r1, %r2, 0x7fc03f80;"), 0x3f803f80u);
  EXPECT_REFUSED((Kernel{"setp.lt.f16x2 %p1, %r2, %r3;"}), "gives two predicates");
}

TEST(HalfInstructionsTest, ComparisonsFlushWhereTheySaySo) {
  const std::string numbers = "mov.b16 %h1, 0x0001;\nmov.b16 %h2, 0;\n";
  EXPECT_EQ(firstOf(numbers + "setp.gt.f16 %p1, %h1, %h2;\nselp.u32 %r1, 1, 0, %p1;"), 1u);
  EXPECT_EQ(firstOf(numbers + "setp.gt.ftz.f16 %p1, %h1, %h2;\nselp.u32 %r1, 1, 0, %p1;"), 0u);
  EXPECT_EQ(firstOf(numbers + "setp.gt.bf16 %p1|%p2, %h1, %h2;\nselp.u32 %r1, 1, 0, %p2;"), 0u);
  EXPECT_EQ(firstOf("mov.f32 %f1, 0f00400000;\nset.ne.ftz.u32.f32 %r1, %f1, 0f00000000;"), 0u);
  EXPECT_EQ(firstOf("mov.f32 %f1, 0f00400000;\nset.ne.u32.f32 %r1, %f1, 0f00000000;"), 0xffffffffu);
  EXPECT_EQ(firstOf("mov.u32 %r2, 5;\nset.lt.f32.u32 %f1, %r2, 6;\nmov.b32 %r1, %f1;"), 0x3f800000u);
}

// One half of the register has been written by nobody.
TEST(HalfInstructionsTest, HalvesOfPairsAreUndefinedAlone) {
  const auto sum = [](const char* halves, const char* kept) {
    return concat("mov.b16 %h1, 0x3c00;\nmov.b32 %r2, ", halves, ";\nadd.rn.f16x2 %r3, %r2, %r2;\n", kept);
  };
  const char* lower = "and.b32 %r1, %r3, 0xffff;";
  const char* upper = "shr.u32 %r1, %r3, 16;";
  const auto kernel = [&](const char* halves, const char* kept) {
    return Kernel{concat(sum(halves, kept), "\nst.global.u32 [%o], %r1;"), "", 1, 1};
  };
  EXPECT_EQ(run(kernel("{%h1, %h2}", lower))[0], 0x4000u);
  EXPECT_EQ(run(kernel("{%h2, %h1}", upper))[0], 0x4000u);
  EXPECT_FAULT(kernel("{%h1, %h2}", upper), "uninitialised bits are stored");
  EXPECT_FAULT(kernel("{%h2, %h1}", lower), "uninitialised bits are stored");
}

}  // namespace
}  // namespace fuser::ptx
