#include "fuzz/history/shell.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "fuser/support/set_up_error.h"

namespace fuser::fuzz {
namespace {

pid_t start(const std::vector<std::string>& arguments, const std::filesystem::path& folder, const int (&ends)[2]) {
  std::vector<char*> words;
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  pid_t pid = -1;
  const int error = posix_spawnp(&pid, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error != 0) close(ends[0]);
  FUSER_SET_UP_CHECK(error == 0, "cannot start ", arguments[0], " in ", folder.string(), ": ", std::strerror(error));
  return pid;
}

}  // namespace

std::string ShellResult::lastLine() const {
  const size_t end = output.find_last_not_of(" \t\n");
  if (end == std::string::npos) return "";
  const size_t before = output.find_last_of('\n', end);
  const size_t begin = before == std::string::npos ? 0 : before + 1;
  return output.substr(begin, end + 1 - begin);
}

ShellResult runProgram(const std::vector<std::string>& arguments, const std::filesystem::path& folder) {
  int ends[2];
  FUSER_SET_UP_CHECK(pipe2(ends, O_CLOEXEC) == 0, "cannot make a pipe: ", std::strerror(errno));
  const pid_t pid = start(arguments, folder, ends);
  ShellResult result;
  char buffer[4096];
  for (ssize_t count; (count = read(ends[0], buffer, sizeof buffer)) != 0;) {
    if (count > 0) result.output.append(buffer, static_cast<size_t>(count));
    if (count < 0 && errno != EINTR) break;
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  result.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

ShellResult runShell(const std::string& line, const std::filesystem::path& folder) {
  return runProgram({"/bin/sh", "-c", line}, folder);
}

}  // namespace fuser::fuzz
