// fuserfuzz run on a terminal, where progress is drawn over itself.

#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/fuzz/cli/program.h"

namespace {

// What the program writes to a terminal of 24 x 100, control sequences and all.
Outcome onTerminal(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {program()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const winsize size{24, 100, 0, 0};
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) {
    setenv("TERM", "xterm", 1);
    execv(argv[0], argv.data());
    _exit(127);
  }
  Outcome outcome;
  char buffer[4096];
  // A terminal whose last program has ended reports EIO.
  for (ssize_t count; (count = read(terminal, buffer, sizeof buffer)) > 0;) {
    outcome.text.append(buffer, static_cast<size_t>(count));
  }
  close(terminal);
  int status = 0;
  waitpid(child, &status, 0);
  outcome.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

TEST(TerminalTest, TheSummaryStaysBelowTheProgressThatIsErased) {
  const Outcome outcome = onTerminal({"run", "--runs", "40", "--no-compilers", "--jobs", "1"});
  EXPECT_EQ(outcome.exitCode, 0) << outcome.text;
  const size_t erased = outcome.text.rfind("\x1b[J");
  const size_t summary = outcome.text.find("0 findings; ");
  ASSERT_NE(erased, std::string::npos) << "no progress was drawn: " << outcome.text;
  ASSERT_NE(summary, std::string::npos) << outcome.text;
  EXPECT_LT(erased, summary) << outcome.text;
}

}  // namespace
