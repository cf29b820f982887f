// Instructions of integers and bits that are more than a wrapping operation, against arithmetic of 128 bits.

#include <functional>
#include <map>

#include "fuser/support/split_mix.h"
#include "tests/fuser/ptx/kernel.h"
#include "tests/fuser/ptx/rows.h"

namespace fuser::ptx {
namespace {

std::vector<RowOperands> samplesOf(const Row& row) {
  std::vector<RowOperands> all{{}};
  for (size_t i = 0; i < static_cast<size_t>(row.count); ++i) {
    const uint64_t every = everyBit(row.operands[i]), sign = every ^ every >> 1;
    std::vector<RowOperands> longer;
    for (const RowOperands& operands : all) {
      for (uint64_t value : {uint64_t{0}, uint64_t{1}, uint64_t{2}, uint64_t{31}, uint64_t{32}, uint64_t{200},
                             uint64_t{0x7fffff}, uint64_t{0x800000}, sign - 1, sign, sign + 1, every - 1, every}) {
        longer.push_back(operands);
        longer.back()[i] = value & every;
      }
    }
    all = std::move(longer);
  }
  for (uint64_t i = 0; i < 2000; ++i) {
    RowOperands random{};
    for (size_t k = 0; k < static_cast<size_t>(row.count); ++k)
      random[k] = splitMix64(4 * i + k) >> (i % 7 * 9) & everyBit(row.operands[k]);
    all.push_back(random);
  }
  return all;
}

Wide clamped(Wide value, Wide least, Wide most) { return value < least ? least : value > most ? most : value; }
Wide clampedTo32(Wide value) { return clamped(value, -(Wide{1} << 31), (Wide{1} << 31) - 1); }
// Bits [from, from + count) as a signed or unsigned number.
Wide part(Wide bits, int from, int count, bool isSigned) {
  const Wide value = bits >> from & ((Wide{1} << count) - 1);
  return isSigned && (value >> (count - 1) & 1) != 0 ? value - (Wide{1} << count) : value;
}
Wide product24(Wide a, Wide b, bool isSigned) { return part(a, 0, 24, isSigned) * part(b, 0, 24, isSigned); }
Wide dot(const Wide* x, int bits, int from, bool isSignedA, bool isSignedB) {
  Wide sum = x[2];
  for (int i = 0; i < 32 / bits; ++i)
    sum += part(x[0], bits * i, bits, isSignedA) * part(x[1], from + 8 * i, 8, isSignedB);
  return sum;
}
Wide packed(const Wide* x, int bits, Wide least, Wide most) {
  const Wide mask = (Wide{1} << bits) - 1;
  const Wide below = (clamped(x[0], least, most) & mask) << bits | (clamped(x[1], least, most) & mask);
  return bits == 16 ? below : x[2] << (2 * bits) | below;
}
Wide extended(Wide a, Wide bits, bool isSigned) {
  return bits == 0 ? 0 : bits >= 32 ? a : part(a, 0, static_cast<int>(bits), isSigned);
}
Wide ones(Wide from, Wide count) {
  Wide mask = 0;
  for (Wide bit = from; bit < from + count && bit < 32; ++bit) mask |= Wide{1} << static_cast<int>(bit);
  return mask;
}
Wide nth(Wide mask, Wide base, Wide n) {
  if (base > 31) return -1;
  if (n == 0) return mask >> static_cast<int>(base) & 1 ? base : -1;
  Wide count = 0;
  for (Wide at = base; at >= 0 && at<32; at += n> 0 ? 1 : -1) {
    count += mask >> static_cast<int>(at) & 1;
    if (count == (n > 0 ? n : -n)) return at;
  }
  return -1;
}

TEST(IntegerInstructionsTest, AgreeWithWiderArithmetic) {
  using Function = std::function<Wide(const Wide*)>;
  std::map<std::string, Function> functions = {
      {"add.sat.s32", [](const Wide* x) { return clampedTo32(x[0] + x[1]); }},
      {"sub.sat.s32", [](const Wide* x) { return clampedTo32(x[0] - x[1]); }},
      {"mad.hi.sat.s32", [](const Wide* x) { return clampedTo32((x[0] * x[1] >> 32) + x[2]); }},
      {"mad24.hi.sat.s32", [](const Wide* x) { return clampedTo32((product24(x[0], x[1], true) >> 16) + x[2]); }},
      {"min.relu.s32", [](const Wide* x) { return clamped(x[0] < x[1] ? x[0] : x[1], 0, Wide{1} << 40); }},
      {"max.relu.s32", [](const Wide* x) { return clamped(x[0] > x[1] ? x[0] : x[1], 0, Wide{1} << 40); }},
      {"szext.wrap.u32", [](const Wide* x) { return extended(x[0], x[1] & 31, false); }},
      {"szext.wrap.s32", [](const Wide* x) { return extended(x[0], x[1] & 31, true); }},
      {"szext.clamp.u32", [](const Wide* x) { return extended(x[0], x[1], false); }},
      {"szext.clamp.s32", [](const Wide* x) { return extended(x[0], x[1], true); }},
      {"bmsk.wrap.b32", [](const Wide* x) { return ones(x[0] & 31, x[1] & 31); }},
      {"bmsk.clamp.b32", [](const Wide* x) { return ones(x[0], x[1]); }},
      {"fns.b32", [](const Wide* x) { return nth(x[0], x[1], x[2]); }},
      {"cvt.pack.sat.u16.s32", [](const Wide* x) { return packed(x, 16, 0, 65535); }},
      {"cvt.pack.sat.s16.s32", [](const Wide* x) { return packed(x, 16, -32768, 32767); }},
      {"cvt.pack.sat.u8.s32.b32", [](const Wide* x) { return packed(x, 8, 0, 255); }},
      {"cvt.pack.sat.s8.s32.b32", [](const Wide* x) { return packed(x, 8, -128, 127); }},
      {"cvt.pack.sat.u4.s32.b32", [](const Wide* x) { return packed(x, 4, 0, 15); }},
      {"cvt.pack.sat.s4.s32.b32", [](const Wide* x) { return packed(x, 4, -8, 7); }},
      {"cvt.pack.sat.u2.s32.b32", [](const Wide* x) { return packed(x, 2, 0, 3); }},
      {"cvt.pack.sat.s2.s32.b32", [](const Wide* x) { return packed(x, 2, -2, 1); }},
  };
  for (const char* type : {"s16", "s32", "s64", "u16", "u32", "u64"}) {
    functions[concat("sad.", type)] = [](const Wide* x) { return x[2] + (x[0] < x[1] ? x[1] - x[0] : x[0] - x[1]); };
    functions[concat("slct.", type, ".s32")] = [](const Wide* x) { return x[2] >= 0 ? x[0] : x[1]; };
  }
  for (const char* type : {"b16", "b32", "b64"})
    functions[concat("cnot.", type)] = [](const Wide* x) { return Wide{x[0] == 0}; };
  for (bool isSigned : {false, true}) {
    const char* type = isSigned ? "s32" : "u32";
    functions[concat("mul24.lo.", type)] = [=](const Wide* x) { return product24(x[0], x[1], isSigned); };
    functions[concat("mul24.hi.", type)] = [=](const Wide* x) { return product24(x[0], x[1], isSigned) >> 16; };
    functions[concat("mad24.lo.", type)] = [=](const Wide* x) { return product24(x[0], x[1], isSigned) + x[2]; };
    functions[concat("mad24.hi.", type)] = [=](const Wide* x) {
      return (product24(x[0], x[1], isSigned) >> 16) + x[2];
    };
    for (bool isSignedB : {false, true}) {
      const std::string types = concat(type, isSignedB ? ".s32" : ".u32");
      functions["dp4a." + types] = [=](const Wide* x) { return dot(x, 8, 0, isSigned, isSignedB); };
      functions["dp2a.lo." + types] = [=](const Wide* x) { return dot(x, 16, 0, isSigned, isSignedB); };
      functions["dp2a.hi." + types] = [=](const Wide* x) { return dot(x, 16, 16, isSigned, isSignedB); };
    }
  }
  for (const auto& [opcode, function] : functions) {
    const Row& row = rowNamed(opcode);
    const std::vector<RowOperands> samples = samplesOf(row);
    const std::vector<uint64_t> results = resultsOf(row, samples);
    for (size_t i = 0; i < samples.size(); ++i) {
      Wide in[4]{};
      for (size_t k = 0; k < static_cast<size_t>(row.count); ++k) in[k] = integerOf(row.operands[k], samples[i][k]);
      ASSERT_EQ(results[i], static_cast<uint64_t>(function(in)) & everyBit(row.result))
          << opcode << " of " << samples[i][0] << ", " << samples[i][1] << ", " << samples[i][2];
    }
  }
}

TEST(IntegerInstructionsTest, PairsAreTheirHalves) {
  for (std::string_view type : {"s16", "u16"}) {
    for (std::string_view name : {"add.", "min.", "max.", "min.relu.", "max.relu."}) {
      const bool isRelu = name.ends_with("relu.");
      if (isRelu && type == "u16") continue;
      const Row& row = rowNamed(concat(name, type, "x2"));
      const Row& each = rowNamed(concat(name.substr(0, 4), type));
      for (uint64_t i = 0; i < 2000; ++i) {
        const uint64_t a = splitMix64(i) & 0xffffffff, b = splitMix64(i + 5000) & 0xffffffff;
        uint64_t expected = 0;
        for (int half = 0; half < 2; ++half) {
          uint64_t one = resultsOf(each, {{a >> (16 * half) & 0xffff, b >> (16 * half) & 0xffff}})[0];
          if (isRelu && (one & 0x8000)) one = 0;
          expected |= one << (16 * half);
        }
        ASSERT_EQ(resultsOf(row, {{a, b}})[0], expected) << row.opcode << " of " << a << ", " << b;
      }
    }
  }
}

// The tables of the manual, the highest byte first.
TEST(IntegerInstructionsTest, PermutationsHaveTheirModes) {
  const std::map<std::string, std::array<uint32_t, 4>> modes = {
      {"f4e", {0x3210, 0x4321, 0x5432, 0x6543}}, {"b4e", {0x5670, 0x6701, 0x7012, 0x0123}},
      {"rc8", {0x0000, 0x1111, 0x2222, 0x3333}}, {"ecl", {0x3210, 0x3211, 0x3222, 0x3333}},
      {"ecr", {0x0000, 0x1110, 0x2210, 0x3210}}, {"rc16", {0x1010, 0x3232, 0x1010, 0x3232}}};
  for (const auto& [mode, selectors] : modes) {
    for (uint64_t i = 0; i < 4; ++i) {
      EXPECT_EQ(resultOf("prmt.b32." + mode, {0x33221100, 0x77665544, i + 4}),
                resultOf("prmt.b32", {0x33221100, 0x77665544, selectors[i]}))
          << mode << i;
    }
  }
}

uint32_t firstOf(const std::string& body) { return run({concat(body, "\nst.global.u32 [%o], %r1;"), "", 1, 1})[0]; }

TEST(IntegerInstructionsTest, LogicOfThreeGivesAPredicate) {
  const std::string operands = "mov.u32 %r2, 12;\nmov.u32 %r3, 10;\nmov.u32 %r4, 0;\nsetp.eq.s32 %p2, 0, 1;\n";
  const std::string select = "\nselp.u32 %r5, 100, 0, %p1;\nadd.u32 %r1, %r1, %r5;";
  EXPECT_EQ(firstOf(operands + "lop3.or.b32 %r1|%p1, %r2, %r3, %r4, 0xc0, %p2;" + select), 108u);
  EXPECT_EQ(firstOf(operands + "lop3.and.b32 %r1|%p1, %r2, %r3, %r4, 0xc0, %p2;" + select), 8u);
  EXPECT_EQ(firstOf(operands + "mov.u32 %r1, 3;\nlop3.and.b32 _|%p1, %r2, %r3, %r4, 0x80, !%p2;" + select), 3u);
}

}  // namespace
}  // namespace fuser::ptx
