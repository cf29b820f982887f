// A forked worker: frames of an 8-byte length and its bytes, in both directions.

#include "fuzz/isolate/worker.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "fuser/support/check.h"

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

// The payload once a whole frame is there.
std::optional<std::string> unframe(const std::string& bytes) {
  uint64_t size = 0;
  if (bytes.size() < sizeof size) return std::nullopt;
  memcpy(&size, bytes.data(), sizeof size);
  if (bytes.size() < sizeof size + size) return std::nullopt;
  return bytes.substr(sizeof size, size);
}

// noexcept: what escapes `work` is a crash, and must not unwind into the supervisor's frames.
[[noreturn]] void serve(int in, int out, const WorkerPool::Work& work) noexcept {
  std::string bytes;
  std::array<char, 1 << 16> buffer;
  while (true) {
    const ssize_t count = read(in, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) _exit(0);  // the supervisor is done with us
    bytes.append(buffer.data(), count);
    if (const std::optional<std::string> task = unframe(bytes)) {
      bytes.clear();
      if (!writeAll(out, framed(work(*task)))) _exit(0);
    }
  }
}

size_t residentMb(pid_t pid) {
  std::ifstream statm("/proc/" + std::to_string(pid) + "/statm");
  size_t total = 0, resident = 0;
  statm >> total >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE)) >> 20;
}

}  // namespace

Worker::Worker(const WorkerPool::Work& work) {
  int down[2], up[2];
  FUSER_USER_CHECK(pipe2(down, O_CLOEXEC) == 0 && pipe2(up, O_CLOEXEC) == 0, "no pipe for a worker: ", strerror(errno));
  stack_ = memfd_create("stack", MFD_CLOEXEC);
  pid_ = fork();
  FUSER_USER_CHECK(pid_ >= 0, "cannot fork a worker: ", strerror(errno));
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    close(down[1]);
    close(up[0]);
    writeStacksTo(stack_);
    serve(down[0], up[1], work);
  }
  close(down[0]);
  close(up[1]);
  toWorker_ = down[1];
  fromWorker_ = up[0];
  fcntl(fromWorker_, F_SETFL, O_NONBLOCK);
}

Worker::~Worker() {
  // Closing its pipe would not end it: workers forked later hold copies of the descriptor.
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    end();
  }
  if (stack_ >= 0) close(stack_);
}

int Worker::end() {
  close(toWorker_);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  close(fromWorker_);
  pid_ = -1;
  return status;
}

void Worker::give(const std::string& task) {
  task_ = task;
  busy_ = true;
  received_.clear();
  started_ = std::chrono::steady_clock::now();
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
  return symbolise(text);
}

Outcome Worker::finish(Ending ending, std::string detail) {
  busy_ = false;
  return {task_, ending, "", std::move(detail), elapsed()};
}

std::optional<Outcome> Worker::receive() {
  std::array<char, 1 << 16> buffer;
  ssize_t count = 0;
  while ((count = read(fromWorker_, buffer.data(), buffer.size())) > 0) received_.append(buffer.data(), count);
  if (const std::optional<std::string> reply = unframe(received_)) {
    Outcome outcome = finish(Ending::Finished, "");
    outcome.reply = *reply;
    return outcome;
  }
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return std::nullopt;
  const int status = end();
  std::string detail = WIFSIGNALED(status) ? std::string("signal ") + strsignal(WTERMSIG(status))
                                           : "exit code " + std::to_string(WEXITSTATUS(status));
  // The kernel kills what takes the last memory.
  const bool memory = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  return finish(memory ? Ending::OutOfMemory : Ending::Crashed, detail + "\n" + readStack());
}

std::optional<Outcome> Worker::enforce(const Limits& limits) {
  if (!busy_) return std::nullopt;
  const size_t resident = residentMb(pid_);
  if (resident > limits.residentMb) {
    kill(pid_, SIGKILL);
    end();
    return finish(Ending::OutOfMemory, concat("resident size ", resident, " MiB is above ", limits.residentMb, " MiB"));
  }
  if (elapsed() <= limits.seconds) return std::nullopt;
  // It writes its stack and ends; where it cannot, it is killed.
  kill(pid_, SIGQUIT);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  kill(pid_, SIGKILL);
  end();
  return finish(Ending::TimedOut, concat("took more than ", limits.seconds, " s\n", readStack()));
}

}  // namespace fuser::fuzz
