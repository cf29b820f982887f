#pragma once
// FUSER_CHECK: a condition that only a bug of ours can break (CheckError).
// FUSER_USER_CHECK: a condition that the caller's program or data can break (UserError).
// A campaign tells a finding from a rejection by this split alone, so never use one for the other.

#include <sstream>
#include <stdexcept>
#include <string>

namespace fuser {

class CheckError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

class UserError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The arguments' text, one after the other.
template <class... Args>
std::string concat(const Args&... args) {
  std::ostringstream out;
  (out << ... << args);
  return out.str();
}

[[noreturn]] void throwCheckError(const char* file, int line, const char* condition, const std::string& message);
[[noreturn]] void throwUserError(const std::string& message);

}  // namespace fuser

#define FUSER_CHECK(condition, ...)                                                                 \
  do {                                                                                              \
    if (!(condition)) [[unlikely]]                                                                  \
      ::fuser::throwCheckError(__FILE__, __LINE__, #condition, ::fuser::concat("" __VA_OPT__(, ) __VA_ARGS__)); \
  } while (false)

#define FUSER_USER_CHECK(condition, ...)                                                  \
  do {                                                                                    \
    if (!(condition)) [[unlikely]] ::fuser::throwUserError(::fuser::concat(__VA_ARGS__)); \
  } while (false)
