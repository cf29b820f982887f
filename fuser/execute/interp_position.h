#pragma once
// Position: the current statement of a launch and the block and thread of each lane, for the messages of violations.

#include <array>
#include <cstdint>
#include <string>

#include "fuser/kernel/kernel.h"

namespace fuser::interp {

struct Position {
  const Kernel* kernel = nullptr;
  const Statement* statement = nullptr;  // the current statement; null outside of statements
  std::array<int64_t, 3> grid{1, 1, 1};
  int64_t threads = 1;     // per block
  int64_t firstBlock = 0;  // the first block of the batch, whose lanes are the threads of consecutive blocks, x fastest

  // Threads of the launch are numbered block after block.
  int64_t threadOf(size_t lane) const { return firstBlock * threads + static_cast<int64_t>(lane); }
  // "block (1, 0, 0), thread (5, 0, 0)"
  std::string describeThread(int64_t thread) const;

  // Throws a ViolationError with `what`, block and thread, the statement's text, and the value that it accesses.
  [[noreturn]] void fail(size_t lane, const std::string& what) const;
  // "index overflow on T3": of the kernel's width.
  [[noreturn]] void failOverflow(size_t lane, const std::string& where) const;
  [[noreturn]] void failLaunch(const std::string& what) const;  // before the first statement
};

}  // namespace fuser::interp
