#pragma once
// One launch of a compiled kernel: batches of blocks one after the other, all threads of a batch in lockstep, statement
// by statement. A thread is a lane; a statement is an inner loop over lanes; an If narrows the mask.

#include <span>
#include <vector>

#include "fuser/execute/interp_memory.h"

namespace fuser::interp {

// Memory that launches reuse, so that a small kernel does not pay for fresh pages.
class Scratch {
 public:
  // At least that many bytes, the first `zeroed` of them zero.
  std::byte* get(size_t bytes, size_t zeroed);
  size_t size() const { return size_; }

 private:
  std::unique_ptr<std::byte[]> memory_;
  size_t size_ = 0;
};

// Runs the launch to its end. A ViolationError; a UserError for a launch that is too large.
void runLaunch(const Program& program, const KernelArguments& arguments, Scratch& scratch);

}  // namespace fuser::interp
