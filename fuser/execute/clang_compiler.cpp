#include "fuser/execute/clang_compiler.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "fuser/support/check.h"

extern char** environ;

namespace fuser {
namespace {

// A folder of its own under the system's temporary one, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code error;
    const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
    std::string name = (error ? std::filesystem::path("/tmp") : parent) / "fuser-cpu-XXXXXX";
    FUSER_USER_CHECK(mkdtemp(name.data()), "the cpu engine cannot make the temporary folder ", name, ": ",
                     std::strerror(errno), "; name another place in TMPDIR");
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string file(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

std::string readFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// Runs the program without a shell, its output in the file; returns its exit status, or 128 + signal.
int run(const std::vector<std::string>& command, const std::string& output) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int error = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  FUSER_USER_CHECK(error == 0, "cannot start ", command[0], ": ", std::strerror(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    FUSER_USER_CHECK(errno == EINTR, "cannot wait for ", command[0], ": ", std::strerror(errno));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Finds a program in PATH; empty if there is none.
std::string inPath(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    if (access(candidate.c_str(), X_OK) == 0 && !std::filesystem::is_directory(candidate)) return candidate;
  }
  return "";
}

}  // namespace

ClangCompiler ClangCompiler::find() {
  std::vector<std::string> names = {"clang++"};
  for (int version = 19; version >= 14; --version) names.push_back("clang++-" + std::to_string(version));
  for (const std::string& name : names) {
    const std::string path = inPath(name);
    if (!path.empty()) return {path};
  }
  throwUserError("the cpu engine needs clang++ 14 or later in PATH; type: apt-get install clang");
}

std::string ClangCompiler::version() const {
  const TemporaryFolder folder;
  run({path, "--version"}, folder.file("version"));
  const std::string text = readFile(folder.file("version"));
  return text.substr(0, text.find('\n'));
}

SharedLibrary ClangCompiler::compile(const std::string& text, bool contraction) const {
  const TemporaryFolder folder;
  const std::string source = folder.file("kernels.cpp");
  const std::string library = folder.file("kernels.so");
  const std::string messages = folder.file("messages");
  std::ofstream out(source, std::ios::binary);
  out << text;
  out.close();
  FUSER_USER_CHECK(out.good(), "the cpu engine cannot write ", source, "; is the disk full?");
  // -fno-builtin: see cuda_on_cpu.h. -fno-math-errno makes sqrt one instruction; it changes no value.
  const std::vector<std::string> command = {
      path, "-std=c++17", "-O1", "-w", "-fPIC", "-shared", "-nostdlib", "-fwrapv", "-fno-strict-aliasing",
      "-fno-builtin", "-fno-math-errno", contraction ? "-ffp-contract=fast" : "-ffp-contract=off", "-o", library,
      source, "-lm", "-lc"};
  const int status = run(command, messages);
  if (status > 128 || status == 127) {
    throwUserError(concat(path, " ended with status ", status, ": ", readFile(messages)));
  }
  FUSER_CHECK(status == 0, "printed kernels do not compile with ", path, ":\n", readFile(messages));
  const std::string names[] = {library};
  SharedLibrary opened(names);
  FUSER_CHECK(opened.isOpen(), "compiled kernels do not load: ", opened.error());
  return opened;
}

}  // namespace fuser
