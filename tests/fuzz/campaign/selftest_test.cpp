// The planted-fault suite in small: some faults that few cases catch, and a control. `fuserfuzz selftest` runs all.

#include "fuzz/campaign/selftest.h"
#include "tests/fuser/analysis/stage_observers.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

namespace fuser::fuzz {
namespace {

SelftestOptions small() {
  SelftestOptions options;
  options.seed = 1;
  options.runs = 240;
  options.jobs = 2;
  options.onlyFaults = {"keepdim-lost",    "reshape-reversed",   "dropped-predicate", "missing-initialisation",
                        "dropped-barrier", "swapped-operands",   "freed-too-early",   "launch-dropped",
                        "stale-extent",    "cache-ignores-sizes"};
  return options;
}

SelftestResult run(const SelftestOptions& options, std::vector<std::string>* lines = nullptr) {
  return runSelftest(
      options, [] { return false; },
      [&](const std::string& line) {
        if (lines) lines->push_back(line);
      });
}

TEST(SelftestTest, FaultsOfEveryStageAreCaughtAndNothingIsFoundWithoutOne) {
  std::vector<std::string> lines;
  const SelftestResult result = run(small(), &lines);
  EXPECT_EQ(result.controlCases, 240u);
  EXPECT_EQ(result.controlJudged, 240u);
  EXPECT_TRUE(result.controlFindings.empty()) << result.controlFindings.front();
  ASSERT_EQ(result.faults.size(), 10u);
  for (const FaultResult& fault : result.faults) {
    EXPECT_TRUE(fault.caught) << fault.fault.name;
    EXPECT_GE(fault.applied, 1u) << fault.fault.name;
    EXPECT_LE(fault.applied, fault.cases) << fault.fault.name;
    const bool seen = fault.check == "differs" || fault.check == "violation" || fault.check == "invariant";
    EXPECT_TRUE(seen) << fault.fault.name << " by " << fault.check << ": " << fault.reason;
  }
  EXPECT_TRUE(result.clean());
  ASSERT_EQ(lines.size(), 11u);
  EXPECT_EQ(lines.front(), "control: 240 cases, 0 findings");
  EXPECT_EQ(lines.back().rfind("10 of 10 faults: ", 0), 0u) << lines.back();
  const nlohmann::json json = nlohmann::json::parse(toJson(result));
  EXPECT_EQ(json.at("recall"), 1.0);
  EXPECT_EQ(json.at("false_alarm_rate"), 0.0);
  EXPECT_EQ(json.at("median_cases"), result.medianCases());
  EXPECT_GE(result.medianCases(), 1u);
  EXPECT_EQ(json.at("stamp").at("seed"), "1");
  EXPECT_TRUE(json.at("stamp").contains("libtorch"));
  EXPECT_EQ(json.at("started").get<std::string>().size(), std::string("2026-01-31T22:00:00Z").size());
  EXPECT_EQ(json.at("median_seconds"), result.medianSeconds());
  EXPECT_GT(result.medianSeconds(), 0);
}

TEST(SelftestTest, TheCaseThatCatchesAFaultDoesNotDependOnTheWorkers) {
  SelftestOptions options = small();
  options.onlyFaults = {"keepdim-lost", "swapped-operands"};
  options.jobs = 1;
  const SelftestResult one = run(options);
  options.jobs = 3;
  const SelftestResult three = run(options);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(one.faults[i].cases, three.faults[i].cases);
    EXPECT_EQ(one.faults[i].applied, three.faults[i].applied);
    EXPECT_EQ(one.faults[i].reason, three.faults[i].reason);
  }
}

TEST(SelftestTest, AnUndetectedFaultIsReportedAsMissed) {
  SelftestOptions options = small();
  options.runs = 1;  // without a scan
  options.onlyFaults = {"scan-turns-forgotten"};
  const SelftestResult result = run(options);
  ASSERT_EQ(result.faults.size(), 1u);
  EXPECT_FALSE(result.faults[0].caught);
  EXPECT_FALSE(result.clean());
  EXPECT_NE(toText(result).find("MISSED"), std::string::npos);
  const nlohmann::json json = nlohmann::json::parse(toJson(result));
  EXPECT_FALSE(json.at("clean").get<bool>());
  EXPECT_EQ(json.at("recall").get<double>(), 0.0);
}

TEST(SelftestTest, AFindingOfTheControlRunIsNotClean) {
  SelftestOptions options = small();
  options.runs = 2;
  options.onlyFaults = {"dropped-predicate"};
  AfterPasses failing([](Fusion&) { FUSER_CHECK(false, "a bug of our own"); });
  options.judge.observers = {&failing};
  const SelftestResult result = run(options);
  ASSERT_EQ(result.controlFindings.size(), 2u);
  EXPECT_FALSE(result.clean());
  for (const std::string& finding : result.controlFindings) {
    EXPECT_NE(toText(result).find("\n  " + finding + "\n"), std::string::npos) << toText(result);
  }
}

// What is found only by a check of the compiler's own, or by a death, is not caught: the search goes on.
TEST(SelftestTest, ACheckOrACrashDoesNotCountAsCaught) {
  SelftestOptions options = small();
  options.runs = 3;
  options.onlyFaults = {"dropped-predicate"};
  AfterLower failing([](int, Kernel&) { FUSER_CHECK(false, "a bug of our own"); });
  options.judge.observers = {&failing};
  SelftestResult result = run(options);
  EXPECT_FALSE(result.faults[0].caught);
  EXPECT_TRUE(result.faults[0].finished);
  EXPECT_EQ(result.faults[0].cases, 3u);
  EXPECT_EQ(result.faults[0].reason.rfind("(check) ", 0), 0u) << result.faults[0].reason;
  AfterLower dying([](int, Kernel&) { raise(SIGSEGV); });
  options.judge.observers = {&dying};
  result = run(options);
  EXPECT_FALSE(result.faults[0].caught);
  EXPECT_EQ(result.faults[0].reason.rfind("(crash) ", 0), 0u) << result.faults[0].reason;
}

TEST(SelftestTest, AWorkerKilledFromOutsideDoesNotCountAsCaught) {
  const std::filesystem::path mark =
      std::filesystem::temp_directory_path() / ("selftest_test." + std::to_string(getpid()));
  SelftestOptions options = small();
  options.runs = 2;
  options.onlyFaults = {"where-swapped"};
  AfterPasses killing([mark](Fusion&) {
    if (std::filesystem::exists(mark)) return;
    std::ofstream(mark) << "x";
    raise(SIGKILL);
  });
  options.judge.observers = {&killing};
  const SelftestResult result = run(options);
  std::filesystem::remove(mark);
  EXPECT_TRUE(result.controlFindings.empty()) << result.controlFindings.front();
  EXPECT_EQ(result.controlCases, 2u);
}

TEST(SelftestTest, FaultsNotTriedBeforeAnInterruptAreNotMissed) {
  SelftestOptions options = small();
  int asked = 0;
  const SelftestResult result = runSelftest(
      options, [&] { return ++asked > 70; }, [](const std::string&) {});
  ASSERT_TRUE(result.interrupted);
  EXPECT_FALSE(result.clean());
  ASSERT_FALSE(result.faults.back().finished);
  EXPECT_EQ(result.faults.back().cases, 0u);
  const std::string text = toText(result);
  EXPECT_EQ(text.find("MISSED"), std::string::npos) << text;
  EXPECT_NE(text.find("not finished before the interrupt"), std::string::npos) << text;
}

TEST(SelftestTest, AnUnknownFaultIsTheCallersError) {
  SelftestOptions options = small();
  options.onlyFaults = {"no-such-fault"};
  EXPECT_THROW(run(options), UserError);
}

}  // namespace
}  // namespace fuser::fuzz
