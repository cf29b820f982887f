// Limits by setrlimit, and by a thread that waits.

#include "fuser/tools/limits.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>

#include "fuser/support/check.h"

namespace fuser {
namespace {

// The process' private writable memory: what RLIMIT_DATA counts. Address space alone would count what a driver or a
// sanitizer reserves.
size_t dataBytes() {
  std::ifstream statm("/proc/self/statm");
  size_t pages = 0;
  for (int field = 0; field < 6; ++field) statm >> pages;
  FUSER_USER_CHECK(statm, "--max-memory: cannot read /proc/self/statm; --max-memory=0 sets no limit");
  return pages * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

void limitMemory(size_t bytes) {
  if (bytes == 0) return;
  rlimit limit{};
  getrlimit(RLIMIT_DATA, &limit);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, dataBytes() + bytes);
  FUSER_USER_CHECK(setrlimit(RLIMIT_DATA, &limit) == 0, "--max-memory=", bytes, " cannot be set");
}

TimeLimit::TimeLimit(double seconds) {
  if (seconds > 0) thread_ = std::thread([this, seconds] { watch(seconds); });
}

TimeLimit::~TimeLimit() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void TimeLimit::watch(double seconds) {
  std::unique_lock lock(mutex_);
  if (changed_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return over_; })) return;
  // Not by the log: another thread may hold it, and never come back.
  const std::string sentence = concat("fuser-opt: stopped after ", seconds, " s (--max-seconds; 0: no limit)\n");
  if (write(STDERR_FILENO, sentence.data(), sentence.size()) < 0) _exit(1);
  _exit(1);
}

}  // namespace fuser
