#pragma once
// SetUpError: the environment lacks a resource: disk space, memory, a process, a readable file, an installed program.
// It says nothing about the caller's program or about the compiler, so it never becomes a verdict, and it ends a
// campaign.
//
// It is a UserError, because a person must act. Code that turns errors into verdicts catches it first and rethrows it.

#include <exception>
#include <new>
#include <system_error>

#include "fuser/support/check.h"

namespace fuser {

class SetUpError : public UserError {
 public:
  using UserError::UserError;
};

// For handlers of any exception: rethrows the current one if the environment caused it. A std::system_error becomes a
// SetUpError; std::bad_alloc stays as it is, because only the caller knows the memory limit.
inline void rethrowIfSetUpError(const std::exception& error) {
  if (dynamic_cast<const SetUpError*>(&error)) throw;
  if (dynamic_cast<const std::bad_array_new_length*>(&error)) return;  // a size that no machine can allocate
  if (dynamic_cast<const std::bad_alloc*>(&error)) throw;
  if (dynamic_cast<const std::system_error*>(&error)) throw SetUpError(error.what());
}

}  // namespace fuser

// Like FUSER_USER_CHECK. The message is evaluated only after the condition has failed (strerror(errno)).
#define FUSER_SET_UP_CHECK(condition, ...)                     \
  do {                                                         \
    if (!(condition)) [[unlikely]]                             \
      throw ::fuser::SetUpError(::fuser::concat(__VA_ARGS__)); \
  } while (false)
