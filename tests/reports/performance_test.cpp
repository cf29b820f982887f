// The performance check on simulated noise: a doubled cost is SLOW, an unchanged one SAME, too much noise UNSURE; and
// what it says to files that are broken or do not match.

#include "reports/performance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>

#include "fuser/support/check.h"

namespace reports {
namespace {

using nlohmann::json;

// What a loaded machine does to a ratio: most repetitions scatter a little, some are disturbed, all of a file are
// shifted a little together.
class Noise {
 public:
  explicit Noise(uint64_t seed) : state_(seed * 2654435769u + 1) {}
  double uniform() {
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<double>(state_ >> 11) * 0x1p-53;
  }
  double around(double value, double scatter) {
    double sum = 0;
    for (int i = 0; i < 12; ++i) sum += uniform();
    const double disturbed = uniform() < 0.15 ? 1 + 4 * scatter * uniform() : 1;
    return value * (1 + scatter * (sum - 6)) * disturbed;
  }

 private:
  uint64_t state_;
};

json file() {
  return {{"context", {{"machine", "a"}, {"num_cpus", 2}, {"build", "Release"}, {"compiler", "g++ 12"}}},
          {"benchmarks", json::array()}};
}

void addBenchmark(json& out, const std::string& name, const std::vector<double>& costs) {
  for (size_t i = 0; i < costs.size(); ++i) {
    out["benchmarks"].push_back({{"name", name},
                                 {"run_name", name},
                                 {"run_type", "iteration"},
                                 {"repetition_index", i},
                                 {"cpu_time", 1.5},
                                 {"relative_cost", costs[i]}});
  }
  out["benchmarks"].push_back(
      {{"name", name + "_mean"}, {"run_name", name}, {"run_type", "aggregate"}, {"relative_cost", 1e9}});
}

std::vector<double> sample(Noise& noise, double cost, double scatter, size_t repetitions = 9) {
  std::vector<double> costs;
  const double together = noise.around(1, scatter / 3);
  for (size_t i = 0; i < repetitions; ++i) costs.push_back(together * noise.around(cost, scatter));
  return costs;
}

Measurement measurement(const json& out, const std::string& origin) { return parseMeasurement(out.dump(), origin); }

PerformanceCheck simulate(uint64_t seed, double factor, double scatter) {
  Noise noise(seed);
  json before = file(), after = file();
  addBenchmark(before, "stage/lower", sample(noise, 40, scatter));
  addBenchmark(after, "stage/lower", sample(noise, 40 * factor, scatter));
  addBenchmark(before, "stage/text", sample(noise, 7, scatter));
  addBenchmark(after, "stage/text", sample(noise, 7, scatter));
  return checkPerformance(measurement(before, "before.json"), measurement(after, "after.json"));
}

TEST(PerformanceTest, ADoubledCostIsSlowerAndAnEqualCostUnchangedIn20Of20Runs) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const PerformanceCheck check = simulate(seed, 2, 0.02);
    ASSERT_EQ(check.rows.size(), 2u);
    EXPECT_EQ(check.rows[0].verdict, SpeedVerdict::Slow) << toText(check);
    EXPECT_NEAR(check.rows[0].factor, 2, 0.2);
    EXPECT_EQ(check.rows[1].verdict, SpeedVerdict::Same) << toText(check);
    EXPECT_TRUE(anySlow(check));
  }
}

TEST(PerformanceTest, AHalvedCostIsFast) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    EXPECT_EQ(simulate(seed, 0.5, 0.03).rows[0].verdict, SpeedVerdict::Fast);
  }
}

TEST(PerformanceTest, NoiseBeyondTheThresholdIsUndecidedAndNeverSlower) {
  int unsure = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const PerformanceCheck check = simulate(seed, 1, 0.3);
    for (const PerformanceRow& row : check.rows) {
      unsure += row.verdict == SpeedVerdict::Unsure;
      EXPECT_NE(row.verdict, SpeedVerdict::Same) << "an interval of " << row.low << " to " << row.high;
    }
  }
  EXPECT_GE(unsure, 30);
}

TEST(PerformanceTest, AChangeWithinTheThresholdIsNotReported) {
  json before = file(), after = file();
  std::vector<double> costs, slightly;
  for (int i = 0; i < 9; ++i) costs.push_back(10 + 0.01 * i), slightly.push_back(10.3 + 0.01 * i);
  addBenchmark(before, "a", costs);
  addBenchmark(after, "a", slightly);
  const PerformanceCheck check = checkPerformance(measurement(before, "b"), measurement(after, "c"));
  EXPECT_LT(check.rows[0].p, 0.001);  // certain, but small
  EXPECT_EQ(check.rows[0].verdict, SpeedVerdict::Same);
}

TEST(PerformanceTest, NamesBenchmarksInOneFileOnlyAndFollowsRenames) {
  Noise noise(3);
  json before = file(), after = file();
  addBenchmark(before, "a", sample(noise, 5, 0.01));
  addBenchmark(before, "old", sample(noise, 5, 0.01));
  addBenchmark(after, "a", sample(noise, 5, 0.01));
  addBenchmark(after, "new", sample(noise, 5, 0.01));
  const Measurement x = measurement(before, "before.json"), y = measurement(after, "after.json");
  const PerformanceCheck check = checkPerformance(x, y);
  EXPECT_EQ(check.missing, std::vector<std::string>{"old"});
  EXPECT_EQ(check.added, std::vector<std::string>{"new"});
  PerformanceSettings settings;
  settings.renamed["old"] = "new";
  const PerformanceCheck renamed = checkPerformance(x, y, settings);
  EXPECT_EQ(renamed.rows.size(), 2u);
  EXPECT_TRUE(renamed.missing.empty() && renamed.added.empty());
}

std::string errorOf(const std::function<void()>& body) {
  try {
    body();
  } catch (const fuser::UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(PerformanceTest, BrokenFilesAreOneSentence) {
  const std::vector<std::pair<std::string, std::string>> broken = {
      {"", "broken.json, line 1, column 1: is not JSON: it is empty"},
      {"{\"context\": {", "broken.json, line 1, column 14: is not JSON: it ends too early"},
      {"[1, 2]", "is not what Google Benchmark writes with --benchmark_out_format=json: a value is of another type"},
      {"{\"context\": {}}",
       "is not what Google Benchmark writes with --benchmark_out_format=json: it has no field "
       "'benchmarks'"},
      {R"({"context": {}, "benchmarks": []})", "has no benchmark with the counter relative_cost"},
      {R"({"context": {}, "benchmarks": [{"name": "a", "cpu_time": 1}]})", "has no benchmark with the counter"},
      {R"({"context": {}, "benchmarks": [{"cpu_time": 1}]})", "is not what Google Benchmark writes"},
      {R"({"context": {}, "benchmarks": [{"name": "a", "relative_cost": -1}]})", "not a positive number: -1"},
      {R"({"context": {}, "benchmarks": [{"name": "a", "relative_cost": "x"}]})", "not a positive number"},
      {R"({"context": {}, "benchmarks": [{"name": "a", "error_occurred": true, "error_message": "no gpu"}]})",
       "the benchmark a failed: no gpu"}};
  for (const auto& [text, message] : broken) {
    const std::string error = errorOf([&, &text = text] { parseMeasurement(text, "broken.json"); });
    EXPECT_NE(error.find(message), std::string::npos) << text << "\n" << error;
    EXPECT_NE(error.find("broken.json"), std::string::npos) << error;
    EXPECT_EQ(error.find("exception"), std::string::npos) << error;
  }
}

TEST(PerformanceTest, MismatchedFilesAreOneSentence) {
  Noise noise(5);
  json nine = file(), five = file(), other = file(), debug = file();
  addBenchmark(nine, "a", sample(noise, 5, 0.01));
  addBenchmark(five, "a", sample(noise, 5, 0.01, 5));
  addBenchmark(other, "b", sample(noise, 5, 0.01));
  addBenchmark(debug, "a", sample(noise, 5, 0.01));
  debug["context"]["build"] = "Debug";
  const Measurement base = measurement(nine, "base.json");
  const auto compared = [&](const json& with, PerformanceSettings settings = {}) {
    return errorOf([&] { checkPerformance(base, measurement(with, "now.json"), settings); });
  };
  EXPECT_NE(compared(five).find("now.json: a has 5 repetitions, and at least 9"), std::string::npos) << compared(five);
  EXPECT_NE(compared(other).find("no benchmark in common"), std::string::npos);
  EXPECT_NE(compared(debug).find("builds cannot be compared"), std::string::npos);
  PerformanceSettings settings;
  settings.renamed["a"] = "z";
  EXPECT_NE(compared(nine, settings).find("now.json has no benchmark z"), std::string::npos);
}

TEST(PerformanceTest, AnotherMachineIsAWarning) {
  Noise noise(6);
  json here = file(), there = file();
  addBenchmark(here, "a", sample(noise, 5, 0.01));
  addBenchmark(there, "a", sample(noise, 5, 0.01));
  there["context"]["machine"] = "b";
  const PerformanceCheck check = checkPerformance(measurement(here, "here.json"), measurement(there, "there.json"));
  ASSERT_EQ(check.warnings.size(), 1u);
  EXPECT_NE(toText(check).find("another machine: a in here.json, b in there.json"), std::string::npos);
}

TEST(PerformanceTest, TheExampleBaselineIsValid) {
  std::ostringstream text;
  text << std::ifstream("reports/baselines/stages.json").rdbuf();
  const Measurement baseline = parseMeasurement(text.str(), "reports/baselines/stages.json");
  EXPECT_FALSE(baseline.relative.empty());
  for (const char* field : {"machine", "num_cpus", "build", "compiler"}) {
    EXPECT_TRUE(baseline.stamp.count(field)) << field;
  }
  const PerformanceCheck check = checkPerformance(baseline, baseline);
  EXPECT_FALSE(anySlow(check));
  for (const PerformanceRow& row : check.rows) EXPECT_DOUBLE_EQ(row.factor, 1) << row.name;
}

TEST(PerformanceTest, TheTableListsSlowerBenchmarksFirst) {
  const std::string text = toText(simulate(1, 2, 0.03));
  EXPECT_LT(text.find("SLOW     stage/lower"), text.find("SAME     stage/text")) << text;
}

}  // namespace
}  // namespace reports
