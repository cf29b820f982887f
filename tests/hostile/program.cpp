#include "tests/hostile/program.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace hostile {
namespace {

std::string readAll(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

constexpr int kSetUpFailed = 120;

void redirect(int descriptor, const std::string& path) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || dup2(file, descriptor) < 0) _exit(kSetUpFailed);
}

// In the child, before it becomes the program.
void enter(const Environment& environment, const std::string& out, const std::string& err) {
  redirect(STDOUT_FILENO, out);
  redirect(STDERR_FILENO, err);
  if (environment.withoutPrivileges && geteuid() == 0) {
    // Root keeps what the bounding set leaves it.
    if (prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE) != 0 || prctl(PR_CAPBSET_DROP, CAP_DAC_READ_SEARCH) != 0)
      _exit(kSetUpFailed);
  }
  for (const auto& [name, value] : environment.environment) setenv(name.c_str(), value.c_str(), 1);
  if (environment.maxOpenFiles) {
    const rlimit limit{environment.maxOpenFiles, environment.maxOpenFiles};
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) _exit(kSetUpFailed);
  }
  if (environment.maxFileBytes) {
    const rlimit limit{environment.maxFileBytes, environment.maxFileBytes};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(kSetUpFailed);
    // A build with coverage would cut its counts short.
    setenv("GCOV_PREFIX", (std::filesystem::path(err).parent_path() / "counts").c_str(), 1);
  }
}

}  // namespace

Started start(const std::string& program, std::vector<std::string> arguments, const Environment& environment) {
  const auto path = std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / program;
  const Folder folder;
  const std::string out = environment.outputTo.empty() ? (folder.path() / "out").string() : environment.outputTo;
  const std::string err = folder.path() / "err";
  arguments.insert(arguments.begin(), path);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot fork");
  if (child == 0) {
    enter(environment, out, err);
    execv(argv[0], argv.data());
    _exit(kSetUpFailed);
  }
  const auto begin = std::chrono::steady_clock::now();
  int status = 0;
  rusage usage{};
  while (wait4(child, &status, WNOHANG, &usage) == 0) {
    if (std::chrono::steady_clock::now() - begin > std::chrono::duration<double>(environment.seconds))
      kill(child, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == kSetUpFailed)
    throw std::runtime_error("cannot start " + path.string());
  Started started;
  started.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (environment.outputTo.empty()) started.out = readAll(out);
  started.err = readAll(err);
  started.peakMb = static_cast<size_t>(usage.ru_maxrss) >> 10;
  return started;
}

Folder::Folder() {
  std::string name = std::filesystem::temp_directory_path() / "fuser-hostile-XXXXXX";
  if (!mkdtemp(name.data())) throw std::runtime_error("cannot make " + name);
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path_, ignored)) {
    if (entry.is_directory(ignored) && !entry.is_symlink(ignored))
      std::filesystem::permissions(entry.path(), std::filesystem::perms::owner_all, ignored);
  }
  std::filesystem::remove_all(path_, ignored);
}

std::string Folder::write(const std::string& name, const std::string& text) const {
  const std::filesystem::path path = path_ / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw std::runtime_error("cannot write " + path.string());
  return path;
}

bool isOneSentence(const std::string& text, const std::string& beginning) {
  if (text.rfind(beginning, 0) != 0 || text.size() == beginning.size() || text.size() >= 800) return false;
  if (text.back() != '\n') return false;
  const size_t end = text.find('\n') + 1;
  if (end == text.size()) return true;
  // Behind it, the line of the file and a caret.
  const size_t caret = text.find('\n', end) + 1;
  return text.compare(end, 2, "  ") == 0 && text.find_first_not_of(' ', caret) == text.size() - 2 &&
         text[text.size() - 2] == '^';
}

}  // namespace hostile
