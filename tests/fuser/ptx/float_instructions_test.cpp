// Instructions of f32 that flush subnormal numbers or clamp, and tests of floats, against <cmath>.

#include <cfenv>
#include <functional>
#include <map>

#include "fuser/support/split_mix.h"
#include "tests/fuser/ptx/kernel.h"
#include "tests/fuser/ptx/rows.h"

namespace fuser::ptx {
namespace {

uint64_t bitsOfFloat(float value) { return std::bit_cast<uint32_t>(value); }
float floatOf(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }

std::vector<RowOperands> samples() {
  const std::vector<float> values = {
      0.0f,     -0.0f,    1.0f,     -1.0f,     0.75f, 0x1p-126f, 0x1p-127f,       -0x1p-149f,
      0x1p-64f, 0x1p-75f, INFINITY, -INFINITY, (NAN), 0.1f,      0x1.fffffep127f, 3.0f};
  std::vector<RowOperands> all;
  for (float a : values) {
    for (float b : values) {
      for (float c : values) all.push_back({bitsOfFloat(a), bitsOfFloat(b), bitsOfFloat(c)});
    }
  }
  for (uint64_t i = 0; i < 3000; ++i)
    all.push_back({splitMix64(i) >> 32, splitMix64(i + 3000) >> 32, splitMix64(i + 6000) >> 32});
  return all;
}

float zeroed(float value) { return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value; }
float unit(float value) { return value > 0 ? std::fmin(value, 1.0f) : 0.0f; }

void expectAll(const std::string& opcode, const std::function<float(float, float, float)>& expected,
               int rounding = FE_TONEAREST) {
  static const std::vector<RowOperands> kSamples = samples();
  const std::vector<uint64_t> results = resultsOf(rowNamed(opcode), kSamples);
  for (size_t i = 0; i < kSamples.size(); ++i) {
    const float a = floatOf(kSamples[i][0]), b = floatOf(kSamples[i][1]), c = floatOf(kSamples[i][2]);
    std::fesetround(rounding);
    const float wanted = expected(a, b, c);
    std::fesetround(FE_TONEAREST);
    ASSERT_PRED2(isSame, floatOf(results[i]), wanted) << opcode << " of " << a << ", " << b << ", " << c;
  }
}

TEST(FloatInstructionsTest, ModifiersFlushAndClampInEachDirection) {
  const std::map<std::string, std::function<float(float, float, float)>> functions = {
      {"add", [](float a, float b, float) { return a + b; }},
      {"sub", [](float a, float b, float) { return a - b; }},
      {"mul", [](float a, float b, float) { return a * b; }},
      {"div", [](float a, float b, float) { return a / b; }},
      {"sqrt", [](float a, float, float) { return std::sqrt(a); }},
      {"rcp", [](float a, float, float) { return 1 / a; }},
      {"fma", [](float a, float b, float c) { return std::fma(a, b, c); }},
  };
  for (const auto& [name, function] : functions) {
    const auto flushed = [&](float a, float b, float c) { return zeroed(function(zeroed(a), zeroed(b), zeroed(c))); };
    const bool clamps = name == "add" || name == "sub" || name == "mul" || name == "fma";
    for (const auto& [word, rounding] :
         {std::pair{".rn", FE_TONEAREST}, std::pair{".rz", FE_TOWARDZERO}, std::pair{".rm", FE_DOWNWARD},
          std::pair{".rp", FE_UPWARD}, std::pair{"", FE_TONEAREST}}) {
      if (*word == 0 && (!clamps || name == "fma")) continue;
      expectAll(concat(name, word, ".ftz.f32"), flushed, rounding);
      if (!clamps) continue;
      expectAll(
          concat(name, word, ".sat.f32"), [&](float a, float b, float c) { return unit(function(a, b, c)); }, rounding);
      expectAll(
          concat(name, word, ".ftz.sat.f32"), [&](float a, float b, float c) { return unit(flushed(a, b, c)); },
          rounding);
    }
  }
}

TEST(FloatInstructionsTest, SignsMinimaAndMaximaFlush) {
  expectAll("neg.ftz.f32", [](float a, float, float) { return -zeroed(a); });
  expectAll("abs.ftz.f32", [](float a, float, float) { return std::fabs(zeroed(a)); });
  for (bool isMin : {true, false}) {
    const std::string name = isMin ? "min" : "max";
    const auto chosen = [&](float a, float b) {
      if (a != a || b != b) return a != a ? b : a;
      if (a == 0 && b == 0) return std::signbit(a) == isMin ? a : b;
      return isMin ? std::fmin(a, b) : std::fmax(a, b);
    };
    expectAll(name + ".ftz.f32", [&](float a, float b, float) { return chosen(zeroed(a), zeroed(b)); });
    expectAll(name + ".ftz.NaN.f32",
              [&](float a, float b, float) { return a != a || b != b ? NAN : chosen(zeroed(a), zeroed(b)); });
    expectAll(name + ".xorsign.abs.f32", [&](float a, float b, float) {
      const float size = chosen(std::fabs(a), std::fabs(b));
      return std::signbit(a) == std::signbit(b) ? size : -size;
    });
  }
}

TEST(FloatInstructionsTest, SelectionsBySignTakeZerosAsPositive) {
  for (const auto& [c, first] : {std::pair{0.0f, true}, std::pair{-0.0f, true}, std::pair{-0x1p-149f, false},
                                 std::pair{NAN, false}, std::pair{3.0f, true}, std::pair{-INFINITY, false}}) {
    EXPECT_EQ(resultOf("slct.b64.f32", {7, 8, bitsOfFloat(c)}), first ? 7u : 8u) << c;
  }
  EXPECT_EQ(resultOf("slct.ftz.u16.f32", {7, 8, bitsOfFloat(-0x1p-149f)}), 7u);
}

TEST(FloatInstructionsTest, TestsKnowEachKindOfNumber) {
  for (const RowOperands& sample : samples()) {
    const float a = floatOf(sample[0]);
    const int kind = std::fpclassify(a);
    const std::map<std::string, bool> expected = {{"finite", kind != FP_NAN && kind != FP_INFINITE},
                                                  {"infinite", kind == FP_INFINITE},
                                                  {"number", kind != FP_NAN},
                                                  {"notanumber", kind == FP_NAN},
                                                  {"normal", kind == FP_NORMAL},
                                                  {"subnormal", kind == FP_SUBNORMAL}};
    for (const auto& [name, value] : expected) {
      ASSERT_EQ(resultOf(concat("testp.", name, ".f32"), {sample[0]}), value) << name << " of " << a;
      const bool wide = name == "normal" ? value || kind == FP_SUBNORMAL : name != "subnormal" && value;
      ASSERT_EQ(resultOf(concat("testp.", name, ".f64"), {std::bit_cast<uint64_t>(double{a})}), wide) << name << a;
    }
  }
}

TEST(FloatInstructionsTest, PairsOfFloatsAreTheirHalves) {
  const std::vector<RowOperands> all = samples();
  for (const char* name : {"add.rn.", "sub.rn.", "mul.rn.", "fma.rn.", "add.rn.ftz.", "fma.rn.ftz."}) {
    const Row& each = rowNamed(concat(name, "f32"));
    std::vector<RowOperands> pairs;
    for (size_t i = 0; i + 1 < all.size(); ++i)
      pairs.push_back(
          {all[i][0] | all[i + 1][0] << 32, all[i][1] | all[i + 1][1] << 32, all[i][2] | all[i + 1][2] << 32});
    const std::vector<uint64_t> single = resultsOf(each, all),
                                paired = resultsOf(rowNamed(concat(name, "f32x2")), pairs);
    for (size_t i = 0; i < pairs.size(); ++i) ASSERT_EQ(paired[i], single[i] | single[i + 1] << 32) << name;
  }
}

}  // namespace
}  // namespace fuser::ptx
