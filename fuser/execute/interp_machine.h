#pragma once
// Runs one launch of a compiled kernel, one batch of blocks at a time. All threads of a batch run in lockstep: each
// thread is a lane, a statement is an inner loop over lanes, and an If narrows the mask of active lanes.

#include <span>
#include <vector>

#include "fuser/execute/interp_memory.h"
#include "fuser/execute/kernel_cost.h"

namespace fuser::interp {

// Memory that launches reuse, so that a small kernel does not pay for new pages.
class Scratch {
 public:
  // Returns at least `bytes` bytes, of which the first `zeroed` are zero.
  std::byte* get(size_t bytes, size_t zeroed);
  size_t size() const { return size_; }

 private:
  std::unique_ptr<std::byte[]> memory_;
  size_t size_ = 0;
};

// Runs the launch to its end. Throws ViolationError, or UserError if the launch is too large. `cost`: null, or where to
// add what it costs, once it has ended.
void runLaunch(const Program& program, const KernelArguments& arguments, Scratch& scratch, LaunchCost* cost = nullptr,
               int64_t mostBlocks = 0);

}  // namespace fuser::interp
