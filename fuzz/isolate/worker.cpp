// A forked worker: frames of an 8-byte length and its bytes, in both directions. A frame from the worker begins
// with its kind: "r" and the reply to the task, "s" and the message of a SetUpError, or "l", the level of a log line as
// a digit, and the line.

#include "fuzz/isolate/worker.h"

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>

#include "fuser/support/set_up_error.h"

namespace fuser::fuzz {
namespace {

bool writeAll(int descriptor, const std::string& bytes) {
  size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t count = write(descriptor, bytes.data() + written, bytes.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    written += static_cast<size_t>(count);
  }
  return true;
}

std::string framed(const std::string& payload) {
  const uint64_t size = payload.size();
  std::string bytes(sizeof size, '\0');
  memcpy(bytes.data(), &size, sizeof size);
  return bytes + payload;
}

// Takes the first frame's payload away, once the whole frame is there.
std::optional<std::string> unframe(std::string& bytes) {
  uint64_t size = 0;
  if (bytes.size() < sizeof size) return std::nullopt;
  memcpy(&size, bytes.data(), sizeof size);
  if (bytes.size() < sizeof size + size) return std::nullopt;
  std::string payload = bytes.substr(sizeof size, size);
  bytes.erase(0, sizeof size + size);
  return payload;
}

constexpr char kReply = 'r', kLine = 'l', kSetUp = 's';

// The worker's end: lines go to the supervisor, at the level of its log. Null where that takes none.
LogPtr logToPipe(const spdlog::logger* log, int out) {
  if (logLevelOf(log) == LogLevel::Off) return nullptr;
  return logTo(logLevelOf(log), [out](LogLevel level, std::string_view line) {
    const char head[] = {kLine, static_cast<char>('0' + static_cast<int>(level))};
    writeAll(out, framed(std::string(head, sizeof head).append(line)));
  });
}

// "case 17"; of tasks of several lines the first.
std::string nameOf(const std::string& task) { return task.substr(0, std::min<size_t>(task.find('\n'), 80)); }

// The frame that answers a task.
std::string answerTo(const std::string& task, const WorkerPool::LoggingWork& work, spdlog::logger* log) {
  try {
    return kReply + work(task, log);
  } catch (const SetUpError& error) {
    return std::string(1, kSetUp) + error.what();
  } catch (const std::bad_alloc&) {
    return std::string(1, kSetUp) + "no memory left for a worker process";
  } catch (const std::system_error& error) {
    return std::string(1, kSetUp) + error.what();
  }
}

// noexcept: what escapes `work` is a crash, and must not unwind into the supervisor's frames.
[[noreturn]] void serve(int in, int out, const WorkerPool::LoggingWork& work, spdlog::logger* log) noexcept {
  std::string bytes;
  std::array<char, 1 << 16> buffer;
  while (true) {
    const ssize_t count = read(in, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) _exit(0);  // the supervisor is done with us
    bytes.append(buffer.data(), count);
    if (const std::optional<std::string> task = unframe(bytes)) {
      if (!writeAll(out, framed(answerTo(*task, work, log)))) _exit(0);
    }
  }
}

// Standard ones and those named stay. A lock or a ledger of the supervisor must not live on in a worker.
void closeAllBut(std::array<int, 3> kept) {
  std::sort(kept.begin(), kept.end());
  unsigned first = STDERR_FILENO + 1;
  const auto closeUpTo = [&first](unsigned end) {  // not including it
    if (first < end) close_range(first, end - 1, 0);
    first = end + 1;
  };
  for (int descriptor : kept) closeUpTo(static_cast<unsigned>(descriptor));
  close_range(first, ~0u, 0);
}

// What a person or the kernel ends processes with; a task of ours sends itself none of them.
bool comesFromOutside(int signal) { return signal == SIGKILL || signal == SIGTERM || signal == SIGHUP; }

size_t residentMb(pid_t pid) {
  std::ifstream statm("/proc/" + std::to_string(pid) + "/statm");
  const int error = errno;
  // Else a limit would hold nobody.
  FUSER_SET_UP_CHECK(statm.is_open() || (error != EMFILE && error != ENFILE && error != ENOMEM),
                     "cannot see what a worker takes: ", strerror(error));
  size_t total = 0, resident = 0;
  statm >> total >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE)) >> 20;
}

// Whether a signal or a debugger holds it.
bool isStopped(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(stat, line);
  const size_t name = line.rfind(") ");  // the name may hold anything
  return name != std::string::npos && name + 2 < line.size() && (line[name + 2] == 'T' || line[name + 2] == 't');
}

}  // namespace

Worker::Worker(const WorkerPool::LoggingWork& work, const LogPtr& log) : log_(log) {
  int down[2], up[2];
  FUSER_SET_UP_CHECK(pipe2(down, O_CLOEXEC) == 0 && pipe2(up, O_CLOEXEC) == 0,
                     "no pipe for a worker: ", strerror(errno));
  stack_ = memfd_create("stack", MFD_CLOEXEC);
  FUSER_SET_UP_CHECK(stack_ >= 0, "no memory file for a worker's stack: ", strerror(errno));
  pid_ = fork();
  FUSER_SET_UP_CHECK(pid_ >= 0, "cannot fork a worker: ", strerror(errno));
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // These are the supervisor's, though a terminal sends them to all.
    for (int of : {SIGINT, SIGHUP, SIGUSR1}) signal(of, SIG_IGN);
    signal(SIGTERM, SIG_DFL);  // the supervisor's handler would keep a worker alive
    signal(SIGPIPE, SIG_IGN);
    // Cases take and free the same megabytes over and over: kept by the process, their pages need not be cleared again.
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
    closeAllBut({down[0], up[1], stack_});
    writeStacksTo(stack_);
    serve(down[0], up[1], work, logToPipe(log.get(), up[1]).get());
  }
  close(down[0]);
  close(up[1]);
  toWorker_ = down[1];
  fromWorker_ = up[0];
  fcntl(fromWorker_, F_SETFL, O_NONBLOCK);
}

Worker::~Worker() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    end();
  }
  if (stack_ >= 0) close(stack_);
}

int Worker::end() {
  close(toWorker_);
  int status = 0;
  rusage usage{};
  while (wait4(pid_, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  peakMb_ = static_cast<size_t>(usage.ru_maxrss) >> 10;
  close(fromWorker_);
  pid_ = -1;
  return status;
}

void Worker::give(const std::string& task, const Limits& limits) {
  task_ = task;
  limits_ = limits;
  busy_ = true;
  askedForStack_.reset();
  received_.clear();
  started_ = lastLook_ = std::chrono::steady_clock::now();
  // A worker that died meanwhile shows as the end of its replies.
  writeAll(toWorker_, framed(task));
}

double Worker::elapsed() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

std::string Worker::readStack() const {
  std::string text;
  std::array<char, 4096> buffer;
  ssize_t count = 0;
  off_t place = 0;
  while ((count = pread(stack_, buffer.data(), buffer.size(), place)) > 0) {
    text.append(buffer.data(), count);
    place += count;
  }
  return text;
}

Outcome Worker::timedOut() {
  return finish(Ending::TimedOut, concat("took more than ", secondsAllowed_, " s\n", readStack()));
}

Outcome Worker::finish(Ending ending, std::string detail) {
  busy_ = false;
  Outcome outcome;
  outcome.task = task_;
  outcome.ending = ending;
  outcome.detail = std::move(detail);
  outcome.seconds = elapsed();
  return outcome;
}

bool Worker::readPipe() {
  std::array<char, 1 << 16> buffer;
  ssize_t count = 0;
  while ((count = read(fromWorker_, buffer.data(), buffer.size())) > 0) received_.append(buffer.data(), count);
  return count < 0 && (errno == EAGAIN || errno == EINTR);
}

std::optional<std::string> Worker::takeReply() {
  while (std::optional<std::string> payload = unframe(received_)) {
    FUSER_CHECK(!payload->empty(), "an empty frame from a worker");
    if (payload->front() == kReply) return payload->substr(1);
    if (payload->front() == kSetUp) throw SetUpError(payload->substr(1));
    FUSER_CHECK(payload->front() == kLine && payload->size() >= 2, "a worker's frame of an unknown kind");
    logLine(log_.get(), static_cast<LogLevel>((*payload)[1] - '0'), concat(nameOf(task_), ": ", payload->substr(2)));
  }
  return std::nullopt;
}

std::optional<Outcome> Worker::receive() {
  const bool open = readPipe();
  const std::optional<std::string> reply = takeReply();
  // A reply that comes after the time was up is too late.
  if (reply && !askedForStack_) {
    Outcome outcome = finish(Ending::Finished, "");
    outcome.reply = *reply;
    return outcome;
  }
  if (open) return std::nullopt;
  const int status = end();
  if (askedForStack_) return timedOut();
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  std::string detail =
      signal != 0 ? std::string("signal ") + strsignal(signal) : "exit code " + std::to_string(WEXITSTATUS(status));
  // The kernel may be faster than we look.
  const bool pastLimit = comesFromOutside(signal) && peakMb_ > limits_.residentMb;
  if (pastLimit) detail = concat("resident size ", peakMb_, " MiB is above ", limits_.residentMb, " MiB");
  const bool fromOutside = comesFromOutside(signal) && !pastLimit;
  Outcome outcome =
      finish(comesFromOutside(signal) ? Ending::OutOfMemory : Ending::Crashed, detail + "\n" + readStack());
  outcome.fromOutside = fromOutside;
  return outcome;
}

std::optional<Outcome> Worker::enforce(const Limits& limits) {
  using Clock = std::chrono::steady_clock;
  limits_ = limits;
  constexpr auto kTimeForStack = std::chrono::milliseconds(300);
  constexpr auto kBetweenLooks = std::chrono::milliseconds(20);
  const Clock::duration sinceLook = Clock::now() - lastLook_;
  if (!busy_ || sinceLook < kBetweenLooks) return std::nullopt;
  lastLook_ = Clock::now();
  // What was stopped by a signal took no time: the worker, or this process, which then did not look for long.
  constexpr auto kLongestBetweenLooks = std::chrono::seconds(1);
  if (isStopped(pid_)) {
    started_ += sinceLook;
  } else if (sinceLook > kLongestBetweenLooks) {
    started_ += sinceLook - kLongestBetweenLooks;
  }
  const size_t resident = residentMb(pid_);
  if (resident > limits.residentMb) {
    kill(pid_, SIGKILL);
    readPipe();
    takeReply();  // its last lines
    end();
    return finish(Ending::OutOfMemory, concat("resident size ", resident, " MiB is above ", limits.residentMb, " MiB"));
  }
  if (!askedForStack_) {
    if (elapsed() <= limits.seconds) return std::nullopt;
    // It writes its stack and ends; where it cannot, it is killed.
    kill(pid_, SIGQUIT);
    askedForStack_ = Clock::now();
    secondsAllowed_ = limits.seconds;
    return std::nullopt;
  }
  if (Clock::now() - *askedForStack_ < kTimeForStack) return std::nullopt;
  kill(pid_, SIGKILL);
  readPipe();
  takeReply();  // its last lines
  end();
  return timedOut();
}

}  // namespace fuser::fuzz
