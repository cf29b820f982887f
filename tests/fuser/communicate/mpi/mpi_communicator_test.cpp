// The suite that every transport passes, on processes that mpirun starts, and what becomes of the job when a rank
// fails.

#include "fuser/communicate/mpi/mpi_communicator.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <regex>
#include <string>

namespace {

struct Outcome {
  int exitCode = -1;
  std::string text;  // standard output and error together
  bool has(const std::string& part) const { return text.find(part) != std::string::npos; }
};

// A job that mpirun runs. `timeout` ends it with exit code 124 should it hang.
class Job {
 public:
  // Debian's Open MPI wants to be told that it may run as root and with more ranks than cores, needs no ssh on one
  // machine, and may not read other processes' memory in a container. It leaves memory behind.
  Job(int ranks, const std::string& arguments) {
    const auto rank = std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "mpi_rank";
    const std::string command =
        "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 "
        "OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_plm_rsh_agent=/bin/false "
        "OMPI_MCA_btl_vader_single_copy_mechanism=none ASAN_OPTIONS=detect_leaks=0 timeout -k 5 120 " FUSER_MPIRUN
        " -np " +
        std::to_string(ranks) + " '" + rank.string() + "' " + arguments + " < /dev/null 2>&1";
    pipe_ = popen(command.c_str(), "r");
  }
  ~Job() {
    if (pipe_) pclose(pipe_);
  }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  // The first line that it prints; kept for the outcome too.
  std::string line() {
    char buffer[4096] = "";
    if (fgets(buffer, sizeof buffer, pipe_)) outcome_.text += buffer;
    return buffer;
  }

  Outcome end() {
    char buffer[4096];
    for (size_t count; (count = fread(buffer, 1, sizeof buffer, pipe_)) != 0;) outcome_.text.append(buffer, count);
    const int status = pclose(pipe_);
    pipe_ = nullptr;
    outcome_.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return outcome_;
  }

 private:
  FILE* pipe_ = nullptr;
  Outcome outcome_;
};

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
