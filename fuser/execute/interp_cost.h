#pragma once
// CostCounter: counts what one launch costs (kernel_cost.h) while the interpreter runs it. The interpreter tells it of
// each batch, of each access to memory that its checks let pass, and of each meeting of blocks.
//
// Sectors are those of the tensors' own addresses. The counts are those of any addresses as long as all memory begins
// at a multiple of 32 bytes, as that of cases and of MemoryPool does.

#include <array>
#include <vector>

#include "fuser/execute/interp_memory.h"
#include "fuser/execute/kernel_cost.h"
#include "fuser/execute/sectors.h"

namespace fuser::interp {

// An index, in elements, by lane: lanes[i], or the same for all.
struct LaneIndices {
  const int64_t* lanes = nullptr;  // null: uniform
  int64_t uniform = 0;
  int64_t at(size_t lane) const { return lanes ? lanes[lane] : uniform; }
};

class CostCounter {
 public:
  // Both must outlive it. The lanes of a batch are threads of consecutive blocks, Program::threads each.
  CostCounter(const Program& program, const KernelArguments& arguments);

  // A batch of blocks begins, which end together.
  void beginBatch(size_t lanes);
  // The active lanes load, or store, elements index .. index + width of the buffer, all in bounds.
  void access(int buffer, int width, const Mask& mask, const LaneIndices& indices);
  // Each block with active lanes, which are all of its lanes, passes `each` barriers.
  void barriers(const Mask& mask, int64_t each);
  // Those of a block before and behind its wait for the grid (gridBarrier in kernel_runtime.cuh).
  static constexpr int64_t kBarriersOfGrid = 2;

  // The costs of a launch of so many blocks, of which the batches had all, or a sample.
  LaunchCost finish(int64_t blocks);

 private:
  struct Place {
    bool isShared = false;
    bool isGlobal = false;
    uint64_t address = 0;  // of element 0, in bytes. Shared: 0, as an instruction accesses one buffer, and which banks
                           // hold it makes no difference
    uint64_t elementSize = 0;
  };

  template <class Visit>
  void forEachWarp(const Mask& mask, size_t lanes, const Visit& visit) const;
  void requestSectors(size_t buffer, uint64_t offset, uint64_t bytes, const Mask& mask, const LaneIndices& indices);
  void passBanks(const Place& place, uint64_t offset, uint64_t bytes, const Mask& mask, const LaneIndices& indices);
  void keepDistinct();
  void endBatch();
  int64_t sectorsOfWeights() const;
  void extrapolate(int64_t blocks);

  const Program& program_;
  LaunchCost cost_;
  std::vector<Place> places_;       // by buffer
  std::vector<SectorNumbers::Range> ranges_;  // of all tensors, by buffer
  SectorNumbers sectors_;                     // of the ranges
  std::vector<bool> touched_;       // by sector's number
  std::vector<bool> isWeight_;      // by buffer: LaunchCost::perBlockOfWeights
  std::vector<bool> ofWeights_;     // by sector's number: only such buffers asked for it so far
  std::vector<uint64_t> blocks_;    // of this batch: block * sectors_.count() + sector's number, with repetitions
  size_t mostBlocks_ = 0;           // entries before repetitions are dropped
  std::vector<uint64_t> distinct_;  // of one instruction
};

}  // namespace fuser::interp
