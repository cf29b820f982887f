#pragma once
// What launches of kernels cost, in counts that depend on no machine and no clock: the interpreter counts them
// (interp_cost.h), on the engine of makeCountingInterpEngine.
//
// A memory instruction is what one warp (DeviceProperties::warp consecutive threads of a block) loads or stores at
// once. A Move of `width` elements is one instruction for its source and one for its target, at most 16 bytes a thread:
// wider ones are several, as in the printed text (copyVector). A Compute's operands and target and the source of a
// LoadIndex are one each. Local buffers and constants cost nothing. Tensors that share memory share its sectors
// (sectors.h), and a sector that is loaded and stored counts once in perBlock and compulsory.

#include <cstdint>
#include <mutex>
#include <vector>

#include "fuser/kernel/kernel.h"

namespace fuser {

// Sums over launches.
struct LaunchCost {
  int64_t launches = 0;  // those with blocks
  int64_t blocks = 0;
  int64_t requested = 0;   // sectors: the distinct ones of each instruction
  int64_t perBlock = 0;    // sectors: the distinct ones of each block
  int64_t compulsory = 0;  // sectors: the distinct ones of each launch
  // Of perBlock and of compulsory, those of operands that lack an axis of the grid: inputs with elements along fewer
  // axes than some other tensor of the kernel (weights, biases, statistics), which several blocks need by their nature.
  int64_t perBlockOfWeights = 0;
  int64_t compulsoryOfWeights = 0;
  // Passes of instructions on shared memory beyond the first: 32 banks, each 4 bytes wide; in one pass a bank gives one
  // word to any number of threads. Instructions of 8 and 16 bytes a thread are halves and quarters of a warp, which
  // pass one after the other.
  int64_t bankConflicts = 0;
  // Barriers, for each block that meets at them. One of the grid counts as two.
  int64_t barriers = 0;
  // Of launches of which a sample of the blocks ran: how many. The other counts are then what as many as all would
  // have, and `compulsory` is all sectors of the kernel's tensors.
  int64_t sampled = 0;
  LaunchCost& operator+=(const LaunchCost& other);
  bool operator==(const LaunchCost&) const = default;
};

struct KernelCost {
  const Kernel* kernel = nullptr;
  LaunchCost cost;
};

// The costs of all kernels of an engine. Thread-safe.
class KernelCosts {
 public:
  // A kernel without launches; returns its number, for add. It must live as long as anyone reads it from rows().
  size_t addKernel(const Kernel& kernel);
  // A CheckError if an instruction requested a sector less than its block has, or the blocks less than the launch has:
  // none is below what is compulsory.
  void add(size_t kernel, const LaunchCost& cost);
  // In the order in which kernels were added, those that never ran included.
  std::vector<KernelCost> rows() const;

 private:
  mutable std::mutex mutex_;
  std::vector<KernelCost> rows_;
};

}  // namespace fuser
