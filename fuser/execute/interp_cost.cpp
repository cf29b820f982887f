// Counts sectors, passes of banks, and barriers.
#include "fuser/execute/interp_cost.h"

#include <algorithm>

#include "fuser/execute/launch_shape.h"

namespace fuser::interp {
namespace {

constexpr uint64_t kMostBytes = 16;  // that an instruction moves a thread
constexpr uint64_t kBanks = 32;
constexpr uint64_t kWordBytes = 4;  // of a bank
constexpr size_t kFewBlocks = size_t{1} << 20;

void addOnce(std::vector<uint64_t>& all, uint64_t value) {
  // Neighbours mostly share the last.
  if (std::find(all.rbegin(), all.rend(), value) == all.rend()) all.push_back(value);
}

// By buffer: the memory of a tensor or workspace; nothing for others.
std::vector<SectorNumbers::Range> tensorRanges(const Kernel& kernel, const KernelArguments& arguments) {
  std::vector<SectorNumbers::Range> ranges(kernel.buffers.size());
  for (const Buffer& buffer : kernel.buffers) {
    if (buffer.memory != MemoryType::Global) continue;
    const TensorRef& tensor = globalArgument(kernel, buffer, arguments);
    const uint64_t elements = static_cast<uint64_t>(extentInMemory(tensor.sizes, tensor.strides));
    ranges[static_cast<size_t>(buffer.id)] = {reinterpret_cast<uint64_t>(tensor.data),
                                              elements * dtypeSize(tensor.dtype)};
  }
  return ranges;
}

// By buffer: whether it is an input that lacks an axis that another tensor has.
std::vector<bool> weightsOf(const Kernel& kernel) {
  std::vector<bool> weights(kernel.buffers.size(), false);
  size_t most = 0;
  for (const TensorParam& tensor : kernel.tensors) {
    if (tensor.source) most = std::max(most, tensor.source->concreteRank());
  }
  for (const TensorParam& tensor : kernel.tensors) {
    weights[static_cast<size_t>(tensor.buffer)] =
        !tensor.written && tensor.source && tensor.source->concreteRank() < most;
  }
  return weights;
}

}  // namespace

CostCounter::CostCounter(const Program& program, const KernelArguments& arguments)
    : program_(program),
      ranges_(tensorRanges(*program.kernel, arguments)),
      sectors_(ranges_),
      touched_(sectors_.count()),
      isWeight_(weightsOf(*program.kernel)),
      ofWeights_(sectors_.count(), true),
      mostBlocks_(kFewBlocks) {
  const Kernel& kernel = *program.kernel;
  for (const Buffer& buffer : kernel.buffers) {
    Place place;
    place.isShared = buffer.memory == MemoryType::Shared;
    place.isGlobal = buffer.memory == MemoryType::Global;
    place.elementSize = dtypeSize(buffer.dtype);
    if (place.isGlobal) {
      place.address = reinterpret_cast<uint64_t>(globalArgument(kernel, buffer, arguments).data);
    }
    places_.push_back(place);
  }
  cost_.launches = 1;
}

void CostCounter::beginBatch(size_t lanes) {
  endBatch();
  cost_.blocks += static_cast<int64_t>(lanes) / program_.threads;
}

// Calls visit(block, begin, end) for each group of `lanes` lanes of a warp that may have active ones.
template <class Visit>
void CostCounter::forEachWarp(const Mask& mask, size_t lanes, const Visit& visit) const {
  const size_t threads = static_cast<size_t>(program_.threads);
  const size_t warp = static_cast<size_t>(program_.kernel->device.warp);
  for (size_t lane = mask.begin; lane < mask.end;) {
    const size_t block = lane / threads;
    const size_t thread = lane % threads;
    const size_t inWarp = thread % warp;
    const size_t left = std::min({lanes - inWarp % lanes, warp - inWarp, threads - thread, mask.end - lane});
    visit(block, lane, lane + left);
    lane += left;
  }
}

void CostCounter::access(int buffer, int width, const Mask& mask, const LaneIndices& indices) {
  const Place& place = places_[static_cast<size_t>(buffer)];
  if (!place.isGlobal && !place.isShared) return;
  const uint64_t bytes = static_cast<uint64_t>(width) * place.elementSize;
  for (uint64_t offset = 0; offset < bytes; offset += kMostBytes) {
    const uint64_t part = std::min(bytes - offset, kMostBytes);
    if (place.isGlobal) {
      requestSectors(static_cast<size_t>(buffer), offset, part, mask, indices);
    } else {
      passBanks(place, offset, part, mask, indices);
    }
  }
}

void CostCounter::requestSectors(size_t buffer, uint64_t offset, uint64_t bytes, const Mask& mask,
                                 const LaneIndices& indices) {
  const Place& place = places_[buffer];
  const size_t warp = static_cast<size_t>(program_.kernel->device.warp);
  forEachWarp(mask, warp, [&](size_t block, size_t begin, size_t end) {
    distinct_.clear();
    for (size_t lane = begin; lane < end; ++lane) {
      if (!mask.active(lane)) continue;
      const uint64_t address = place.address + static_cast<uint64_t>(indices.at(lane)) * place.elementSize + offset;
      const uint64_t last = sectors_.numberOf(buffer, address + bytes - 1);
      for (uint64_t sector = sectors_.numberOf(buffer, address); sector <= last; ++sector) {
        addOnce(distinct_, block * sectors_.count() + sector);
        if (!isWeight_[buffer]) ofWeights_[sector] = false;
      }
    }
    cost_.requested += static_cast<int64_t>(distinct_.size());
    blocks_.insert(blocks_.end(), distinct_.begin(), distinct_.end());
  });
  if (blocks_.size() <= mostBlocks_) return;
  keepDistinct();
  mostBlocks_ = std::max(kFewBlocks, 2 * blocks_.size());
}

void CostCounter::passBanks(const Place& place, uint64_t offset, uint64_t bytes, const Mask& mask,
                            const LaneIndices& indices) {
  const size_t together = static_cast<size_t>(kBanks * kWordBytes / std::max(bytes, kWordBytes));
  forEachWarp(mask, together, [&](size_t, size_t begin, size_t end) {
    distinct_.clear();
    std::array<int64_t, kBanks> words{};
    for (size_t lane = begin; lane < end; ++lane) {
      if (!mask.active(lane)) continue;
      const uint64_t address = place.address + static_cast<uint64_t>(indices.at(lane)) * place.elementSize + offset;
      const uint64_t last = (address + bytes - 1) / kWordBytes;
      for (uint64_t word = address / kWordBytes; word <= last; ++word) {
        const size_t known = distinct_.size();
        addOnce(distinct_, word);
        if (distinct_.size() > known) ++words[word % kBanks];
      }
    }
    cost_.bankConflicts += std::max<int64_t>(*std::max_element(words.begin(), words.end()) - 1, 0);
  });
}

void CostCounter::barriers(const Mask& mask, int64_t each) {
  const size_t threads = static_cast<size_t>(program_.threads);
  for (size_t lane = mask.begin; lane < mask.end; lane += threads) {
    if (mask.active(lane)) cost_.barriers += each;
  }
}

void CostCounter::keepDistinct() {
  std::sort(blocks_.begin(), blocks_.end());
  blocks_.erase(std::unique(blocks_.begin(), blocks_.end()), blocks_.end());
}

void CostCounter::endBatch() {
  keepDistinct();
  cost_.perBlock += static_cast<int64_t>(blocks_.size());
  for (uint64_t key : blocks_) {
    const uint64_t sector = key % sectors_.count();
    cost_.compulsory += !touched_[sector];
    cost_.perBlockOfWeights += ofWeights_[sector];
    cost_.compulsoryOfWeights += ofWeights_[sector] && !touched_[sector];
    touched_[sector] = true;
  }
  blocks_.clear();
}

// The sectors that weights alone have.
int64_t CostCounter::sectorsOfWeights() const {
  std::vector<bool> isOfWeights(sectors_.count(), false);
  for (const bool weights : {true, false}) {
    for (size_t buffer = 0; buffer < ranges_.size(); ++buffer) {
      const auto [address, bytes] = ranges_[buffer];
      if (bytes == 0 || isWeight_[buffer] != weights) continue;
      const uint64_t last = sectors_.numberOf(buffer, address + bytes - 1);
      for (uint64_t sector = sectors_.numberOf(buffer, address); sector <= last; ++sector)
        isOfWeights[sector] = weights;
    }
  }
  return std::count(isOfWeights.begin(), isOfWeights.end(), true);
}

// Other blocks do on average what those of the sample do, and all memory of the tensors is met.
void CostCounter::extrapolate(int64_t blocks) {
  for (int64_t LaunchCost::*count : {&LaunchCost::requested, &LaunchCost::perBlock, &LaunchCost::perBlockOfWeights,
                                     &LaunchCost::bankConflicts, &LaunchCost::barriers}) {
    cost_.*count = static_cast<int64_t>(static_cast<__int128>(cost_.*count) * blocks / cost_.blocks);
  }
  const auto sectors = static_cast<int64_t>(sectors_.count());
  cost_.compulsory = std::min(sectors, cost_.perBlock);
  cost_.compulsoryOfWeights = std::min(sectorsOfWeights(), cost_.perBlockOfWeights);
  cost_.sampled = cost_.blocks;
  cost_.blocks = blocks;
}

LaunchCost CostCounter::finish(int64_t blocks) {
  endBatch();
  if (cost_.blocks < blocks) extrapolate(blocks);
  return cost_;
}

}  // namespace fuser::interp
