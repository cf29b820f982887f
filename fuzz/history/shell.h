#pragma once
// Runs other programs: git, builds, replays.

#include <filesystem>
#include <string>
#include <vector>

namespace fuser::fuzz {

struct ShellResult {
  int exitCode = 0;    // as a shell says it: 128 + the signal of a program that was killed
  std::string output;  // standard output and error together
  // The last line that is not blank; "" if there is none.
  std::string lastLine() const;
};

// Runs a program in a folder and waits; its standard input is empty. Signals of the terminal reach it, too. A
// SetUpError if it cannot be started at all. Several threads may call this.
ShellResult runProgram(const std::vector<std::string>& arguments, const std::filesystem::path& folder);
// The same for a command line of /bin/sh.
ShellResult runShell(const std::string& line, const std::filesystem::path& folder);

}  // namespace fuser::fuzz
