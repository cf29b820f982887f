#pragma once
// Where a launch is: which statement, which block and thread each lane stands for. Makes the messages of violations.

#include <array>
#include <cstdint>
#include <string>

#include "fuser/kernel/kernel.h"

namespace fuser::interp {

struct Position {
  const Kernel* kernel = nullptr;
  const Statement* statement = nullptr;  // running now; null outside statements
  std::array<int64_t, 3> grid{1, 1, 1};
  int64_t threads = 1;     // of a block
  int64_t firstBlock = 0;  // of the batch: its lanes are the threads of consecutive blocks, x running fastest

  // Threads of the launch are numbered block after block.
  int64_t threadOf(size_t lane) const { return firstBlock * threads + static_cast<int64_t>(lane); }
  // "block (1, 0, 0), thread (5, 0, 0)"
  std::string describeThread(int64_t thread) const;

  // A ViolationError: what, where, the statement's text, the value that it computes or touches.
  [[noreturn]] void fail(size_t lane, const std::string& what) const;
  [[noreturn]] void failLaunch(const std::string& what) const;  // before the first statement
};

}  // namespace fuser::interp
