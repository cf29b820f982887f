// Each planted fault in a small case of its own, caught/<fault>.fusion, that shows it: found there in one step, by what
// counts as caught (selftest.h), and nothing is found in the same case without it. How fast random cases find the
// faults is the selftest's business.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "fuser/text/parser.h"
#include "fuzz/campaign/selftest.h"
#include "fuzz/faults/faults.h"
#include "fuzz/judge/judge_case.h"

namespace fuser::fuzz {
namespace {

const std::filesystem::path kFolder = "tests/fuzz/faults/caught";

Case readCase(std::string_view fault) {
  const std::filesystem::path path = kFolder / concat(fault, ".fusion");
  std::ifstream in(path, std::ios::binary);
  FUSER_USER_CHECK(in.good(), "no case shows that ", fault, " is caught: ", path.string());
  std::ostringstream text;
  text << in.rdbuf();
  return parseCase(text.str(), path.string());
}

class CaughtTest : public ::testing::TestWithParam<FaultInfo> {};

TEST_P(CaughtTest, FaultIsCaughtAndItsCaseAgreesWithoutIt) {
  const FaultInfo& fault = GetParam();
  Case testCase = readCase(fault.name);
  ASSERT_EQ(testCase.options.fault, fault.name);
  JudgeSettings settings;
  settings.rejectionsAreFindings = true;  // as of generated cases
  const CaseVerdict with = judgeCase(testCase, settings);
  EXPECT_TRUE(with.faultApplied);
  EXPECT_TRUE(catches(with.kind, fault.stage)) << toString(with);
  testCase.options.fault.clear();
  const CaseVerdict without = judgeCase(testCase, settings);
  EXPECT_TRUE(without.kind == VerdictKind::Agrees || without.kind == VerdictKind::Undecided) << toString(without);
}

INSTANTIATE_TEST_SUITE_P(Faults, CaughtTest, ::testing::ValuesIn(allFaults().begin(), allFaults().end()),
                         [](const auto& info) {
                           std::string name(info.param.name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(CaughtCasesTest, EachBelongsToAFault) {
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    const std::string name = entry.path().stem().string();
    const auto isIt = [&](const FaultInfo& fault) { return fault.name == name; };
    EXPECT_TRUE(std::any_of(allFaults().begin(), allFaults().end(), isIt)) << entry.path();
  }
}

}  // namespace
}  // namespace fuser::fuzz
