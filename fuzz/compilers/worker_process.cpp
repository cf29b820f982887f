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
#include <utility>

#include "fuser/support/set_up_error.h"
#include "fuzz/compilers/process_family.h"

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

// In the child, between fork and exec. Sources above the targets, so that none is overwritten before it is copied.
[[noreturn]] void becomeWorker(const std::array<int, 5>& descriptors, char* const* arguments, char* const* variables) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  adoptOrphans();
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
  awaited_.clear();
  toSend_.clear();
  received_.clear();
  sent_ = 0;
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
  await({0}, limits_.startSeconds);
  WorkerProcess* const self = this;
  waitFor({&self, 1});
  if (replies_.front().ending == WorkerEnding::Answered && replies_.front().answer.kind != AnswerKind::Hello)
    fail(WorkerEnding::Lied, "it does not say hello");
  const WorkerReply reply = replies_.back();
  replies_.clear();
  FUSER_SET_UP_CHECK(reply.ending == WorkerEnding::Answered, "the worker of the target does not start (",
                     command_.arguments[0], "): ", reply.detail);
  version_ = reply.answer.text;
  done_ = 0;
}

void WorkerProcess::stop() {
  if (pid_ < 0) return;
  killFamily(pid_);
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
  const std::string text = endOf(progress_, 1000);
  const size_t line = text.rfind("begin ");
  return line == std::string::npos ? "" : text.substr(line, text.find('\n', line) - line);
}

void WorkerProcess::fail(WorkerEnding ending, const std::string& what) {
  WorkerReply reply;
  reply.ending = ending;
  reply.detail = what;
  const std::string last = begun(), words = lastWords();
  reply.together = std::count(last.begin(), last.end(), ' ') > 1;
  if (ending != WorkerEnding::Lied && !last.empty()) reply.detail += "\nits last line: " + last;
  if (!words.empty()) reply.detail += "\n" + words;
  replies_.push_back(std::move(reply));
  stop();
}

void WorkerProcess::await(std::vector<uint64_t> ids, double seconds) {
  awaited_.assign(ids.begin(), ids.end());
  secondsOfEach_ = seconds;
  since_ = Clock::now();
  begun_ = sizeOf(progress_);
  moreBeginnings_ = 2 * awaited_.size();
  nextCount_ = since_ + kBetweenLooks;
}

void WorkerProcess::send() {
  while (sent_ < toSend_.size()) {
    const ssize_t count = write(toWorker_, toSend_.data() + sent_, toSend_.size() - sent_);
    if (count > 0) {
      sent_ += static_cast<size_t>(count);
    } else if (errno == EAGAIN) {
      return;
    } else if (errno != EINTR) {
      break;  // it has died; its end of the answers says how
    }
  }
  toSend_.clear();
  sent_ = 0;
}

bool WorkerProcess::receive() {
  std::array<char, 1 << 16> buffer;
  const ssize_t count = read(fromWorker_, buffer.data(), buffer.size());
  if (count > 0) received_.append(buffer.data(), static_cast<size_t>(count));
  return count != 0;
}

void WorkerProcess::takeAnswers() {
  size_t at = 0;
  uint32_t length = 0;
  while (!awaited_.empty() && received_.size() >= at + kHead) {
    std::memcpy(&length, received_.data() + at, kHead);
    if (length > limits_.answerBytes) return fail(WorkerEnding::Lied, "it announces an answer past the limit");
    const size_t end = at + kHead + length;
    if (awaited_.size() == 1 && received_.size() > end) return fail(WorkerEnding::Lied, "bytes follow its answer");
    if (received_.size() < end) break;
    WorkerReply reply;
    try {
      reply.answer = readAnswer(std::string_view(received_).substr(at + kHead, length), awaited_.front());
    } catch (const BadAnswer& bad) {
      return fail(WorkerEnding::Lied, bad.what());
    }
    if (awaited_.front() != 0 && reply.answer.kind == AnswerKind::Hello)
      return fail(WorkerEnding::Lied, "it says hello instead of answering");
    reply.together = reply.answer.companions > 0;
    replies_.push_back(std::move(reply));
    awaited_.pop_front();
    ++done_;
    since_ = Clock::now();
    at = end;
  }
  received_.erase(0, at);
}

void WorkerProcess::checkLimits() {
  if (sizeOf(log_) + sizeOf(progress_) > limits_.logBytes) return fail(WorkerEnding::Lied, "it floods its log");
  // A block that fails to compile is halved: each part that it begins has its own time.
  if (const int64_t begun = sizeOf(progress_); begun != begun_ && moreBeginnings_ > 0) {
    begun_ = begun;
    --moreBeginnings_;
    since_ = Clock::now();
  }
  if (std::chrono::duration<double>(Clock::now() - since_).count() > secondsOfEach_)
    return fail(WorkerEnding::TimedOut, concat("it took more than ", secondsOfEach_, " s"));
  if (Clock::now() < nextCount_) return;
  nextCount_ = Clock::now() + kBetweenCounts;
  if (residentMbOfFamily(pid_) > limits_.residentMb)
    fail(WorkerEnding::OutOfMemory,
         concat("its resident size, with what it started, is above ", limits_.residentMb, " MiB"));
}

bool WorkerProcess::step() {
  if (awaited_.empty()) return false;
  send();
  const bool isOpen = receive();
  takeAnswers();
  if (awaited_.empty()) return false;
  if (isOpen) {
    checkLimits();
  } else {
    // It has closed its answers: it ends, or is ended.
    const std::string how = endingWithin(pid_, std::chrono::seconds(1));
    how.empty() ? fail(WorkerEnding::Lied, "it closes its answers and goes on") : fail(WorkerEnding::Died, how);
  }
  return !awaited_.empty();
}

void WorkerProcess::waitFor(std::span<WorkerProcess* const> workers) {
  while (true) {
    std::vector<pollfd> waiting;
    for (WorkerProcess* worker : workers) {
      if (!worker->step()) continue;
      waiting.push_back({worker->fromWorker_, POLLIN, 0});
      if (!worker->toSend_.empty()) waiting.push_back({worker->toWorker_, POLLOUT, 0});
    }
    if (waiting.empty()) return;
    poll(waiting.data(), waiting.size(), static_cast<int>(kBetweenLooks.count()));
  }
}

void WorkerProcess::begin(std::span<const WorkerRequest* const> requests) {
  replies_.clear();
  if (requests.empty()) return;
  if (owner_ != getpid()) forget();
  if (pid_ >= 0 && done_ >= limits_.requests) stop();
  if (pid_ < 0) start();
  std::vector<uint64_t> ids;
  for (size_t i = 0; i < requests.size(); ++i) ids.push_back(++lastId_);
  await(ids, limits_.seconds);
  std::array<char, 1> more;
  if (read(fromWorker_, more.data(), more.size()) > 0) return fail(WorkerEnding::Lied, "bytes follow its answer");
  FUSER_SET_UP_CHECK(ftruncate(log_, 0) == 0 && ftruncate(progress_, 0) == 0, "a memory file: ", strerror(errno));
  for (size_t i = 0; i < requests.size(); ++i) {
    const std::string payload = payloadOf(ids[i], *requests[i], static_cast<uint32_t>(requests.size() - 1 - i));
    const auto length = static_cast<uint32_t>(payload.size());
    toSend_.append(reinterpret_cast<const char*>(&length), kHead);
    toSend_ += payload;
  }
  step();
}

std::vector<WorkerReply> WorkerProcess::takeReplies() {
  // What an answer leaves behind is no fault of the next request.
  if (pid_ >= 0 && residentMb(pid_) > limits_.residentMb) done_ = limits_.requests;
  return std::exchange(replies_, {});
}

WorkerReply WorkerProcess::ask(const WorkerRequest& request) {
  const WorkerRequest* const asked = &request;
  begin({&asked, 1});
  WorkerProcess* const self = this;
  waitFor({&self, 1});
  return std::move(takeReplies().front());
}

}  // namespace fuser::fuzz
