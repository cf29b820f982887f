// The log: levels, where they come from, and sinks that write lines as they are and lose none.

#include "fuser/log/log.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "fuser/support/check.h"

namespace fuser {
namespace {

template <class Function>
std::string userErrorOf(Function function) {
  try {
    function();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

class LogTest : public testing::Test {
 protected:
  void SetUp() override {
    unsetenv("FUSER_LOG");
    folder_ = std::filesystem::temp_directory_path() / ("log_test." + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override {
    unsetenv("FUSER_LOG");
    std::filesystem::remove_all(folder_);
  }
  LogPtr keeping(LogLevel level) {
    return logTo(level, [this](LogLevel of, std::string_view line) { lines_.emplace_back(of, line); });
  }
  static std::string contents(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }

  std::filesystem::path folder_;
  std::vector<std::pair<LogLevel, std::string>> lines_;
};

TEST_F(LogTest, ALevelIncludesLaterLevels) {
  constexpr LogLevel kAll[] = {LogLevel::Trace, LogLevel::Debug, LogLevel::Info, LogLevel::Warn, LogLevel::Error};
  for (LogLevel level :
       {LogLevel::Trace, LogLevel::Debug, LogLevel::Info, LogLevel::Warn, LogLevel::Error, LogLevel::Off}) {
    lines_.clear();
    const LogPtr log = keeping(level);
    EXPECT_EQ(logLevelOf(log.get()), level);
    std::vector<std::pair<LogLevel, std::string>> expected;
    for (LogLevel each : kAll) {
      EXPECT_EQ(isLogged(log.get(), each), each >= level);
      logLine(log.get(), each, "{} % line");  // no format string
      if (each >= level) expected.emplace_back(each, "{} % line");
    }
    EXPECT_EQ(lines_, expected);
  }
}

TEST_F(LogTest, NullIsSilent) {
  EXPECT_FALSE(isLogged(nullptr, LogLevel::Error));
  EXPECT_EQ(logLevelOf(nullptr), LogLevel::Off);
  logLine(nullptr, LogLevel::Error, "nobody reads this");
  EXPECT_EQ(logToBoth(nullptr, nullptr), nullptr);
}

TEST_F(LogTest, TheOptionGoesBeforeTheVariable) {
  EXPECT_EQ(chosenLogLevel({}), LogLevel::Info);
  setenv("FUSER_LOG", "", 1);
  EXPECT_EQ(chosenLogLevel({}), LogLevel::Info);
  setenv("FUSER_LOG", "debug", 1);
  EXPECT_EQ(chosenLogLevel({}), LogLevel::Debug);
  EXPECT_EQ(chosenLogLevel("off"), LogLevel::Off);
}

TEST_F(LogTest, AnUnknownLevelNamesItsSource) {
  const std::string rest = ": no such level of the log; there are trace, debug, info, warn, error and off";
  EXPECT_EQ(userErrorOf([] { chosenLogLevel("loud"); }), "--log-level=loud" + rest);
  EXPECT_EQ(userErrorOf([] { chosenLogLevel(""); }), "--log-level=" + rest);
  setenv("FUSER_LOG", "Debug", 1);
  EXPECT_EQ(userErrorOf([] { chosenLogLevel({}); }), "FUSER_LOG=Debug" + rest);
}

TEST_F(LogTest, StderrLinesHaveControlBytesEscaped) {
  testing::internal::CaptureStderr();
  const LogPtr log = logToStderr(LogLevel::Info);
  logLine(log.get(), LogLevel::Debug, "not this");
  logLine(log.get(), LogLevel::Info, "two\nlines");
  logLine(log.get(), LogLevel::Error, "SETUP FAILURE: \x1b[31m");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "two\nlines\nSETUP FAILURE: \\x1b[31m\n");
}

TEST_F(LogTest, AFileIsAppendedTo) {
  const std::filesystem::path path = folder_ / "campaign.log";
  for (const char* line : {"first start", "second start"}) {
    const LogPtr log = logToFile(LogLevel::Info, path, [](const std::string& why) { ADD_FAILURE() << why; });
    logLine(log.get(), LogLevel::Info, line);
    EXPECT_NE(contents(path).find(line), std::string::npos) << "at once";
  }
  EXPECT_EQ(contents(path), "first start\nsecond start\n");
}

TEST_F(LogTest, AFileThatCannotBeOpenedIsOneSentence) {
  const std::string path = (folder_ / "missing" / "campaign.log").string();
  EXPECT_EQ(userErrorOf([&] { logToFile(LogLevel::Info, path, {}); }),
            "cannot write to " + path + ": No such file or directory");
}

// A limit on the size of files is an error like a full disk.
TEST_F(LogTest, LinesAreKeptUntilAFullDiskHasRoom) {
  const std::filesystem::path path = folder_ / "campaign.log";
  std::vector<std::string> complaints;
  const LogPtr log =
      logToFile(LogLevel::Info, path, [&](const std::string& sentence) { complaints.push_back(sentence); });
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlimit full{8, limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &full), 0);
  for (const char* line : {"one", "second line", "third"}) logLine(log.get(), LogLevel::Info, line);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  std::signal(SIGXFSZ, before);
  EXPECT_EQ(contents(path), "one\nseco");
  ASSERT_EQ(complaints.size(), 1u);
  EXPECT_EQ(complaints[0], "cannot write to " + path.string() + ": File too large; its lines wait until there is room");
  logLine(log.get(), LogLevel::Info, "fourth");
  EXPECT_EQ(contents(path), "one\nsecond line\nthird\nfourth\n");
}

TEST_F(LogTest, EachLoggerHasItsOwnLevel) {
  const std::filesystem::path path = folder_ / "campaign.log";
  const LogPtr file = logToFile(LogLevel::Info, path, [](const std::string& why) { ADD_FAILURE() << why; });
  const LogPtr log = logToBoth(keeping(LogLevel::Warn), file);
  EXPECT_FALSE(isLogged(log.get(), LogLevel::Debug));
  logLine(log.get(), LogLevel::Info, "for the file");
  logLine(log.get(), LogLevel::Warn, "for both");
  EXPECT_EQ(contents(path), "for the file\nfor both\n");
  const std::vector<std::pair<LogLevel, std::string>> expected = {{LogLevel::Warn, "for both"}};
  EXPECT_EQ(lines_, expected);
}

}  // namespace
}  // namespace fuser
