#include "fuser/execute/clang_compiler.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "fuser/support/set_up_error.h"

extern char** environ;

namespace fuser {
namespace {

constexpr const char* kFolderPrefix = "fuser-cpu-";

// Not checked: who makes a folder there hears why it cannot.
std::filesystem::path temporaryPlace() {
  const char* named = std::getenv("TMPDIR");
  return named && *named ? named : "/tmp";
}

// A folder of its own under the system's temporary one, removed at the end. It is locked, so that others see that
// somebody works in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = temporaryPlace() / (std::string(kFolderPrefix) + "XXXXXX");
    FUSER_SET_UP_CHECK(mkdtemp(name.data()), "the cpu engine cannot make the temporary folder ", name, ": ",
                       std::strerror(errno), "; name another place in TMPDIR");
    path_ = name;
    lock_ = open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock_ >= 0) flock(lock_, LOCK_EX);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
    if (lock_ >= 0) close(lock_);
  }
  std::string file(const char* name) const { return path_ / name; }
  // For more than a compilation writes. Without it clang may break as if over its text.
  bool hasRoom() const {
    std::ofstream out(file("room"), std::ios::binary);
    out << std::string(size_t{4} << 20, ' ');
    out.close();
    return out.good();
  }

 private:
  std::filesystem::path path_;
  int lock_ = -1;
};

struct Ran {
  int status = 0;      // as waitpid() has it
  std::string output;  // standard output and error
};

// Runs the program without a shell. What it prints comes through a pipe: a full disk takes nothing of it away.
Ran run(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  int ends[2];
  FUSER_SET_UP_CHECK(pipe2(ends, O_CLOEXEC) == 0, "no pipe for ", command[0], ": ", std::strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  pid_t child = 0;
  const int error = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  Ran ran;
  char buffer[4096];
  ssize_t count = 0;
  while (error == 0 && ((count = read(ends[0], buffer, sizeof buffer)) > 0 || (count < 0 && errno == EINTR)))
    ran.output.append(buffer, static_cast<size_t>(std::max<ssize_t>(count, 0)));
  close(ends[0]);
  FUSER_SET_UP_CHECK(error == 0, "cannot start ", command[0], ": ", std::strerror(error));
  while (waitpid(child, &ran.status, 0) < 0)
    FUSER_SET_UP_CHECK(errno == EINTR, "cannot wait for ", command[0], ": ", std::strerror(errno));
  return ran;
}

constexpr const char* kSource = "kernels.cpp";

std::string firstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

// "ended with status 1: …", "was ended by signal 9".
std::string endOf(const Ran& ran) {
  const std::string how = WIFSIGNALED(ran.status) ? concat("was ended by signal ", WTERMSIG(ran.status))
                                                  : concat("ended with status ", WEXITSTATUS(ran.status));
  return ran.output.empty() ? how : concat(how, ": ", firstLine(ran.output));
}

// Whether a failed compiler reports an error in the text, or crashes on it. Everything else is an error of the
// environment: a full disk, a lack of memory, a kill.
bool isOfTheText(const Ran& ran) {
  if (WIFSIGNALED(ran.status)) {
    const int signal = WTERMSIG(ran.status);
    return signal == SIGSEGV || signal == SIGABRT || signal == SIGILL || signal == SIGBUS || signal == SIGFPE;
  }
  for (const char* words : {"No space left on device", "Disk quota exceeded", "File too large", "Too many open files",
                            "Cannot allocate memory", "out of memory", "bad_alloc", "Permission denied",
                            "Read-only file system", "Input/output error", "Resource temporarily unavailable",
                            "unable to execute command", "No such file or directory"}) {
    if (ran.output.find(words) != ran.output.npos) return false;
  }
  return ran.output.find("error:") != ran.output.npos || ran.output.find("undefined") != ran.output.npos ||
         ran.output.find("PLEASE submit a bug report") != ran.output.npos;
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
  throw SetUpError("the cpu engine needs clang++ 14 or later in PATH; type: apt-get install clang");
}

void ClangCompiler::removeAbandonedFolders() {
  constexpr auto kTimeToLock = std::chrono::seconds(60);  // for who has just made one
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(temporaryPlace(), error)) {
    if (!entry.path().filename().string().starts_with(kFolderPrefix) || entry.is_symlink(error)) continue;
    const auto changed = entry.last_write_time(error);
    if (error || std::filesystem::file_time_type::clock::now() - changed < kTimeToLock) continue;
    const int folder = open(entry.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (folder < 0) continue;  // another user's
    if (flock(folder, LOCK_EX | LOCK_NB) == 0) std::filesystem::remove_all(entry.path(), error);
    close(folder);
  }
}

std::string ClangCompiler::version() const {
  const Ran ran = run({path, "--version"});
  FUSER_SET_UP_CHECK(ran.status == 0, path, " --version ", endOf(ran));
  return firstLine(ran.output);
}

SharedLibrary ClangCompiler::compile(const std::string& text) const {
  const TemporaryFolder folder;
  const std::string source = folder.file(kSource);
  const std::string library = folder.file("kernels.so");
  std::ofstream out(source, std::ios::binary);
  out << text;
  out.close();
  FUSER_SET_UP_CHECK(out.good(), "the cpu engine cannot write ", source, "; is the disk full?");
  // -fno-builtin: see cuda_on_cpu.h.
  const Ran ran =
      run({path, "-std=c++17", "-O1", "-w", "-fPIC", "-shared", "-nostdlib", "-fwrapv", "-fno-strict-aliasing",
           "-fno-builtin", "-ffp-contract=off", "-o", library, source, "-lm", "-lc"});
  FUSER_SET_UP_CHECK(ran.status == 0 || (isOfTheText(ran) && folder.hasRoom()), path, " ", endOf(ran));
  FUSER_CHECK(ran.status == 0, "printed kernels do not compile with ", path, ":\n", ran.output);
  const std::string names[] = {library};
  SharedLibrary opened(names);
  if (opened.isOpen()) return opened;
  const std::string error = opened.error();
  const bool ofTheText = error.find("undefined symbol") != error.npos || error.find("relocation") != error.npos;
  FUSER_SET_UP_CHECK(ofTheText, "compiled kernels do not load: ", error);
  FUSER_CHECK(false, "compiled kernels do not load: ", error);
}

}  // namespace fuser
