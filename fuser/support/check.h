#pragma once
// FUSER_CHECK: an internal invariant; only a bug in the compiler can break it. Throws CheckError.
// FUSER_USER_CHECK: a precondition on the caller's program or data. Throws UserError.
// The fuzzer counts a CheckError as a bug and a UserError as a rejected input, so never use one for the other.

#include <charconv>
#include <cstdio>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace fuser {

class CheckError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

class UserError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Appends what `std::ostream << value` prints. Only a type without an overload goes through a stream, because creating
// a stream costs more than formatting most values. A type may overload appendText(std::string&, T).
inline void appendText(std::string& out, std::string_view text) { out += text; }
inline void appendText(std::string& out, const char* text) { out += text; }
inline void appendText(std::string& out, char c) { out += c; }

template <class T>
  requires(!std::is_convertible_v<const T&, std::string_view>)
void appendText(std::string& out, const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    out += value ? '1' : '0';
  } else if constexpr (std::is_integral_v<T>) {
    char digits[24];
    out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  } else if constexpr (std::is_floating_point_v<T>) {
    char digits[32];
    out.append(digits, static_cast<size_t>(std::snprintf(digits, sizeof digits, "%g", static_cast<double>(value))));
  } else {
    std::ostringstream stream;
    stream << value;
    out += stream.str();
  }
}

// Concatenates the text of the arguments.
template <class... Args>
std::string concat(const Args&... args) {
  std::string out;
  (appendText(out, args), ...);
  return out;
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
