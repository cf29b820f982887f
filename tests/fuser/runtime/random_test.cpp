// Random numbers: the words are Philox's, their distributions are right, and nothing but place, seed and offset decides
// them.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "fuser/case/philox.h"
#include "fuser/ops/op_eval.h"
#include "tests/fuser/runtime/session.h"

namespace fuser {
namespace {

constexpr int64_t kCount = int64_t{1} << 20;

std::vector<double> drawn(const std::string& call) {
  Session session(concat("fusion f() {\n  %y = ", call, "\n  return %y\n}\nrun { }"));
  return elements(session.run().outputs.at(0));
}

struct Moments {
  double mean = 0, variance = 0, skewness = 0;
};
Moments momentsOf(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  Moments moments;
  for (double value : values) moments.mean += value / count;
  for (double value : values) moments.variance += (value - moments.mean) * (value - moments.mean) / count;
  for (double value : values) moments.skewness += std::pow(value - moments.mean, 3) / count;
  moments.skewness /= std::pow(moments.variance, 1.5);
  return moments;
}

// Pearson's chi-square over classes of equal probability; `position` of a value is in [0, 1).
template <class Position>
double chiSquare(const std::vector<double>& values, size_t classes, Position position) {
  std::vector<double> counts(classes, 0);
  for (double value : values) counts.at(static_cast<size_t>(position(value) * static_cast<double>(classes))) += 1;
  const double expected = static_cast<double>(values.size()) / static_cast<double>(classes);
  double sum = 0;
  for (double count : counts) sum += (count - expected) * (count - expected) / expected;
  return sum;
}

// Within five standard deviations of its mean, which is the degrees of freedom; their variance is twice that.
void expectFits(double chiSquare, size_t classes) {
  const auto freedom = static_cast<double>(classes - 1);
  EXPECT_NEAR(chiSquare, freedom, 5 * std::sqrt(2 * freedom));
}

TEST(RandomTest, AWordIsPhiloxOfCounterAndKey) {
  const auto word = [](int64_t counter, int64_t key) {
    const ScalarValue operands[] = {counter, key};
    return evaluateScalar(OpKind::Philox, operands).as<int64_t>();
  };
  // The paper's known answers for zeros; others against the generator of recipes.
  EXPECT_EQ(static_cast<uint64_t>(word(0, 0)), 0xE169C58D6627E8D5u);
  for (const auto& [counter, key] :
       {std::pair<int64_t, int64_t>(1, 2), {-1, -1}, {int64_t{1} << 40, 7}, {9, INT64_MIN}}) {
    const auto low = [](int64_t value) { return static_cast<uint32_t>(value); };
    const auto high = [](int64_t value) { return static_cast<uint32_t>(static_cast<uint64_t>(value) >> 32); };
    const PhiloxBlock block = philox4x32({low(counter), high(counter), 0, 0}, {low(key), high(key)});
    EXPECT_EQ(static_cast<uint64_t>(word(counter, key)), static_cast<uint64_t>(block[1]) << 32 | block[0]);
  }
}

TEST(RandomTest, UniformNumbersOfEachDtypeFillTheirRange) {
  for (const auto& [dtype, bits] : {std::pair("f64", 53), {"f32", 24}, {"f16", 11}, {"bf16", 8}}) {
    SCOPED_TRACE(dtype);
    const std::vector<double> values = drawn(concat("rand() {shape = [", kCount, "], dtype = ", dtype, "}"));
    const Moments moments = momentsOf(values);
    const double step = std::ldexp(1, -bits);
    EXPECT_NEAR(moments.mean, 0.5 - step / 2, 0.002);
    EXPECT_NEAR(moments.variance, 1.0 / 12, 0.001);
    EXPECT_LT(*std::max_element(values.begin(), values.end()), 1);
    EXPECT_GE(*std::min_element(values.begin(), values.end()), 0);
    EXPECT_TRUE(std::all_of(values.begin(), values.end(), [&](double v) { return std::fmod(v, step) == 0; }));
    expectFits(chiSquare(values, 256, [](double v) { return v; }), 256);
  }
}

TEST(RandomTest, NormalNumbersAreNormal) {
  for (const char* dtype : {"f64", "f32", "f16", "bf16"}) {
    SCOPED_TRACE(dtype);
    const std::vector<double> values = drawn(concat("randn() {shape = [", kCount, "], dtype = ", dtype, "}"));
    const Moments moments = momentsOf(values);
    EXPECT_NEAR(moments.mean, 0, 0.005);
    EXPECT_NEAR(moments.variance, 1, 0.01);
    EXPECT_NEAR(moments.skewness, 0, 0.015);
    if (std::string_view(dtype).ends_with("16")) continue;  // whose steps are wider than a class
    expectFits(chiSquare(values, 256, [](double v) { return std::erfc(-v / std::sqrt(2.0)) / 2; }), 256);
  }
}

TEST(RandomTest, IntegersAreAllEquallyLikely) {
  const std::vector<double> values = drawn(concat("randint() {low = -3, high = 97, shape = [", kCount, "]}"));
  expectFits(chiSquare(values, 100, [](double v) { return (v + 3.5) / 100; }), 100);
}

TEST(RandomTest, DropoutKeepsItsShareAndTheMean) {
  Session session(concat(R"(
fusion f(%x: f32[i0]) {
  %y = dropout(%x) {p = 0.25}
  return %y
}
run { %x = integers(seed = 1, low = 1, high = 2) : f32[)",
                         kCount, "] }"));
  const std::vector<double> values = elements(session.run().outputs.at(0));
  const auto dropped = static_cast<double>(std::count(values.begin(), values.end(), 0.0));
  EXPECT_NEAR(dropped / static_cast<double>(kCount), 0.25, 0.0025);
  EXPECT_NEAR(momentsOf(values).mean, 1, 0.005);
}

TEST(RandomTest, SizesOfOtherOpsDeadOpsAndCutsChangeNoBit) {
  const auto second = [](const std::string& before, const std::string& cut, bool isReturned = true,
                         const std::string& behind = "") {
    Session session(concat(
        "fusion f(%x: f32[4]) {\n  %a = ", before, "\n  %y = randn() {shape = [2, 50]}\n  %z = ", cut, "(%y)\n", behind,
        "  return %z", isReturned ? ", %a" : "", "\n}\noption rng_seed = 5\nrun { %x = normal(seed = 1) : f32[4] }"));
    return elements(session.run().outputs.at(0));
  };
  const std::vector<double> wanted = second("rand() {shape = [3]}", "set");
  EXPECT_EQ(second("randn() {shape = [1000], dtype = f64}", "set"), wanted);
  EXPECT_EQ(second("dropout(%x)", "set"), wanted);
  EXPECT_EQ(second("rand() {shape = [3]}", "segment_set"), wanted);
  EXPECT_EQ(second("rand() {shape = [3]}", "set", false), wanted) << "a dead op has its place";
  EXPECT_EQ(second("rand() {shape = [3]}", "set", true, "  %d = rand() {shape = [9]}\n"), wanted);
  EXPECT_NE(second("neg(%x)", "set"), wanted) << "the offset is the place among random ops";
}

TEST(RandomTest, NumbersOfTwoOpsAreIndependent) {
  const auto correlation = [](const std::vector<double>& a, const std::vector<double>& b) {
    const double meanA = momentsOf(a).mean, meanB = momentsOf(b).mean;
    double sum = 0;
    for (size_t i = 0; i < a.size(); ++i) sum += (a[i] - meanA) * (b[i] - meanB);
    return sum / static_cast<double>(a.size()) / std::sqrt(momentsOf(a).variance * momentsOf(b).variance);
  };
  const auto with = [](const char* attributes) {
    return drawn(concat("rand() {shape = [", kCount / 4, "], ", attributes, "}"));
  };
  const std::vector<double> first = with("seed = 0, offset = 0");
  for (const char* other : {"seed = 0, offset = 1", "seed = 1, offset = 0", "seed = 0, offset = 256"}) {
    EXPECT_NEAR(correlation(first, with(other)), 0, 0.01) << other;
  }
  const std::vector<double> shifted(first.begin() + 1, first.end());
  EXPECT_NEAR(correlation({first.begin(), first.end() - 1}, shifted), 0, 0.01) << "neighbours";
}

TEST(RandomTest, ScaledNumbersHaveTheirMoments) {
  const Moments normal = momentsOf(drawn(concat("normal() {shape = [", kCount, "], mean = 3.0, std = 0.5}")));
  EXPECT_NEAR(normal.mean, 3, 0.003);
  EXPECT_NEAR(normal.variance, 0.25, 0.002);
  const std::vector<double> uniform = drawn(concat("uniform() {shape = [", kCount, "], low = -2.0, high = 6.0}"));
  EXPECT_NEAR(momentsOf(uniform).mean, 2, 0.02);
  EXPECT_NEAR(momentsOf(uniform).variance, 64.0 / 12, 0.03);
  EXPECT_LE(*std::max_element(uniform.begin(), uniform.end()), 6);
  EXPECT_GE(*std::min_element(uniform.begin(), uniform.end()), -2);
}

TEST(RandomTest, ProbabilitiesAreThoseOfEachElement) {
  Session session(concat(R"(
fusion f(%x: f32[i0]) {
  %p = mul(%x, 0.125)
  %y = bernoulli(%p)
  %k = bernoulli(%x) {p = 0.75}
  return %p, %y, %k
}
run { %x = integers(seed = 1, low = 0, high = 9) : f32[)",
                         kCount, "] }"));
  const RunRecord record = session.run();
  const std::vector<double> p = elements(record.outputs.at(0)), y = elements(record.outputs.at(1));
  std::map<double, std::pair<double, double>> counts;  // by probability: of all, of ones
  for (size_t i = 0; i < p.size(); ++i) {
    counts[p[i]].first += 1;
    counts[p[i]].second += y[i];
  }
  EXPECT_EQ(counts.size(), 9u);
  for (const auto& [probability, count] : counts) {
    EXPECT_NEAR(count.second / count.first, probability, 0.008) << probability;
  }
  EXPECT_EQ(counts.at(0).second, 0);
  EXPECT_EQ(counts.at(1).second, counts.at(1).first);
  EXPECT_NEAR(momentsOf(elements(record.outputs.at(2))).mean, 0.75, 0.003);
}

TEST(RandomTest, LiteralsOutOfRangeAreRefused) {
  const auto refusal = [](const std::string& call) -> std::string {
    try {
      drawn(call);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  };
  const auto says = [&](const std::string& call, std::string_view what) {
    EXPECT_NE(refusal(call).find(what), std::string::npos) << call << ": " << refusal(call);
  };
  says("normal() {shape = [2], std = -1.0}", "normal: std = -1.0 is outside [0, inf]");
  says("randint() {shape = [2], low = 3, high = 3}",
       "there are no numbers, or more than 2^63, from 3 up to, but not, 3");
  says("randint() {shape = [2], high = 300, dtype = i8}", "numbers from 0 up to 300 are not all of i8");
  says("randint() {shape = [2], low = -9000000000000000000, high = 9000000000000000000}", "more than 2^63");
  says("rand() {shape = [2], dtype = i32}", "are floats, not i32");
  says("rand() {shape = [2], seed = 1.5}", "seed and offset are i64, not f64");
  EXPECT_EQ(refusal("randint() {shape = [2], low = -128, high = 128, dtype = i8}"), "");
}

TEST(RandomTest, SeedAndOffsetTellOpsApart) {
  const auto with = [](const char* attributes) { return drawn(concat("rand() {shape = [100], ", attributes, "}")); };
  const std::vector<double> first = with("seed = 1, offset = 2");
  EXPECT_EQ(with("offset = 2, seed = 1"), first);
  EXPECT_NE(with("seed = 2, offset = 2"), first);
  EXPECT_NE(with("seed = 2, offset = 1"), first);
  EXPECT_NE(with("seed = 1, offset = 3"), first);
}

}  // namespace
}  // namespace fuser
