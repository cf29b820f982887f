#include "fuser/execute/ptx_counts.h"

#include "fuser/support/check.h"

namespace fuser {

void checkLocalMemory(const KernelCounts& counted) {
  if (counted.counts.localBytes == 0) return;
  std::string lines;
  for (const auto& [line, counts] : counted.byLine) {
    if (counts[static_cast<size_t>(ptx::InstructionClass::Local)] == 0) continue;
    lines += concat("\n  ", line, ": ", line == 0 ? "no line" : ptx::lineOf(*counted.cuda, line));
  }
  FUSER_CHECK(false, counted.kernel->name, " moves ", counted.counts.localBytes,
              " bytes of local memory, which belong to no library function; its lines of the CUDA text:", lines);
}

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
  row.counts += ptx::countsOf(program, counts, *row.cuda);
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
