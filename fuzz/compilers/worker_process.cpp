#include "fuzz/compilers/worker_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "fuser/support/set_up_error.h"

namespace fuser::fuzz {
namespace {

constexpr size_t kHead = sizeof(uint32_t);
constexpr auto kBetweenLooks = std::chrono::milliseconds(20);
constexpr auto kBetweenCounts = std::chrono::milliseconds(200);  // of memory: all processes are looked at

// Written from its end on, however often it is cut.
int memoryFile(const char* name) {
  const int file = memfd_create(name, MFD_CLOEXEC);
  FUSER_SET_UP_CHECK(file >= 0, "no memory file for a target's worker: ", strerror(errno));
  const int appending = open(concat("/proc/self/fd/", file).c_str(), O_RDWR | O_APPEND | O_CLOEXEC);
  FUSER_SET_UP_CHECK(appending >= 0, "no memory file for a target's worker: ", strerror(errno));
  close(file);
  return appending;
}

int64_t sizeOf(int file) {
  struct stat status {};
  return fstat(file, &status) == 0 ? status.st_size : 0;
}

std::string endOf(int file, int64_t most) {
  const int64_t size = sizeOf(file), start = std::max<int64_t>(0, size - most);
  std::string text(static_cast<size_t>(size - start), '\0');
  const ssize_t count = pread(file, text.data(), text.size(), start);
  text.resize(count < 0 ? 0 : static_cast<size_t>(count));
  return text;
}

size_t residentMb(pid_t pid) {
  std::ifstream statm("/proc/" + std::to_string(pid) + "/statm");
  size_t total = 0, resident = 0;
  statm >> total >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE)) >> 20;
}

// Of the process and of what it has started, in its group.
size_t residentMbOfGroup(pid_t group) {
  size_t sum = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid > 0 && getpgid(pid) == group) sum += residentMb(pid);
  }
  return sum;
}

// In the child, between fork and exec. Sources above the targets, so that none is overwritten before it is copied.
[[noreturn]] void becomeWorker(const std::array<int, 5>& descriptors, char* const* arguments, char* const* variables) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int of : {SIGINT, SIGHUP, SIGUSR1}) signal(of, SIG_IGN);
  signal(SIGTERM, SIG_DFL);
  signal(SIGPIPE, SIG_DFL);
  std::array<int, 5> high{};
  for (size_t i = 0; i < descriptors.size(); ++i) high[i] = fcntl(descriptors[i], F_DUPFD, 16);
  for (size_t i = 0; i < high.size(); ++i) dup2(high[i], static_cast<int>(i));
  close_range(static_cast<unsigned>(high.size()), ~0u, 0);
  execve(arguments[0], arguments, variables);
  _exit(127);
}

std::vector<char*> pointersTo(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> environmentWith(const std::vector<std::pair<std::string, std::string>>& variables) {
  std::vector<std::string> all;
  for (char** variable = environ; *variable; ++variable) {
    const std::string text = *variable;
    const bool isReplaced = std::any_of(variables.begin(), variables.end(),
                                        [&](const auto& other) { return text.starts_with(other.first + "="); });
    if (!isReplaced) all.push_back(text);
  }
  for (const auto& [name, value] : variables) all.push_back(name + "=" + value);
  return all;
}

// How the process ends, which stays to be waited for; "" if it does not.
std::string endingWithin(pid_t pid, std::chrono::milliseconds time) {
  siginfo_t info{};
  for (const auto start = std::chrono::steady_clock::now(); std::chrono::steady_clock::now() - start < time;) {
    waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT);
    if (info.si_pid == 0) {
      usleep(1000);
    } else if (info.si_code == CLD_EXITED) {
      return concat("exit code ", info.si_status);
    } else {
      return concat("signal ", strsignal(info.si_status));
    }
  }
  return "";
}

}  // namespace

WorkerProcess::WorkerProcess(WorkerCommand command, WorkerLimits limits)
    : command_(std::move(command)), limits_(limits) {}

WorkerProcess::~WorkerProcess() {
  if (owner_ == getpid()) stop();
}

void WorkerProcess::forget() {
  for (int* descriptor : {&toWorker_, &fromWorker_, &log_, &progress_}) *descriptor = -1;
  pid_ = owner_ = -1;
}

void WorkerProcess::start() {
  int down[2], up[2];
  FUSER_SET_UP_CHECK(pipe2(down, O_CLOEXEC) == 0 && pipe2(up, O_CLOEXEC) == 0,
                     "no pipe for a target's worker: ", strerror(errno));
  log_ = memoryFile("log");
  progress_ = memoryFile("progress");
  std::vector<std::string> arguments = command_.arguments, variables = environmentWith(command_.variables);
  const std::vector<char*> argumentPointers = pointersTo(arguments), variablePointers = pointersTo(variables);
  pid_ = fork();
  FUSER_SET_UP_CHECK(pid_ >= 0, "cannot fork a target's worker: ", strerror(errno));
  if (pid_ == 0)
    becomeWorker({down[0], up[1], log_, log_, progress_}, argumentPointers.data(), variablePointers.data());
  setpgid(pid_, pid_);  // whoever comes first
  close(down[0]);
  close(up[1]);
  toWorker_ = down[1];
  fromWorker_ = up[0];
  for (const int descriptor : {toWorker_, fromWorker_}) fcntl(descriptor, F_SETFL, O_NONBLOCK);
  owner_ = getpid();
  done_ = 0;
  WorkerReply reply = receive(limits_.startSeconds, 0);
  if (reply.ending == WorkerEnding::Answered && reply.answer.kind != AnswerKind::Hello)
    reply = fail(WorkerEnding::Lied, "it does not say hello");
  FUSER_SET_UP_CHECK(reply.ending == WorkerEnding::Answered, "the worker of the target does not start (",
                     command_.arguments[0], "): ", reply.detail);
  version_ = reply.answer.text;
}

void WorkerProcess::stop() {
  if (pid_ < 0) return;
  kill(-pid_, SIGKILL);
  kill(pid_, SIGKILL);  // before it leads its group
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  for (const int descriptor : {toWorker_, fromWorker_, log_, progress_}) close(descriptor);
  forget();
}

std::string WorkerProcess::lastWords() const {
  constexpr int64_t kMost = 4000;
  return endOf(log_, kMost);
}

std::string WorkerProcess::begun() const {
  const std::string text = endOf(progress_, 64);
  const size_t line = text.rfind("begin ");
  return line == std::string::npos ? "" : text.substr(line, text.find('\n', line) - line);
}

WorkerReply WorkerProcess::fail(WorkerEnding ending, const std::string& what) {
  WorkerReply reply;
  reply.ending = ending;
  reply.detail = what;
  const std::string last = begun(), words = lastWords();
  if (ending != WorkerEnding::Lied && !last.empty()) reply.detail += "\nits last line: " + last;
  if (!words.empty()) reply.detail += "\n" + words;
  stop();
  return reply;
}

bool WorkerProcess::send(const std::string& bytes, Clock::time_point until) {
  for (size_t written = 0; written < bytes.size();) {
    const ssize_t count = write(toWorker_, bytes.data() + written, bytes.size() - written);
    if (count > 0) written += static_cast<size_t>(count);
    if (count < 0 && errno != EAGAIN && errno != EINTR) return false;  // it has died; receive() says how
    if (Clock::now() > until) return false;
    pollfd wait{toWorker_, POLLOUT, 0};
    if (count < 0) poll(&wait, 1, static_cast<int>(kBetweenLooks.count()));
  }
  return true;
}

WorkerReply WorkerProcess::receive(double seconds, uint64_t id) {
  const Clock::time_point start = Clock::now();
  Clock::time_point nextCount = start + kBetweenLooks;
  std::array<char, 1 << 16> buffer;
  std::string bytes;
  uint32_t length = 0;
  while (true) {
    pollfd wait{fromWorker_, POLLIN, 0};
    poll(&wait, 1, static_cast<int>(kBetweenLooks.count()));
    const ssize_t count = read(fromWorker_, buffer.data(), buffer.size());
    if (count == 0) break;
    if (count > 0) bytes.append(buffer.data(), static_cast<size_t>(count));
    if (bytes.size() >= kHead) {
      std::memcpy(&length, bytes.data(), kHead);
      if (length > limits_.answerBytes) return fail(WorkerEnding::Lied, "it announces an answer past the limit");
      if (bytes.size() > kHead + length) return fail(WorkerEnding::Lied, "bytes follow its answer");
    }
    if (bytes.size() >= kHead && bytes.size() == kHead + length) {
      WorkerReply reply;
      try {
        reply.answer = readAnswer(std::string_view(bytes).substr(kHead), id);
      } catch (const BadAnswer& bad) {
        return fail(WorkerEnding::Lied, bad.what());
      }
      return reply;
    }
    if (sizeOf(log_) + sizeOf(progress_) > limits_.logBytes) return fail(WorkerEnding::Lied, "it floods its log");
    if (std::chrono::duration<double>(Clock::now() - start).count() > seconds)
      return fail(WorkerEnding::TimedOut, concat("it took more than ", seconds, " s"));
    if (Clock::now() < nextCount) continue;
    nextCount = Clock::now() + kBetweenCounts;
    if (residentMbOfGroup(pid_) > limits_.residentMb)
      return fail(WorkerEnding::OutOfMemory,
                  concat("its resident size, with what it started, is above ", limits_.residentMb, " MiB"));
  }
  // It has closed its answers: it ends, or is ended.
  const std::string how = endingWithin(pid_, std::chrono::seconds(1));
  if (how.empty()) return fail(WorkerEnding::Lied, "it closes its answers and goes on");
  return fail(WorkerEnding::Died, how);
}

WorkerReply WorkerProcess::ask(const WorkerRequest& request) {
  if (owner_ != getpid()) forget();
  if (pid_ >= 0 && done_ >= limits_.requests) stop();
  if (pid_ < 0) start();
  std::array<char, 1> more;
  if (read(fromWorker_, more.data(), more.size()) > 0) return fail(WorkerEnding::Lied, "bytes follow its answer");
  FUSER_SET_UP_CHECK(ftruncate(log_, 0) == 0 && ftruncate(progress_, 0) == 0, "a memory file: ", strerror(errno));
  const uint64_t id = ++lastId_;
  const std::string payload = payloadOf(id, request);
  const auto length = static_cast<uint32_t>(payload.size());
  std::string frame(kHead, '\0');
  std::memcpy(frame.data(), &length, kHead);
  send(frame + payload,
       Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limits_.seconds)));
  WorkerReply reply = receive(limits_.seconds, id);
  // What an answer leaves behind is no fault of the next request.
  const bool isFull = pid_ >= 0 && residentMb(pid_) > limits_.residentMb;
  done_ = isFull ? limits_.requests : done_ + 1;
  if (reply.ending == WorkerEnding::Answered && reply.answer.kind == AnswerKind::Hello)
    return fail(WorkerEnding::Lied, "it says hello instead of answering");
  return reply;
}

}  // namespace fuser::fuzz
