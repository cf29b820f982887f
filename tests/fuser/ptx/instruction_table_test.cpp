// The rows of instructions.def at boundary values: integers against arithmetic of 128 bits, floats against MPFR and
// <cmath>.

#include <gtest/gtest.h>
#include <mpfr.h>

#include <cmath>
#include <functional>
#include <map>

#include "fuser/ptx/definedness.h"
#include "fuser/ptx/instruction_table.h"
#include "fuser/ptx/semantics.h"
#include "fuser/support/check.h"
#include "fuser/support/split_mix.h"
#include "tests/fuser/ptx/rows.h"

namespace fuser::ptx {
namespace {

std::vector<uint64_t> boundaries(Type type) {
  std::vector<uint64_t> values;
  const uint64_t every = everyBit(type);
  if (type == Type::F32) {
    for (float value : {0.0f,
                        -0.0f,
                        1.0f,
                        -1.0f,
                        1.5f,
                        3.0f,
                        0x1p-126f,
                        -0x1p-149f,
                        0x1.fffffep127f,
                        0x1.fffffcp-127f,
                        INFINITY,
                        -INFINITY,
                        NAN,
                        0.1f,
                        -2.5f,
                        0.5f,
                        2147483648.0f,
                        -2147483648.0f,
                        4294967040.0f,
                        0x1p63f,
                        0x1p64f,
                        255.5f,
                        -128.5f,
                        65519.99f,
                        65520.0f,
                        0x1.004p0f,
                        0x1p-24f,
                        0x1p-25f,
                        0x1.8p-24f})
      values.push_back(std::bit_cast<uint32_t>(value));
  } else if (type == Type::F64) {
    for (double value : {0.0,
                         -0.0,
                         1.0,
                         -1.0,
                         1.5,
                         3.0,
                         0x1p-1022,
                         -0x1p-1074,
                         0x1.fffffffffffffp1023,
                         double{INFINITY},
                         -static_cast<double>(INFINITY),
                         static_cast<double>(NAN),
                         0.1,
                         -2.5,
                         0.5,
                         2147483648.5,
                         -2147483649.0,
                         4294967295.5,
                         0x1p63,
                         -0x1p63,
                         0x1p64,
                         0x1.0000001p0,
                         0x1.0000003p0,
                         0x1p-149,
                         0x1p-150,
                         0x1.8p-149,
                         0x1.ffffffp127,
                         0x1.fffffefp127})
      values.push_back(std::bit_cast<uint64_t>(value));
  } else {
    for (uint64_t value : {0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 32, 33, 63, 64, 127, 128, 255, 256})
      values.push_back(value & every);
    for (int bit = 7; bit < bitsOf(type); bit += 8)
      for (uint64_t near : {-1, 0, 1}) values.push_back(((uint64_t{1} << bit) + near) & every);
    values.push_back(every);
    values.push_back(every - 1);
  }
  for (uint64_t i = 0; i < 6; ++i) values.push_back(splitMix64(i) & every);
  return values;
}

// All combinations of boundary values of the operands, at most some thousands.
std::vector<std::array<uint64_t, 4>> combinations(const Row& row) {
  std::vector<std::array<uint64_t, 4>> all{{}};
  for (int i = 0; i < row.count; ++i) {
    std::vector<std::array<uint64_t, 4>> longer;
    const std::vector<uint64_t> values = boundaries(row.operands[static_cast<size_t>(i)]);
    const size_t step = i < 2 ? 1 : 5;
    for (size_t a = 0; a < all.size(); ++a) {
      for (size_t b = i < 2 ? 0 : a % step; b < values.size(); b += step) {
        longer.push_back(all[a]);
        longer.back()[static_cast<size_t>(i)] = values[b];
      }
    }
    all = std::move(longer);
  }
  return all;
}

// Calls check(operands, result) for all combinations.
void forAll(const Row& row, const std::function<void(const std::array<uint64_t, 4>&, uint64_t)>& check) {
  const std::vector<std::array<uint64_t, 4>> all = combinations(row);
  LaneBuffer operands[4], result;
  for (size_t first = 0; first < all.size(); first += kLanes) {
    const void* in[4];
    for (size_t i = 0; i < 4; ++i) {
      for (int lane = 0; i < static_cast<size_t>(row.count) && lane < kLanes; ++lane)
        setLane(operands[i].bytes, laneBytes(row.operands[i]), lane,
                all[std::min(first + static_cast<size_t>(lane), all.size() - 1)][i]);
      in[i] = operands[i].bytes;
    }
    runRow(row, result.bytes, in);
    for (size_t lane = 0; lane < kLanes && first + lane < all.size(); ++lane)
      check(all[first + lane], laneOf(result.bytes, laneBytes(row.result), static_cast<int>(lane)));
  }
}

// --- integers ---

using IntegerFunction = std::function<Wide(const Row& row, const Wide* operands)>;

// 2 to the power of at most 64 bits, as a shift.
Wide bitsOfOperand(const Row& row) { return bitsOf(row.operands[0]); }
Wide low(const Row& row, Wide value) { return value & ((Wide{1} << bitsOf(row.operands[0])) - 1); }
Wide floorShift(Wide value, Wide by) { return by > 126 ? (value < 0 ? -1 : 0) : value >> static_cast<int>(by); }

const std::map<std::string, IntegerFunction>& integerFunctions() {
  static const std::map<std::string, IntegerFunction> functions = {
      {"add.", [](const Row&, const Wide* x) { return x[0] + x[1]; }},
      {"sub.", [](const Row&, const Wide* x) { return x[0] - x[1]; }},
      {"mul.lo.", [](const Row&, const Wide* x) { return x[0] * x[1]; }},
      {"mul.wide.", [](const Row&, const Wide* x) { return x[0] * x[1]; }},
      {"mad.lo.", [](const Row&, const Wide* x) { return x[0] * x[1] + x[2]; }},
      {"mad.wide.", [](const Row&, const Wide* x) { return x[0] * x[1] + x[2]; }},
      {"div.", [](const Row&, const Wide* x) { return x[1] == 0 ? Wide{-1} : x[0] / x[1]; }},
      {"rem.", [](const Row&, const Wide* x) { return x[1] == 0 ? x[0] : x[0] % x[1]; }},
      {"min.", [](const Row&, const Wide* x) { return x[0] < x[1] ? x[0] : x[1]; }},
      {"max.", [](const Row&, const Wide* x) { return x[0] > x[1] ? x[0] : x[1]; }},
      {"abs.", [](const Row&, const Wide* x) { return x[0] < 0 ? -x[0] : x[0]; }},
      {"neg.", [](const Row&, const Wide* x) { return -x[0]; }},
      {"not.", [](const Row&, const Wide* x) { return -1 - x[0]; }},
      {"carry.add.", [](const Row& r, const Wide* x) { return (x[0] + x[1]) >> static_cast<int>(bitsOfOperand(r)); }},
      {"carry.addc.",
       [](const Row& r, const Wide* x) { return (x[0] + x[1] + x[2]) >> static_cast<int>(bitsOfOperand(r)); }},
      {"sum.addc.", [](const Row&, const Wide* x) { return x[0] + x[1] + x[2]; }},
      {"carry.sub.", [](const Row&, const Wide* x) { return x[0] - x[1] < 0 ? 0 : 1; }},
      {"shl.",
       [](const Row& r, const Wide* x) { return x[1] >= bitsOfOperand(r) ? 0 : x[0] << static_cast<int>(x[1]); }},
      {"shr.", [](const Row&, const Wide* x) { return floorShift(x[0], x[1]); }},
      {"bfe.u",
       [](const Row& r, const Wide* x) {
         const Wide part = floorShift(low(r, x[0]), x[1] & 255);
         return (x[2] & 255) > 64 ? part : part & ((Wide{1} << static_cast<int>(x[2] & 255)) - 1);
       }},
      {"bfi.",
       [](const Row& r, const Wide* x) {
         const Wide from = x[2] & 255, length = (x[3] & 255) > 64 ? Wide{64} : x[3] & 255;
         Wide result = x[1];
         for (Wide bit = 0; bit < length && from + bit < bitsOfOperand(r); ++bit) {
           const int to = static_cast<int>(from + bit);
           result = (result & ~(Wide{1} << to)) | ((x[0] >> static_cast<int>(bit) & 1) << to);
         }
         return result;
       }},
      {"setp.eq.", [](const Row&, const Wide* x) { return Wide{x[0] == x[1]}; }},
      {"setp.ne.", [](const Row&, const Wide* x) { return Wide{x[0] != x[1]}; }},
      {"setp.lt.", [](const Row&, const Wide* x) { return Wide{x[0] < x[1]}; }},
      {"setp.le.", [](const Row&, const Wide* x) { return Wide{x[0] <= x[1]}; }},
      {"setp.gt.", [](const Row&, const Wide* x) { return Wide{x[0] > x[1]}; }},
      {"setp.ge.", [](const Row&, const Wide* x) { return Wide{x[0] >= x[1]}; }},
      {"setp.lo.", [](const Row&, const Wide* x) { return Wide{x[0] < x[1]}; }},
      {"setp.ls.", [](const Row&, const Wide* x) { return Wide{x[0] <= x[1]}; }},
      {"setp.hi.", [](const Row&, const Wide* x) { return Wide{x[0] > x[1]}; }},
      {"setp.hs.", [](const Row&, const Wide* x) { return Wide{x[0] >= x[1]}; }},
      {"selp.", [](const Row&, const Wide* x) { return x[2] ? x[0] : x[1]; }},
      {"mov.", [](const Row&, const Wide* x) { return x[0]; }},
      {"pack.", [](const Row& r, const Wide* x) { return x[0] | x[1] << static_cast<int>(bitsOfOperand(r)); }},
      {"popc.",
       [](const Row&, const Wide* x) {
         Wide count = 0;
         for (int bit = 0; bit < 64; ++bit) count += x[0] >> bit & 1;
         return count;
       }},
      {"clz.",
       [](const Row& r, const Wide* x) {
         Wide zeros = 0;
         while (zeros < bitsOfOperand(r) && (x[0] >> static_cast<int>(bitsOfOperand(r) - 1 - zeros) & 1) == 0) ++zeros;
         return zeros;
       }},
      {"cvt.sat.",
       [](const Row& r, const Wide* x) {
         const bool isSigned = typeInfo(r.result).reading == Reading::Signed;
         const int bits = bitsOf(r.result);
         const Wide least = isSigned ? -(Wide{1} << (bits - 1)) : 0;
         const Wide most = isSigned ? (Wide{1} << (bits - 1)) - 1 : (Wide{1} << bits) - 1;
         return x[0] < least ? least : x[0] > most ? most : x[0];
       }},
      {"cvt.", [](const Row&, const Wide* x) { return x[0]; }},
  };
  return functions;
}

// integer_instructions_test.cpp has what is more than a prefix of these says.
bool isOfOtherTest(std::string_view opcode) {
  const bool isClamped = opcode.find(".sat.") != opcode.npos || opcode.find(".relu.") != opcode.npos;
  return (isClamped && !opcode.starts_with("cvt.sat.")) || opcode.starts_with("cvt.pack.");
}

bool isOfIntegers(const Row& row) {
  bool integers = !isFloat(row.result) && !row.opcode.ends_with("x2") && !isOfOtherTest(row.opcode);
  for (int i = 0; i < row.count; ++i) integers = integers && !isFloat(row.operands[static_cast<size_t>(i)]);
  return integers && row.operands[0] != Type::Pred;
}

// mul.hi and mad.hi want 128 bits of an unsigned product: in two halves.
bool checksItself(std::string_view opcode) {
  return (opcode.starts_with("mul.hi.") || opcode.starts_with("mad.hi.")) && !isOfOtherTest(opcode);
}

const IntegerFunction* functionOf(std::string_view opcode) {
  const IntegerFunction* found = nullptr;
  size_t longest = 0;
  for (const auto& [prefix, function] : integerFunctions()) {
    if (!opcode.starts_with(prefix) || prefix.size() < longest) continue;
    longest = prefix.size();
    found = &function;
  }
  return found;
}

TEST(InstructionTableTest, IntegersAgreeWithWiderArithmetic) {
  int rows = 0;
  for (const Row& row : instructionTable()) {
    const IntegerFunction* function = isOfIntegers(row) ? functionOf(row.opcode) : nullptr;
    if (!function || row.opcode.starts_with("bfe.s")) continue;
    ++rows;
    int wrong = 0;
    forAll(row, [&](const std::array<uint64_t, 4>& in, uint64_t result) {
      Wide operands[4];
      for (size_t i = 0; i < static_cast<size_t>(row.count); ++i) operands[i] = integerOf(row.operands[i], in[i]);
      const auto expected = static_cast<uint64_t>((*function)(row, operands)) & everyBit(row.result);
      if (result != expected && ++wrong < 4)
        ADD_FAILURE() << row.opcode << " of " << in[0] << ", " << in[1] << ", " << in[2] << " is " << result << ", not "
                      << expected;
    });
  }
  EXPECT_GT(rows, 250);
}

TEST(InstructionTableTest, UpperHalvesOfProductsAddUp) {
  for (const Row& row : instructionTable()) {
    if (!checksItself(row.opcode)) continue;
    // a * b = high * 2^n + low, for unsigned; a signed product differs by a * 2^n where b < 0 and b * 2^n where a < 0.
    forAll(row, [&](const std::array<uint64_t, 4>& in, uint64_t result) {
      const int bits = bitsOf(row.result);
      auto high = static_cast<uint64_t>(
          (static_cast<unsigned __int128>(in[0]) * static_cast<unsigned __int128>(in[1])) >> bits);
      if (typeInfo(row.result).reading == Reading::Signed) {
        if (in[0] >> (bits - 1)) high -= in[1];
        if (in[1] >> (bits - 1)) high -= in[0];
      }
      if (row.count == 3) high += in[2];
      EXPECT_EQ(result, high & everyBit(row.result)) << row.opcode << " of " << in[0] << ", " << in[1];
    });
  }
}

TEST(InstructionTableTest, SignedPartsAreThePartsOfExtendedNumbers) {
  for (const char* opcode : {"bfe.s32", "bfe.s64"}) {
    const Row& row = *rowOf(opcode);
    forAll(row, [&](const std::array<uint64_t, 4>& in, uint64_t result) {
      const int from = static_cast<int>(in[1] & 255), length = static_cast<int>(in[2] & 255), bits = bitsOf(row.result);
      uint64_t expected = 0;
      if (length > 0) {
        const int sign = std::min(from + length - 1, bits - 1);
        for (int bit = 0; bit < bits; ++bit)
          expected |= (in[0] >> (bit < length ? std::min(from + bit, sign) : sign) & 1) << bit;
      }
      EXPECT_EQ(result, expected) << opcode << " of " << in[0] << ", " << from << ", " << length;
    });
  }
}

TEST(InstructionTableTest, BytesAndBitsMoveAsTheManualSays) {
  const auto run = [](const char* opcode, uint64_t a, uint64_t b = 0, uint64_t c = 0, uint64_t d = 0) {
    const Row* row = rowOf(opcode);
    FUSER_CHECK(row, opcode);
    LaneBuffer operands[4], result;
    const void* in[4];
    const uint64_t values[4] = {a, b, c, d};
    for (size_t i = 0; i < 4; ++i) {
      in[i] = operands[i].bytes;
      if (i < static_cast<size_t>(row->count)) setLane(operands[i].bytes, laneBytes(row->operands[i]), 0, values[i]);
    }
    runRow(*row, result.bytes, in);
    return laneOf(result.bytes, laneBytes(row->result), 0);
  };
  EXPECT_EQ(run("prmt.b32", 0x33221100, 0x77665584, 0x3210), 0x33221100u);
  EXPECT_EQ(run("prmt.b32", 0x33221100, 0x77665584, 0x7040), 0x77008400u);
  EXPECT_EQ(run("prmt.b32", 0x33221100, 0x77665584, 0xc804), 0xff000084u);
  EXPECT_EQ(run("shf.l.wrap.b32", 0x80000001, 0x12345678, 36), 0x23456788u);
  EXPECT_EQ(run("shf.r.wrap.b32", 0x80000001, 0x12345678, 36), 0x88000000u);
  EXPECT_EQ(run("shf.l.clamp.b32", 0x80000001, 0x12345678, 36), 0x80000001u);
  EXPECT_EQ(run("shf.r.clamp.b32", 0x80000001, 0x12345678, 36), 0x12345678u);
  EXPECT_EQ(run("lop3.b32", 0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa, 0xd8), 0xd8d8d8d8u & 0xffffffff);
  EXPECT_EQ(run("dp4a.s32.s32", 0x80ff0102, 0x80037f7f, 10), 10u + 16384 - 3 + 127 + 254);
  EXPECT_EQ(run("dp4a.u32.u32", 0x80ff0102, 0x80037f7f, 10), 10u + 16384 + 765 + 127 + 254);
  EXPECT_EQ(run("brev.b32", 0x00000003), 0xc0000000u);
  EXPECT_EQ(run("brev.b64", 1), uint64_t{1} << 63);
  EXPECT_EQ(run("bfind.u32", 0), 0xffffffffu);
  EXPECT_EQ(run("bfind.u32", 0x100), 8u);
  EXPECT_EQ(run("bfind.s32", 0xfffffeff), 8u);
  EXPECT_EQ(run("bfind.shiftamt.u32", 0x100), 23u);
  EXPECT_EQ(run("bfind.s64", ~uint64_t{0}), 0xffffffffu);
  EXPECT_EQ(run("unpack.b16.b64", 0x4444333322221111, 2), 0x3333u);
  EXPECT_EQ(run("unpack.b8.b32", 0x44332211, 3), 0x44u);
  EXPECT_EQ(run("unpack.b32.b64", 0x4444333322221111, 1), 0x44443333u);
}

// --- floats ---

// The result of an MPFR function of so many operands, rounded once to the type.
class Mpfr {
 public:
  Mpfr(Type type, mpfr_rnd_t rounding) : isDouble_(type == Type::F64), rounding_(rounding) {
    const int precision = isDouble_ ? 53 : 24;
    mpfr_set_emin(isDouble_ ? -1073 : -148);
    mpfr_set_emax(isDouble_ ? 1024 : 128);
    for (mpfr_t& each : x_) mpfr_init2(each, precision);
    mpfr_init2(result_, precision);
  }
  ~Mpfr() {
    for (mpfr_t& each : x_) mpfr_clear(each);
    mpfr_clear(result_);
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
  }

  double of(const std::string& name, const std::array<double, 3>& in) {
    for (size_t i = 0; i < 3; ++i) mpfr_set_d(x_[i], in[i], MPFR_RNDN);
    int inexact = 0;
    if (name == "add") inexact = mpfr_add(result_, x_[0], x_[1], rounding_);
    if (name == "sub") inexact = mpfr_sub(result_, x_[0], x_[1], rounding_);
    if (name == "mul") inexact = mpfr_mul(result_, x_[0], x_[1], rounding_);
    if (name == "div") inexact = mpfr_div(result_, x_[0], x_[1], rounding_);
    if (name == "fma") inexact = mpfr_fma(result_, x_[0], x_[1], x_[2], rounding_);
    if (name == "sqrt") inexact = mpfr_sqrt(result_, x_[0], rounding_);
    if (name == "rcp") inexact = mpfr_ui_div(result_, 1, x_[0], rounding_);
    mpfr_subnormalize(result_, inexact, rounding_);
    return mpfr_get_d(result_, MPFR_RNDN);
  }

 private:
  bool isDouble_;
  mpfr_rnd_t rounding_;
  mpfr_t x_[3], result_;
};

double floatOf(Type type, uint64_t bits) {
  return type == Type::F64 ? std::bit_cast<double>(bits) : std::bit_cast<float>(static_cast<uint32_t>(bits));
}

TEST(InstructionTableTest, FloatArithmeticRoundsOnceInEachDirection) {
  int rows = 0;
  for (const char* name : {"add", "sub", "mul", "div", "fma", "sqrt", "rcp"}) {
    for (const auto& [word, rounding] : {std::pair{"rn", MPFR_RNDN}, std::pair{"rz", MPFR_RNDZ},
                                         std::pair{"rm", MPFR_RNDD}, std::pair{"rp", MPFR_RNDU}}) {
      for (Type type : {Type::F32, Type::F64}) {
        const Row* row = rowOf(concat(name, ".", word, ".", typeInfo(type).text));
        ASSERT_NE(row, nullptr) << name << word;
        ++rows;
        Mpfr exact(type, rounding);
        int wrong = 0;
        forAll(*row, [&](const std::array<uint64_t, 4>& in, uint64_t result) {
          const double a = floatOf(type, in[0]), b = floatOf(type, in[1]), c = floatOf(type, in[2]);
          const double expected = exact.of(name, {a, row->count > 1 ? b : 0.0, row->count > 2 ? c : 0.0});
          const double given = floatOf(type, result);
          const bool same = expected != expected ? given != given
                                                 : given == expected && std::signbit(given) == std::signbit(expected);
          if (!same && ++wrong < 4)
            ADD_FAILURE() << row->opcode << " of " << a << ", " << b << ", " << c << " is " << given << ", not "
                          << expected;
          if (type == Type::F32 && given != given) {
            EXPECT_EQ(result, 0x7fffffffu) << row->opcode;
          }
        });
      }
    }
  }
  EXPECT_EQ(rows, 56);
}

TEST(InstructionTableTest, FloatComparisonsKnowNaN) {
  const std::map<std::string, std::function<bool(double, double)>> ordered = {
      {"eq", [](double a, double b) { return a == b; }}, {"lt", [](double a, double b) { return a < b; }},
      {"le", [](double a, double b) { return a <= b; }}, {"gt", [](double a, double b) { return a > b; }},
      {"ge", [](double a, double b) { return a >= b; }}, {"ne", [](double a, double b) { return a != b; }}};
  for (const auto& [name, function] : ordered) {
    for (Type type : {Type::F32, Type::F64}) {
      for (bool unordered : {false, true}) {
        const Row* row = rowOf(concat("setp.", name, unordered ? "u." : ".", typeInfo(type).text));
        ASSERT_NE(row, nullptr) << name;
        forAll(*row, [&](const std::array<uint64_t, 4>& in, uint64_t result) {
          const double a = floatOf(type, in[0]), b = floatOf(type, in[1]);
          const bool isNaN = a != a || b != b;
          EXPECT_EQ(result != 0, isNaN ? unordered : function(a, b)) << row->opcode << " of " << a << ", " << b;
        });
      }
    }
  }
}

TEST(InstructionTableTest, MinimaTakeTheNumberBesideNaN) {
  for (const char* opcode : {"min.f32", "max.f32", "min.f64", "max.f64"}) {
    const Row& row = *rowOf(opcode);
    const bool isMin = row.opcode.starts_with("min");
    forAll(row, [&](const std::array<uint64_t, 4>& in, uint64_t result) {
      const double a = floatOf(row.result, in[0]), b = floatOf(row.result, in[1]), given = floatOf(row.result, result);
      if (a != a && b != b) {
        EXPECT_NE(given, given);
      } else if (a == 0 && b == 0) {
        EXPECT_EQ(std::signbit(given), isMin ? std::signbit(a) || std::signbit(b) : std::signbit(a) && std::signbit(b));
      } else {
        EXPECT_EQ(given, isMin ? std::fmin(a, b) : std::fmax(a, b)) << opcode << " of " << a << ", " << b;
      }
    });
  }
}

TEST(InstructionTableTest, ConversionsToIntegersStopAtTheNearest) {
  const std::map<std::string, std::function<double(double)>> roundings = {
      {"rni", [](double a) { return std::nearbyint(a); }},
      {"rzi", [](double a) { return std::trunc(a); }},
      {"rmi", [](double a) { return std::floor(a); }},
      {"rpi", [](double a) { return std::ceil(a); }}};
  for (const auto& [name, function] : roundings) {
    for (Type from : {Type::F32, Type::F64}) {
      for (Type to : {Type::S8, Type::U8, Type::S16, Type::U16, Type::S32, Type::U32, Type::S64, Type::U64}) {
        const Row* row = rowOf(concat("cvt.", name, ".", typeInfo(to).text, ".", typeInfo(from).text));
        ASSERT_NE(row, nullptr);
        const bool isSigned = typeInfo(to).reading == Reading::Signed;
        const int bits = bitsOf(to);
        const Wide least = isSigned ? -(Wide{1} << (bits - 1)) : 0;
        const Wide most = isSigned ? (Wide{1} << (bits - 1)) - 1 : (Wide{1} << bits) - 1;
        forAll(*row, [&](const std::array<uint64_t, 4>& in, uint64_t result) {
          const double a = floatOf(from, in[0]), whole = function(a);
          Wide expected = from == Type::F64 || bits == 64 ? Wide{1} << (bits - 1) : 0;  // of NaN
          if (a == a) {
            expected = whole <= -0x1p70 ? least : whole >= 0x1p70 ? most : static_cast<Wide>(whole);
            expected = expected < least ? least : expected > most ? most : expected;
          }
          EXPECT_EQ(result, static_cast<uint64_t>(expected) & everyBit(to)) << row->opcode << " of " << a;
        });
      }
      const Row* row = rowOf(concat("cvt.", name, ".", typeInfo(from).text, ".", typeInfo(from).text));
      ASSERT_NE(row, nullptr);
      forAll(*row, [&](const std::array<uint64_t, 4>& in, uint64_t result) {
        const double a = floatOf(from, in[0]), given = floatOf(from, result), whole = function(a);
        EXPECT_TRUE(a != a ? given != given : given == whole && std::signbit(given) == std::signbit(whole))
            << row->opcode << " of " << a << " is " << given;
      });
    }
  }
}

TEST(InstructionTableTest, ConversionsToFloatsRoundOnce) {
  for (const auto& [word, rounding] : {std::pair{"rn", MPFR_RNDN}, std::pair{"rz", MPFR_RNDZ},
                                       std::pair{"rm", MPFR_RNDD}, std::pair{"rp", MPFR_RNDU}}) {
    for (Type to : {Type::F32, Type::F64}) {
      for (Type from : {Type::S8, Type::U8, Type::S16, Type::U16, Type::S32, Type::U32, Type::S64, Type::U64}) {
        const Row* row = rowOf(concat("cvt.", word, ".", typeInfo(to).text, ".", typeInfo(from).text));
        ASSERT_NE(row, nullptr);
        mpfr_t exact;
        mpfr_init2(exact, to == Type::F64 ? 53 : 24);
        forAll(*row, [&](const std::array<uint64_t, 4>& in, uint64_t result) {
          if (typeInfo(from).reading == Reading::Signed) {
            mpfr_set_si(exact, static_cast<int64_t>(integerOf(from, in[0])), rounding);
          } else {
            mpfr_set_ui(exact, in[0], rounding);
          }
          EXPECT_EQ(floatOf(to, result), mpfr_get_d(exact, MPFR_RNDN)) << row->opcode << " of " << in[0];
        });
        mpfr_clear(exact);
      }
    }
    const Row* row = rowOf(concat("cvt.", word, ".f32.f64"));
    ASSERT_NE(row, nullptr);
    Mpfr exact(Type::F32, rounding);
    mpfr_t wide, narrow;
    mpfr_init2(wide, 53);
    mpfr_init2(narrow, 24);
    forAll(*row, [&](const std::array<uint64_t, 4>& in, uint64_t result) {
      const double a = std::bit_cast<double>(in[0]), given = floatOf(Type::F32, result);
      mpfr_set_emin(mpfr_get_emin_min());
      mpfr_set_emax(mpfr_get_emax_max());
      mpfr_set_d(wide, a, MPFR_RNDN);
      mpfr_set_emin(-148);
      mpfr_set_emax(128);
      const int inexact = mpfr_set(narrow, wide, rounding);
      mpfr_subnormalize(narrow, mpfr_check_range(narrow, inexact, rounding), rounding);
      const double expected = mpfr_get_d(narrow, MPFR_RNDN);
      EXPECT_TRUE(a != a ? given != given : given == expected)
          << row->opcode << " of " << a << " is " << given << ", not " << expected;
    });
    mpfr_clear(wide);
    mpfr_clear(narrow);
  }
}

template <class Number>
uint16_t toBits(double value) {
  return Number(value).bits;
}

// Each number of 16 bits has its own number of 32 and comes back; between two of them the nearer one comes, or the
// even.
TEST(InstructionTableTest, SixteenBitsComeBack) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const auto f16 = static_cast<float>(Half::ofBits(half)), bf16 = static_cast<float>(Bfloat::ofBits(half));
    if (f16 == f16) {
      ASSERT_EQ(toBits<Half>(f16), half);
    }
    if (bf16 == bf16) {
      ASSERT_EQ(toBfloat(bf16).bits, half);
      ASSERT_EQ(toBits<Bfloat>(bf16), half);
    }
    const bool isFinite = (bits & 0x7fff) < 0x7bff;
    if (!isFinite) continue;
    const float next = static_cast<float>(Half::ofBits(static_cast<uint16_t>(half + 1))),
                middle = f16 + (next - f16) / 2;
    ASSERT_EQ(toBits<Half>(middle), bits & 1 ? half + 1 : half) << bits;
    ASSERT_EQ(toBits<Half>(std::nextafter(middle, f16)), half) << bits;
    ASSERT_EQ(toBits<Half>(std::nextafter(middle, next)), half + 1) << bits;
    const float bf16Middle = std::bit_cast<float>(bits << 16 | 0x8000);
    ASSERT_EQ(toBfloat(bf16Middle).bits, bits & 1 ? half + 1 : half) << bits;
  }
}

TEST(InstructionTableTest, ApproximationsAreExactWhereTheManualSaysSo) {
  const auto run = [](const char* opcode, float a) {
    const Row& row = *rowOf(opcode);
    LaneBuffer operand, result;
    const void* in[4] = {operand.bytes};
    setLane(operand.bytes, 4, 0, std::bit_cast<uint32_t>(a));
    runRow(row, result.bytes, in);
    return std::bit_cast<float>(static_cast<uint32_t>(laneOf(result.bytes, 4, 0)));
  };
  for (int exponent = -126; exponent <= 127; ++exponent) {
    EXPECT_EQ(run("ex2.approx.ftz.f32", static_cast<float>(exponent)), std::ldexp(1.0f, exponent));
    if (exponent < 127) {
      EXPECT_EQ(run("rcp.approx.ftz.f32", std::ldexp(1.0f, exponent)), std::ldexp(1.0f, -exponent));
    }
    if (exponent % 2 == 0) {
      EXPECT_EQ(run("rsqrt.approx.f32", std::ldexp(1.0f, exponent)), std::ldexp(1.0f, -exponent / 2));
    }
  }
  EXPECT_EQ(run("ex2.approx.ftz.f32", -126.5f), 0.0f);
  EXPECT_EQ(run("ex2.approx.f32", -149.0f), 0x1p-149f);
  EXPECT_EQ(run("rcp.approx.ftz.f32", 0x1p-127f), INFINITY);
  EXPECT_EQ(run("rcp.approx.ftz.f32", -0.0f), -INFINITY);
  EXPECT_EQ(run("lg2.approx.f32", 0.0f), -INFINITY);
}

TEST(InstructionTableTest, NamesEachOpcodeOnce) {
  EXPECT_GT(instructionTable().size(), 600u);
  EXPECT_EQ(rowOf("add.s3"), nullptr);
  EXPECT_EQ(rowOf("add.s32")->opcode, "add.s32");
}

}  // namespace
}  // namespace fuser::ptx
