#pragma once
// The counts of all kernels of an engine that executes PTX (fuser/ptx/counts.h). Thread-safe.

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "fuser/kernel/kernel.h"
#include "fuser/ptx/counts.h"

namespace fuser {

struct KernelCounts {
  const Kernel* kernel = nullptr;
  ptx::Counts counts;
  std::map<uint32_t, ptx::ClassCounts> byLine{};  // instructions of warps, by line of the CUDA text
  std::shared_ptr<const std::string> cuda{};      // the text: of a module of several kernels; never null
  double seconds = 0;  // of its launches: the one figure that depends on a clock
};

// A CheckError where a kernel has local memory that belongs to no library function: kernels keep what is theirs in
// registers, and an array whose indices NVRTC does not know goes to memory unseen.
void checkLocalMemory(const KernelCounts& counted);

class PtxCounts {
 public:
  // A kernel without launches; returns its number, for add. It must live as long as anyone reads it from rows().
  size_t addKernel(const Kernel& kernel, std::shared_ptr<const std::string> cuda);
  // Of one launch, with the counts of each operation of its program.
  void add(size_t kernel, const ptx::Program& program, std::span<const ptx::OperationCount> counts, double seconds);
  // In the order in which kernels were added, those that never ran included.
  std::vector<KernelCounts> rows() const;

 private:
  mutable std::mutex mutex_;
  std::vector<KernelCounts> rows_;
};

}  // namespace fuser
