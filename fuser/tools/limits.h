#pragma once
// The limits of time and memory that fuser-opt sets itself: a file of a few lines may ask for more of both than a
// machine has. The harness stops its workers from outside; a program that a person starts has nobody to do that.

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>

namespace fuser {

inline constexpr double kUsualSeconds = 60;  // as a worker of the harness has them
inline constexpr size_t kUsualBytes = size_t{4} << 30;

// From now on this process may allocate so many bytes beyond what it has; an allocation past them is a std::bad_alloc.
// 0: no limit. What it starts (clang) has the limit for itself.
void limitMemory(size_t bytes);

// Ends the process with exit code 1 and one sentence on standard error when the time is up, unless it is destroyed
// before. 0: no limit.
class TimeLimit {
 public:
  explicit TimeLimit(double seconds);
  ~TimeLimit();
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

 private:
  void watch(double seconds);

  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace fuser
