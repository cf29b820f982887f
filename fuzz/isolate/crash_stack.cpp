// The stack of a fatal signal: written by the dying worker, symbolised by the supervisor.

#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <map>
#include <sstream>
#include <vector>

#include "fuser/support/set_up_error.h"
#include "fuzz/isolate/worker.h"

extern char** environ;

namespace fuser::fuzz {
namespace {

// A signal handler gets no argument of ours; written once, before the first task.
volatile sig_atomic_t stackDescriptor = -1;

void writeStack(int signal) {
  std::array<void*, 64> frames;
  const int count = backtrace(frames.data(), static_cast<int>(frames.size()));
  // Behind the handler, its trampoline and what it interrupted, an address is where a call returns to: the next
  // statement, perhaps of another function that is inlined there.
  constexpr int kCallers = 3;
  for (int i = kCallers; i < count; ++i)
    frames[static_cast<size_t>(i)] = static_cast<char*>(frames[static_cast<size_t>(i)]) - 1;
  backtrace_symbols_fd(frames.data(), count, stackDescriptor);
  // The handler was reset on entry: this ends the process with the signal.
  raise(signal);
}

// What a program prints. No shell: the arguments are as they are.
std::string outputOf(std::vector<std::string> arguments) {
  int ends[2];
  FUSER_SET_UP_CHECK(pipe2(ends, O_CLOEXEC) == 0, "no pipe for ", arguments[0], ": ", strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  pid_t pid = -1;
  const int error = posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  std::array<char, 4096> buffer;
  ssize_t got = 0;
  while (error == 0 && (got = read(ends[0], buffer.data(), buffer.size())) > 0) text.append(buffer.data(), got);
  close(ends[0]);
  FUSER_SET_UP_CHECK(error == 0, "cannot start ", arguments[0], ", which gives stacks their names: ", strerror(error),
                     error == ENOENT ? "; type: apt-get install binutils" : "");
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  FUSER_SET_UP_CHECK(!WIFSIGNALED(status), arguments[0], " was ended by signal ", WTERMSIG(status));
  return text;
}

// "module(+0x12ab) [0x55…]" -> module, offset; false for frames of another form.
bool splitFrame(const std::string& line, std::string& module, std::string& offset) {
  const size_t open = line.find("(+0x"), close = line.find(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return false;
  module = line.substr(0, open);
  offset = line.substr(open + 2, close - open - 2);
  return true;
}

}  // namespace

void writeStacksTo(int descriptor) {
  stackDescriptor = descriptor;
  void* frame = nullptr;
  backtrace(&frame, 1);  // loads what it needs, while memory is sound
  // On a stack of its own: the usual one may be what overflowed. Lives as long as the process.
  static std::array<char, 1 << 16> signalStack;
  stack_t stack{};
  stack.ss_sp = signalStack.data();
  stack.ss_size = signalStack.size();
  sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_handler = writeStack;
  action.sa_flags = SA_ONSTACK | SA_RESETHAND | SA_NODEFER;
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT}) sigaction(signal, &action, nullptr);
}

void Symboliser::check() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access(((folder.empty() ? "." : folder) + "/addr2line").c_str(), X_OK) == 0) return;
  }
  throw SetUpError("addr2line, which gives stacks their names, is not in PATH; type: apt-get install binutils");
}

void Symboliser::lookUp(const std::string& module, const std::vector<std::string>& offsets) {
  std::vector<std::string> arguments = {"addr2line", "-Cfpia", "-e", module};
  arguments.insert(arguments.end(), offsets.begin(), offsets.end());
  std::istringstream output(outputOf(arguments));
  for (const std::string& offset : offsets) known_[{module, offset}] = "";
  // Each answer begins with the address: "0x00…12ab: function at file:line"; lines of inlined calls follow.
  size_t answers = 0;
  std::string* answer = nullptr;
  for (std::string line; std::getline(output, line);) {
    const bool begins = line.rfind("0x", 0) == 0 && line.find(": ") != std::string::npos;
    if (begins && answers == offsets.size()) break;
    if (begins) {
      const std::string text = line.substr(line.find(": ") + 2);
      answer = text.rfind("??", 0) == 0 ? nullptr : &known_[{module, offsets[answers]}];
      if (answer) *answer = text + "\n";
      ++answers;
    } else if (answer) {
      *answer += line + "\n";
    }
  }
}

std::string Symboliser::symbolise(const std::string& frames) {
  std::map<std::string, std::vector<std::string>> wanted;  // by module
  std::string module, offset;
  std::istringstream lines(frames);
  for (std::string line; std::getline(lines, line);) {
    if (!splitFrame(line, module, offset) || known_.count({module, offset})) continue;
    std::vector<std::string>& offsets = wanted[module];
    if (std::find(offsets.begin(), offsets.end(), offset) == offsets.end()) offsets.push_back(offset);
  }
  // One call a module: reading its debug information is what takes time.
  for (const auto& [name, offsets] : wanted) lookUp(name, offsets);
  std::string text;
  std::istringstream again(frames);
  for (std::string line; std::getline(again, line);) {
    const std::string found = splitFrame(line, module, offset) ? known_.at({module, offset}) : "";
    text += found.empty() ? line + "\n" : found;
  }
  return text;
}

std::string Symboliser::withSymbols(const std::string& detail) {
  const size_t end = detail.find('\n');
  if (end == std::string::npos) return detail;
  return detail.substr(0, end + 1) + symbolise(detail.substr(end + 1));
}

std::string withSymbols(const std::string& detail) { return Symboliser().withSymbols(detail); }

}  // namespace fuser::fuzz
