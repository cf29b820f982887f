// The planted-fault suite in small: some faults that few cases catch, and a control. `fuserfuzz selftest` runs all.

#include "fuzz/campaign/selftest.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace fuser::fuzz {
namespace {

SelftestOptions small() {
  SelftestOptions options;
  options.seed = 1;
  options.runs = 60;
  options.jobs = 2;
  options.onlyFaults = {"keepdim-lost", "reduction-over-blocks", "dropped-predicate", "missing-initialisation",
                        "dropped-barrier", "swapped-operands", "freed-too-early", "stale-extent"};
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
  EXPECT_EQ(result.controlCases, 60u);
  EXPECT_EQ(result.controlJudged, 60u);
  EXPECT_TRUE(result.controlFindings.empty()) << result.controlFindings.front();
  ASSERT_EQ(result.faults.size(), 8u);
  for (const FaultResult& fault : result.faults) {
    EXPECT_TRUE(fault.caught) << fault.fault.name;
    EXPECT_GE(fault.applied, 1u) << fault.fault.name;
    EXPECT_LE(fault.applied, fault.cases) << fault.fault.name;
  }
  EXPECT_TRUE(result.clean());
  EXPECT_EQ(lines.size(), 9u);
}

TEST(SelftestTest, WhichCaseCatchesAFaultDoesNotDependOnTheWorkers) {
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

TEST(SelftestTest, AFaultThatNoCaseShowsIsMissedAndSaidSo) {
  SelftestOptions options = small();
  options.runs = 1;  // case 0 of this seed
  options.onlyFaults = {"where-swapped"};
  const SelftestResult result = run(options);
  ASSERT_EQ(result.faults.size(), 1u);
  EXPECT_FALSE(result.faults[0].caught);
  EXPECT_FALSE(result.clean());
  EXPECT_NE(toText(result).find("MISSED"), std::string::npos);
  const nlohmann::json json = nlohmann::json::parse(toJson(result));
  EXPECT_FALSE(json.at("clean").get<bool>());
  EXPECT_EQ(json.at("recall").get<double>(), 0.0);
}

TEST(SelftestTest, AFindingOfTheControlIsNotClean) {
  SelftestOptions options = small();
  options.runs = 2;
  options.onlyFaults = {"dropped-predicate"};
  options.judge.hooks.afterPasses = [](Fusion&) { FUSER_CHECK(false, "a bug of our own"); };
  const SelftestResult result = run(options);
  EXPECT_EQ(result.controlFindings.size(), 2u);
  EXPECT_FALSE(result.clean());
}

TEST(SelftestTest, AnUnknownFaultIsTheCallersError) {
  SelftestOptions options = small();
  options.onlyFaults = {"no-such-fault"};
  EXPECT_THROW(run(options), UserError);
}

}  // namespace
}  // namespace fuser::fuzz
