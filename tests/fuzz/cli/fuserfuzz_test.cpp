// fuserfuzz as a person starts it: arguments in, text and exit code out.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>

#include "tests/fuzz/cli/program.h"

namespace {

TEST_F(FuserfuzzTest, HelpTeachesWithExamples) {
  const Outcome outcome = fuserfuzz("--help");
  EXPECT_EQ(outcome.exitCode, 0);
  for (const char* text : {"generate", "run", "replay", "Examples", "Exit codes", "77"}) {
    EXPECT_NE(outcome.text.find(text), std::string::npos) << text;
  }
  const std::string help = fuserfuzz("run --help").text;
  for (const char* flag : {"--runs", "--max-total-time", "--seed", "--jobs", "--out", "--max-findings", "--only",
                           "--exclude", "--timeout", "--rss-limit-mb"}) {
    EXPECT_NE(help.find(flag), std::string::npos) << flag;
  }
}

TEST_F(FuserfuzzTest, UsageAndSetUpErrorsAreOne) {
  EXPECT_EQ(fuserfuzz("").exitCode, 1);
  EXPECT_EQ(fuserfuzz("run --no-such-flag").exitCode, 1);
  for (const char* flag : {"--runs -1", "--seed -1", "--timeout -1", "--timeout 0", "--jobs 0", "--rss-limit-mb 0",
                           "--median-elements -4", "--max-elements 0"}) {
    EXPECT_EQ(fuserfuzz(std::string("run --runs 1 ") + flag).exitCode, 1) << flag;
  }
  for (const char* arguments : {"run --seed 1", "replay /nowhere", "run --runs 1 --only no_such_op",
                                "run --runs 1 --only add --exclude add", "run --runs 1 --out /proc/x"}) {
    const Outcome outcome = fuserfuzz(arguments);
    EXPECT_EQ(outcome.exitCode, 1) << arguments;
    EXPECT_EQ(outcome.text.rfind("SETUP FAILURE: ", 0), 0u) << outcome.text;
  }
}

TEST_F(FuserfuzzTest, EveryCommandHasALogLevel) {
  for (const char* command : {"run", "replay", "compare", "triage", "generate", "minimize", "report", "perf-check",
                              "selftest", "probe-target"}) {
    EXPECT_NE(fuserfuzz(std::string(command) + " --help").text.find("--log-level LEVEL"), std::string::npos) << command;
  }
  const std::string rest = ": no such level of the log; there are trace, debug, info, warn, error and off\n";
  const Outcome option = fuserfuzz("generate --log-level=loud");
  EXPECT_EQ(option.exitCode, 1);
  EXPECT_EQ(option.text, "SETUP FAILURE: --log-level=loud" + rest);
  setenv("FUSER_LOG", "loud", 1);
  const Outcome variable = fuserfuzz("generate");
  EXPECT_EQ(variable.exitCode, 1);
  EXPECT_EQ(variable.text, "SETUP FAILURE: FUSER_LOG=loud" + rest);
  EXPECT_EQ(fuserfuzz("generate --log-level=info").exitCode, 0) << "the option goes first";
  setenv("FUSER_LOG", "off", 1);
  EXPECT_EQ(fuserfuzz("replay /nowhere").text, "");
  unsetenv("FUSER_LOG");
}

// What goes to standard error is in the file named.
std::string standardOutput(const std::string& arguments, const std::string& errors) {
  const std::string output = errors + ".output";
  const std::string command = program() + " " + arguments + " > " + output + " 2> " + errors;
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::ostringstream text;
  text << std::ifstream(output).rdbuf();
  return text.str();
}

TEST_F(FuserfuzzTest, TheLogGoesToStandardErrorAlone) {
  const std::string replay = "replay corpus/seeds/softmax.fusion --quiet ", errors = (folder_ / "errors").string();
  const auto run = [&](const std::string& more) {
    const std::string text = standardOutput(replay + more, errors);
    return std::regex_replace(text, std::regex(" *[0-9.]+ s"), " T s");
  };
  const auto logged = [&] {
    std::ostringstream text;
    text << std::ifstream(errors).rdbuf();
    return text.str();
  };
  const std::string usual = run("");
  EXPECT_NE(usual.find("1 file: 1 ok"), std::string::npos) << usual;
  EXPECT_EQ(logged(), "");
  EXPECT_EQ(run("--log-level=debug"), usual);
  EXPECT_EQ(logged(), "file corpus/seeds/softmax.fusion: agrees\n");
}

TEST_F(FuserfuzzTest, ParentsThatDoNotParseAreLeftOutAndCounted) {
  const std::filesystem::path parents = folder_ / "parents";
  std::filesystem::create_directories(parents);
  std::ofstream(parents / "bad.fusion") << "fusion f(%x: f32[i0]) {\n  %y = no_such_op(%x)\n  return %y\n}\n";
  const std::string flags = " --seed 1 --parents " + parents.string();
  const Outcome none = fuserfuzz("run --runs 3 --no-compilers" + flags);
  EXPECT_EQ(none.exitCode, 1);
  EXPECT_EQ(none.text.rfind("SETUP FAILURE: --parents: no file parses: ", 0), 0u) << none.text;
  std::ofstream(parents / "good.fusion")
      << "fusion f(%x: f32[i0]) {\n  %y = neg(%x)\n  return %y\n}\nrun { %x = normal(seed = 1) : f32[4] }\n";
  for (const char* command : {"run --runs 3 --no-compilers", "generate --case 1"}) {
    const Outcome some = fuserfuzz(command + flags);
    EXPECT_EQ(some.exitCode, 0) << some.text;
    EXPECT_NE(some.text.find("--parents: 1 of 2 files are left out, as they do not parse: "), some.text.npos)
        << some.text;
  }
}

// Progress is for terminals.
TEST_F(FuserfuzzTest, ARunInAPipePrintsNothingToStandardError) {
  const std::string errors = (folder_ / "errors").string();
  const std::string out = (folder_ / "out").string();
  const std::string flags = "--seed 1 --median-elements 64 --no-compilers --no-minimize --max-findings 0 --out " + out;
  const std::string text = standardOutput("run --max-total-time 5.5 " + flags, errors);
  EXPECT_EQ(text.rfind("seed 1, 1 worker\n", 0), 0u) << text;
  EXPECT_EQ(text.find("/s, decided"), std::string::npos) << text;
  EXPECT_EQ(std::filesystem::file_size(errors), 0u);
  std::ostringstream log;
  log << std::ifstream(out + "/campaign.log").rdbuf();
  EXPECT_NE(log.str().find("/s, decided"), std::string::npos) << log.str();
}

TEST_F(FuserfuzzTest, GenerateDependsOnSeedAndCaseAlone) {
  const Outcome first = fuserfuzz("generate --seed 3 --case 9"), again = fuserfuzz("generate --seed 3 --case 9");
  EXPECT_EQ(first.exitCode, 0);
  EXPECT_NE(first.text.find("#: seed = 3\n#: case = 9\n"), std::string::npos) << first.text;
  EXPECT_EQ(first.text, again.text);
  EXPECT_NE(first.text, fuserfuzz("generate --seed 3 --case 10").text);
}

TEST_F(FuserfuzzTest, AGeneratedCaseReplays) {
  const std::string file = (folder_ / "case.fusion").string();
  ASSERT_EQ(fuserfuzz("generate --seed 1 --case 0 > " + file).exitCode, 0);
  const Outcome outcome = fuserfuzz("replay " + file);
  EXPECT_EQ(outcome.exitCode, 0) << outcome.text;
  EXPECT_NE(outcome.text.find("1 file: 1 ok, 0 failed"), std::string::npos) << outcome.text;
}

TEST_F(FuserfuzzTest, GenerateTakesViewsAndEngines) {
  EXPECT_NE(fuserfuzz("generate --case 1 --engine cpu").text.find("option engine = \"cpu\""), std::string::npos);
  const Outcome unknown = fuserfuzz("generate --case 1 --view 'no such view'");
  EXPECT_EQ(unknown.exitCode, 1);
  EXPECT_NE(unknown.text.find("no view is called 'no such view'; known: "), std::string::npos) << unknown.text;
  // Of seed 1, by the sample's rule, which knows nothing of the generator.
  int count = 0;
  for (const char* number : {"72", "427", "533"}) {
    const Outcome outcome = fuserfuzz(std::string("generate --view 'one cut' --case ") + number);
    count += outcome.exitCode == 0 && outcome.text.find("#: view = one cut") != std::string::npos;
    if (outcome.exitCode != 0) {
      EXPECT_NE(outcome.text.find("has no place for the view"), std::string::npos) << outcome.text;
    }
  }
  EXPECT_GT(count, 0);
  const Outcome other = fuserfuzz("generate --view 'rows flipped' --case 1");  // campaigns leave it out
  EXPECT_TRUE(other.exitCode == 0 || other.text.find("has no place for the view") != std::string::npos) << other.text;
}

TEST_F(FuserfuzzTest, AFaultIsPlantedInEveryGeneratedCase) {
  const Outcome generated = fuserfuzz("generate --case 1 --fault swapped-operands");
  EXPECT_NE(generated.text.find("option fault = \"swapped-operands\""), std::string::npos) << generated.text;
  const std::string run = "run --runs 20 --max-findings 1 --seed 1 --no-compilers --no-minimize --only sub --out ";
  EXPECT_EQ(fuserfuzz(run + (folder_ / "right").string()).exitCode, 0);
  const Outcome campaign = fuserfuzz(run + (folder_ / "wrong").string() + " --fault swapped-operands");
  EXPECT_EQ(campaign.exitCode, 77) << campaign.text;
  const Outcome unknown = fuserfuzz("run --runs 1 --fault swapped-operand");
  EXPECT_EQ(unknown.exitCode, 1);
  EXPECT_NE(unknown.text.find("no fault is called 'swapped-operand'; did you mean 'swapped-operands'"),
            std::string::npos)
      << unknown.text;
}

TEST_F(FuserfuzzTest, CompareChecksFilesAgainstTheirExpectations) {
  const std::string right = "fusion f(%x: f32[i0]) {\n  %y = neg(%x)\n  return %y\n}\n";
  std::ofstream(folder_ / "wrong.fusion") << right << "run { %x = normal(seed = 1) : f32[4] }\nexpect rejected\n";
  std::ofstream(folder_ / "none.fusion") << right;
  const Outcome wrong = fuserfuzz("compare --engine cpu " + (folder_ / "wrong.fusion").string());
  EXPECT_EQ(wrong.exitCode, 77) << wrong.text;
  EXPECT_NE(wrong.text.find("expected to be rejected, but it ran"), std::string::npos) << wrong.text;
  const Outcome none = fuserfuzz("compare --engine cpu " + (folder_ / "none.fusion").string());
  EXPECT_EQ(none.exitCode, 1) << none.text;
  EXPECT_NE(none.text.find("SETUP FAILURE: nothing was judged"), std::string::npos) << none.text;
}

TEST_F(FuserfuzzTest, CompareJudgesGeneratedCasesInViewsToo) {
  const std::string cases = "compare --engine cpu --seed 3 --runs 8 --views 'random schedule' --out ";
  const Outcome one = fuserfuzz(cases + (folder_ / "one").string());
  EXPECT_EQ(one.exitCode, 0) << one.text;
  EXPECT_NE(one.text.find("| generated: 8 |"), std::string::npos) << one.text;
  EXPECT_NE(one.text.find("| generated, random schedule: 8 |"), std::string::npos) << one.text;
  EXPECT_EQ(fuserfuzz(cases + (folder_ / "two").string() + " -j 2").text, one.text);
  const Outcome late = fuserfuzz(cases + (folder_ / "late").string() + " --max-total-time 1e-9");
  EXPECT_NE(late.text.find("16 cases did not run: the time was over."), std::string::npos) << late.text;
  const Outcome unknown = fuserfuzz("compare --engine cpu --runs 1 --views 'no such view'");
  EXPECT_EQ(unknown.exitCode, 1);
  EXPECT_NE(unknown.text.find("no view is called 'no such view'"), std::string::npos) << unknown.text;
}

TEST_F(FuserfuzzTest, AFailingFileExitsWith77) {
  std::ofstream(folder_ / "wrong.fusion") << "fusion f(%x: f32[i0]) {\n  %y = neg(%x)\n  return %y\n}\n"
                                             "run { %x = normal(seed = 1) : f32[4] }\nexpect rejected\n";
  EXPECT_EQ(fuserfuzz("replay " + folder_.string()).exitCode, 77);
}

TEST_F(FuserfuzzTest, RunWritesAReportAndPrintsItsSeedFirst) {
  const std::string out = (folder_ / "out").string();
  const Outcome outcome =
      fuserfuzz("run --runs 20 --seed 0 --median-elements 64 --no-compilers --max-findings 0 --out " + out);
  EXPECT_EQ(outcome.text.rfind("seed ", 0), 0u) << outcome.text;
  EXPECT_TRUE(std::filesystem::exists(out + "/report.json"));
  EXPECT_TRUE(std::filesystem::exists(out + "/campaign.log"));
}

// A campaign without end, and what becomes of it when it is interrupted.
class InterruptTest : public FuserfuzzTest {
 protected:
  void start(const std::string& extra) {
    pid_ = fork();
    if (pid_ != 0) return;
    const std::string command =
        "exec " + program() + " run --max-total-time 1000 --seed 1 --no-compilers --median-elements 64 --out " +
        (folder_ / "out").string() + " " + extra + " > " + (folder_ / "text").string() + " 2>&1";
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  // Until the ledger is there: the campaign has begun.
  void waitForStart() {
    for (int i = 0; i < 1000 && !std::filesystem::exists(folder_ / "out" / "campaign.log"); ++i) usleep(20000);
    usleep(300000);
  }
  int end() {
    int status = 0;
    waitpid(pid_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  pid_t pid_ = 0;
};

TEST_F(InterruptTest, TheFirstInterruptFinishesTheReport) {
  start("");
  waitForStart();
  kill(pid_, SIGINT);
  EXPECT_EQ(end(), 72);
  std::ifstream report(folder_ / "out" / "report.json");
  const std::string text((std::istreambuf_iterator<char>(report)), {});
  EXPECT_NE(text.find("\"interrupted\": true"), std::string::npos) << text.substr(0, 300);
  // It goes on, with its own seed and goal.
  const Outcome resumed = fuserfuzz("run --resume --runs 30 --median-elements 64 --out " + (folder_ / "out").string());
  EXPECT_EQ(resumed.exitCode, 0) << resumed.text;
  EXPECT_NE(resumed.text.find("going on after"), std::string::npos) << resumed.text;
}

// A terminal that goes away sends its hang-up to all processes, and more than once.
TEST_F(InterruptTest, AHangUpAndATerminationWriteTheReport) {
  for (const int signal : {SIGHUP, SIGTERM}) {
    std::filesystem::remove_all(folder_ / "out");
    start("");
    waitForStart();
    kill(pid_, signal);
    if (signal == SIGHUP) kill(pid_, signal);
    EXPECT_EQ(end(), 72) << strsignal(signal);
    std::ifstream report(folder_ / "out" / "report.json");
    const std::string text((std::istreambuf_iterator<char>(report)), {});
    EXPECT_NE(text.find("\"interrupted\": true"), std::string::npos) << strsignal(signal) << text.substr(0, 300);
  }
}

TEST_F(InterruptTest, AHangUpIsIgnoredUnderNohup) {
  const auto former = signal(SIGHUP, SIG_IGN);
  start("");
  signal(SIGHUP, former);
  waitForStart();
  kill(pid_, SIGHUP);
  usleep(200000);
  EXPECT_EQ(waitpid(pid_, nullptr, WNOHANG), 0);
  kill(pid_, SIGINT);
  EXPECT_EQ(end(), 72);
}

TEST_F(InterruptTest, AStatusLineIsPrintedOnRequest) {
  start("");
  waitForStart();
  kill(pid_, SIGUSR1);
  usleep(300000);
  kill(pid_, SIGINT);
  EXPECT_EQ(end(), 72);
  std::ifstream printed(folder_ / "text");
  const std::string text((std::istreambuf_iterator<char>(printed)), {});
  EXPECT_TRUE(std::regex_search(text, std::regex("\\d s: \\d+ cases, [0-9.]+/s, decided "))) << text;
}

TEST_F(InterruptTest, TheSecondInterruptLeavesAtOnce) {
  // A case that takes its minute: the first interrupt waits for it.
  std::ofstream(folder_ / "slow.fusion") << "fusion f(%x: f64[i0, i1]) {\n  %y = sin(%x)\n  %z = cos(%y)\n"
                                            "  %s = sum(%z) {dims = [0]}\n  return %s\n}\n"
                                            "run { %x = normal(seed = 1) : f64[4096, 4096] }\n";
  start((folder_ / "slow.fusion").string() + " --rss-limit-mb 16000");
  waitForStart();
  kill(pid_, SIGINT);
  usleep(100000);
  EXPECT_EQ(waitpid(pid_, nullptr, WNOHANG), 0);
  kill(pid_, SIGINT);
  EXPECT_EQ(end(), 72);
  std::ifstream report(folder_ / "out" / "report.json");
  EXPECT_FALSE(report.good());
}

TEST_F(FuserfuzzTest, AUsedFolderNeedsResume) {
  const std::string arguments =
      "run --runs 5 --seed 3 --no-compilers --median-elements 64 --out " + (folder_ / "out").string();
  EXPECT_EQ(fuserfuzz(arguments).exitCode, 0);
  const Outcome again = fuserfuzz(arguments);
  EXPECT_EQ(again.exitCode, 1);
  EXPECT_EQ(again.text.rfind("SETUP FAILURE: ", 0), 0u) << again.text;
  EXPECT_EQ(fuserfuzz(arguments + " --resume").exitCode, 0);
  EXPECT_EQ(fuserfuzz("run --runs 5 --resume").exitCode, 1);
}

// What a run needs at its end is looked at before it begins.
TEST_F(FuserfuzzTest, TheOutputFolderIsCheckedAtTheStart) {
  const std::string file = (folder_ / "file").string();
  std::ofstream(file) << "kept";
  const std::vector<std::string> lines = {"compare --engine cpu --runs 400 --out " + file + "/table",
                                          "compare --engine cpu --runs 400 --out /nowhere/x",
                                          "selftest --runs 400 --out " + file + "/below",
                                          "run --runs 100000 --no-compilers --out " + file,
                                          "minimize --out " + file + "/below " + file};
  for (const std::string& arguments : lines) {
    const Outcome outcome = fuserfuzz(arguments);
    EXPECT_EQ(outcome.exitCode, 1) << arguments << outcome.text;
    EXPECT_EQ(outcome.text.rfind("SETUP FAILURE: cannot ", 0), 0u) << arguments << outcome.text;
  }
  std::ifstream kept(file);
  EXPECT_EQ(std::string((std::istreambuf_iterator<char>(kept)), {}), "kept");
}

TEST_F(FuserfuzzTest, ATooSmallStackIsAnError) {
  rlimit limit{};
  getrlimit(RLIMIT_STACK, &limit);
  const rlimit small{256 << 10, limit.rlim_max};
  setrlimit(RLIMIT_STACK, &small);
  const Outcome outcome = fuserfuzz("generate --seed 1 --case 1");
  setrlimit(RLIMIT_STACK, &limit);
  EXPECT_EQ(outcome.exitCode, 1) << outcome.text;
  EXPECT_NE(outcome.text.find("the stack is limited to 256 KiB"), std::string::npos) << outcome.text;
}

class ResumeTest : public FuserfuzzTest {
 protected:
  void SetUp() override {
    FuserfuzzTest::SetUp();
    std::ofstream(folder_ / "a case.fusion") << "fusion f(%x: f32[i0]) { %y = neg(%x) return %y }\n"
                                                "run { %x = normal(seed = 1) : f32[4] }\n";
    out_ = (folder_ / "out").string();
    const std::string corpus = "'" + (folder_ / "a case.fusion").string() + "'";
    const Outcome begun = fuserfuzz(
        "run --runs 5 --seed 3 --median-elements 64 --only add,neg --no-compilers "
        "--no-probes --timeout 50 --out " +
        out_ + " " + corpus);
    ASSERT_EQ(begun.exitCode, 0) << begun.text;
  }
  std::string contents() const {
    std::ifstream report(folder_ / "out" / "report.json");
    return {std::istreambuf_iterator<char>(report), {}};
  }
  std::string out_;
};

TEST_F(ResumeTest, EverySettingComesFromTheLedger) {
  const Outcome resumed = fuserfuzz("run --resume --runs 9 --out " + out_);
  EXPECT_EQ(resumed.exitCode, 0) << resumed.text;
  EXPECT_NE(resumed.text.find("seed 3, 1 worker"), std::string::npos) << resumed.text;
  const std::string report = contents();
  EXPECT_NE(report.find("\"cases\": 10"), std::string::npos) << report.substr(0, 400);
  EXPECT_NE(report.find("--only add,neg --median-elements 64"), std::string::npos) << report.substr(0, 400);
  // Its goal, too, and limits and jobs that are typed anew.
  const Outcome again = fuserfuzz("run --resume --jobs 2 --timeout 60 --rss-limit-mb 5000 --out " + out_);
  EXPECT_EQ(again.exitCode, 0) << again.text;
  EXPECT_NE(again.text.find("seed 3, 2 workers"), std::string::npos) << again.text;
}

TEST_F(ResumeTest, ADifferingOptionIsNamedWithTheCommandToType) {
  const std::string line = "; to go on, type: fuserfuzz run --resume --out " + out_ + "\n";
  const auto refusal = [&](const std::string& typed) { return fuserfuzz("run --resume --out " + out_ + " " + typed); };
  for (const auto& [typed, message] : std::vector<std::pair<std::string, std::string>>{
           {"--seed 9", "begun with --seed 3, not with --seed 9"},
           {"--only add", "begun with --only add,neg, not with --only add"},
           {"--exclude exp", "begun without --exclude, not with --exclude exp"},
           {"--max-elements 100", "not with --max-elements 100"},
           {folder_.string(), "not with " + folder_.string()}}) {
    const Outcome outcome = refusal(typed);
    EXPECT_EQ(outcome.exitCode, 1) << typed;
    EXPECT_NE(outcome.text.find(message), std::string::npos) << outcome.text;
    EXPECT_NE(outcome.text.find(line), std::string::npos) << outcome.text;
    EXPECT_EQ(std::count(outcome.text.begin(), outcome.text.end(), '\n'), 1) << outcome.text;
  }
  EXPECT_EQ(refusal("--seed 3 --only add,neg --no-probes --no-compilers").exitCode, 0);
}

// Whatever is typed beside it: the ledger is what is wrong.
TEST_F(ResumeTest, AnEmptyLedgerBesideResultsIsRefused) {
  const std::string report = contents();
  std::ofstream(folder_ / "out" / "ledger.sqlite", std::ios::trunc).close();
  for (const char* typed : {"", " --runs 9 --no-compilers --seed 9"}) {
    const Outcome outcome = fuserfuzz("run --resume --out " + out_ + typed);
    EXPECT_EQ(outcome.exitCode, 1);
    EXPECT_NE(outcome.text.find("is empty, and results of a campaign lie beside it"), std::string::npos)
        << outcome.text;
    EXPECT_EQ(std::count(outcome.text.begin(), outcome.text.end(), '\n'), 1) << outcome.text;
  }
  EXPECT_EQ(contents(), report);
}

// Its goal is kept, and the world has an end.
TEST_F(ResumeTest, AWorldGoesOnToItsGoal) {
  const std::string world = "enumerate --ops add --dtypes f32 --ranks 1 --depth 1 --no-compilers --out " +
                            (folder_ / "world").string();
  EXPECT_NE(fuserfuzz(world + " --runs 2").text.find("cases 2 "), std::string::npos);
  const std::string again = "enumerate --resume --out " + (folder_ / "world").string();
  EXPECT_NE(fuserfuzz(again).text.find("cases 2 "), std::string::npos);
  const Outcome whole = fuserfuzz(again + " --max-total-time 100");
  EXPECT_NE(whole.text.find("cases 4 "), std::string::npos) << whole.text;
}

TEST_F(ResumeTest, ASelftestEndsWithTheWorld) {
  const Outcome outcome = fuserfuzz(
      "selftest --world 'depth=1 ops=relu dtypes=f32 ranks=1' --runs 40 --only-fault pad-value-dropped");
  EXPECT_NE(outcome.text.find("control: 2 cases of seed 1, 2 judged, 0 findings"), std::string::npos) << outcome.text;
}

TEST_F(ResumeTest, AFolderWithoutACampaignIsNotCreated) {
  const std::string nowhere = (folder_ / "nowhere").string();
  const Outcome outcome = fuserfuzz("run --resume --out " + nowhere);
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_NE(outcome.text.find("holds no campaign to resume"), std::string::npos) << outcome.text;
  EXPECT_FALSE(std::filesystem::exists(nowhere));
  // Who is ended before the first task leaves a lock. What the campaign was is not known.
  const std::filesystem::path begun = folder_ / "begun";
  std::filesystem::create_directories(begun);
  std::ofstream(begun / "lock") << "";
  const std::string run = "run --runs 2 --no-compilers --median-elements 8 --out " + begun.string();
  const Outcome lost = fuserfuzz(run + " --resume");
  EXPECT_EQ(lost.exitCode, 1) << lost.text;
  EXPECT_NE(lost.text.find("holds no campaign to resume"), std::string::npos) << lost.text;
  EXPECT_EQ(fuserfuzz(run + " --resume --seed 4").exitCode, 0) << "which says what it is";
}

}  // namespace
