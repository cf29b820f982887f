// Sums of costs.
#include "fuser/execute/kernel_cost.h"

namespace fuser {

LaunchCost& LaunchCost::operator+=(const LaunchCost& other) {
  launches += other.launches;
  blocks += other.blocks;
  requested += other.requested;
  perBlock += other.perBlock;
  perBlockOfWeights += other.perBlockOfWeights;
  compulsoryOfWeights += other.compulsoryOfWeights;
  compulsory += other.compulsory;
  bankConflicts += other.bankConflicts;
  barriers += other.barriers;
  sampled += other.sampled;
  return *this;
}

size_t KernelCosts::addKernel(const Kernel& kernel) {
  const std::lock_guard lock(mutex_);
  rows_.push_back({&kernel, {}});
  return rows_.size() - 1;
}

void KernelCosts::add(size_t kernel, const LaunchCost& cost) {
  FUSER_CHECK(cost.requested >= cost.perBlock && cost.perBlock >= cost.compulsory,
              "sectors below the compulsory ones: ", cost.requested, " requested, ", cost.perBlock, " of blocks, ",
              cost.compulsory, " of the launch");
  const std::lock_guard lock(mutex_);
  rows_.at(kernel).cost += cost;
}

std::vector<KernelCost> KernelCosts::rows() const {
  const std::lock_guard lock(mutex_);
  return rows_;
}

}  // namespace fuser
