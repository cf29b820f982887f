// The suite that every transport passes, on processes that mpirun starts, and what becomes of the job when a rank
// fails.

#include "fuser/communicate/mpi/mpi_communicator.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdio>
#include <regex>
#include <string>

#include "tests/fuser/communicate/mpi/mpi_job.h"

namespace fuser {
namespace {

class MpiTest : public testing::TestWithParam<int> {
 protected:
  Outcome run(const std::string& arguments) const { return Job(GetParam(), arguments).end(); }
  std::string last() const { return std::to_string(GetParam() - 1); }
};

TEST_P(MpiTest, PassesTheSuiteOfEveryTransport) {
  const Outcome outcome = run("properties");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.text;
  EXPECT_TRUE(outcome.has(" mismatches on " + std::to_string(GetParam()) + " ranks\n")) << outcome.text;
}

TEST_P(MpiTest, RanksThatWaitForEachOtherGetAnError) {
  const Outcome outcome = run("deadlock");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.text;
}

TEST_P(MpiTest, WaitingForARankThatReturnsIsAnError) {
  const Outcome outcome = run("return");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.text;
}

TEST_P(MpiTest, ARankThatThrowsEndsTheJobAndIsNamed) {
  const Outcome outcome = run("throw");
  EXPECT_NE(outcome.exitCode, 0);
  EXPECT_NE(outcome.exitCode, 124) << outcome.text;
  EXPECT_TRUE(outcome.has("fuser: rank " + last() + " of " + std::to_string(GetParam()) + " failed: a bug\n"))
      << outcome.text;
}

// The ten seconds are what people may count on. It is mpirun that notices; Debian's gives the process id as 0.
TEST_P(MpiTest, ARankThatIsKilledEndsTheJobAndIsNamed) {
  const int rank = GetParam() == 4 ? 0 : GetParam() - 1;
  Job job(GetParam(), "sleep " + std::to_string(rank));
  const std::string line = job.line();
  int victim = 0;
  ASSERT_EQ(sscanf(line.c_str(), "pid %d", &victim), 1) << line << job.end().text;
  const auto start = std::chrono::steady_clock::now();
  ASSERT_EQ(kill(victim, SIGKILL), 0);
  const Outcome outcome = job.end();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  EXPECT_NE(outcome.exitCode, 0);
  EXPECT_NE(outcome.exitCode, 124) << outcome.text;
  const std::regex named("process rank " + std::to_string(rank) + " with PID .* exited on signal 9");
  EXPECT_TRUE(std::regex_search(outcome.text, named)) << outcome.text;
}

// Long messages travel in pieces; here nearly all are long.
TEST(MpiPiecesTest, PassesTheSuiteOfEveryTransport) {
  const Outcome outcome = Job(3, "properties 24").end();
  EXPECT_EQ(outcome.exitCode, 0) << outcome.text;
  EXPECT_TRUE(outcome.has(" mismatches on 3 ranks\n")) << outcome.text;
}

// Ranks that skip collectives, post others, or return early: the same collectives fail as with all ranks in one
// process.
TEST(MpiFaultyTest, MeetsTheErrorsOfTheOtherTransport) {
  for (const int seed : {0, 1, 2, 3, 101, 119}) {
    const Outcome outcome = Job(4, "faulty " + std::to_string(seed)).end();
    EXPECT_EQ(outcome.exitCode, 0) << outcome.text;
  }
}

TEST(MpiOneRankTest, PassesTheSuiteOfEveryTransport) {
  const Outcome outcome = Job(1, "properties").end();
  EXPECT_EQ(outcome.exitCode, 0) << outcome.text;
  EXPECT_TRUE(outcome.has(" on 1 ranks\n")) << outcome.text;
}

INSTANTIATE_TEST_SUITE_P(Ranks, MpiTest, testing::Values(2, 4, 8), testing::PrintToStringParamName());

}  // namespace
}  // namespace fuser
