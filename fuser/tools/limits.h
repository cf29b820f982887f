#pragma once
// The time and memory limits of fuser-opt: a file of a few lines may need more of either than a machine has. (The
// harness limits its workers from outside.)

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>

namespace fuser {

inline constexpr double kUsualSeconds = 60;  // the limit of a harness worker
inline constexpr size_t kUsualBytes = size_t{4} << 30;

// Limits what this process may allocate from now on; exceeding it is a std::bad_alloc. 0: no limit. Child processes
// (clang) have the same limit, each for itself.
void limitMemory(size_t bytes);

// Ends the process with exit code 1 and one sentence on standard error when the time is up, unless destroyed before. 0:
// no limit.
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
