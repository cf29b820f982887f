#include "fuser/execute/ptx_counts.h"

namespace fuser {

size_t PtxCounts::addKernel(const Kernel& kernel) {
  const std::lock_guard lock(mutex_);
  rows_.push_back({&kernel, {}, 0});
  return rows_.size() - 1;
}

void PtxCounts::add(size_t kernel, const ptx::Counts& counts, double seconds) {
  const std::lock_guard lock(mutex_);
  rows_.at(kernel).counts += counts;
  rows_.at(kernel).seconds += seconds;
}

std::vector<KernelCounts> PtxCounts::rows() const {
  const std::lock_guard lock(mutex_);
  return rows_;
}

}  // namespace fuser
