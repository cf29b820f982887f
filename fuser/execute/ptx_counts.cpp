#include "fuser/execute/ptx_counts.h"

namespace fuser {

size_t PtxCounts::addKernel(const Kernel& kernel, std::shared_ptr<const std::string> cuda) {
  const std::lock_guard lock(mutex_);
  rows_.emplace_back();
  rows_.back().kernel = &kernel;
  rows_.back().cuda = std::move(cuda);
  return rows_.size() - 1;
}

void PtxCounts::add(size_t kernel, const ptx::Program& program, std::span<const ptx::OperationCount> counts,
                    double seconds) {
  const std::lock_guard lock(mutex_);
  KernelCounts& row = rows_.at(kernel);
  row.counts += ptx::countsOf(program, counts);
  for (const auto& [line, warps] : ptx::countsByLine(program, counts)) {
    ptx::ClassCounts& sums = row.byLine[line];
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += warps[i];
  }
  row.seconds += seconds;
}

std::vector<KernelCounts> PtxCounts::rows() const {
  const std::lock_guard lock(mutex_);
  return rows_;
}

}  // namespace fuser
