#pragma once
// SetUpError: the surroundings did not give what a program needs: room on a disk, memory, a process, a file that may be
// read, a program that is installed. It says nothing about the caller's program or data, and nothing about ours: no
// verdict comes of it, and a campaign ends with it.
//
// It is a UserError, since a person must act; who makes verdicts of errors catches it first, and lets it go on.

#include <exception>
#include <new>
#include <system_error>

#include "fuser/support/check.h"

namespace fuser {

class SetUpError : public UserError {
 public:
  using UserError::UserError;
};

// For handlers of any exception: goes on with the one that is being handled where the surroundings are to blame for it.
// What came of a system call becomes a SetUpError; want of memory stays what it is, for who knows how much there may
// be.
inline void rethrowOfSurroundings(const std::exception& error) {
  if (dynamic_cast<const SetUpError*>(&error)) throw;
  if (dynamic_cast<const std::bad_array_new_length*>(&error)) return;  // a size that no machine has
  if (dynamic_cast<const std::bad_alloc*>(&error)) throw;
  if (dynamic_cast<const std::system_error*>(&error)) throw SetUpError(error.what());
}

}  // namespace fuser

// As FUSER_USER_CHECK: what the message says is looked up after the condition has failed (strerror(errno)).
#define FUSER_SET_UP_CHECK(condition, ...)                     \
  do {                                                         \
    if (!(condition)) [[unlikely]]                             \
      throw ::fuser::SetUpError(::fuser::concat(__VA_ARGS__)); \
  } while (false)
