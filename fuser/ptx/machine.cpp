// runLaunch: blocks and their warps take turns, each running operations until it waits, ends, or has had its turn.

#include <algorithm>
#include <cstring>
#include <deque>

#include "fuser/ptx/block.h"
#include "fuser/ptx/trace.h"
#include "fuser/support/check.h"
#include "fuser/support/split_mix.h"

namespace fuser::ptx {
namespace {

// A block that has volatile accesses may wait for another one: it gives way after so many turns of each warp.
constexpr int kTurnsOfBlock = 64;
// Cycles over all blocks in which nothing but waiting happened.
constexpr int kIdleCycles = 3;

class Machine {
 public:
  Machine(const Program& program, const Launch& launch, std::vector<OperationCount>* counts, Trace* trace)
      : program_(program),
        launch_(launch),
        threads_(static_cast<uint32_t>(launch.block[0] * launch.block[1] * launch.block[2])),
        shared_{program, launch, GlobalMemory(program, launch, threads_), threads_, counts, trace, 0} {
    if (counts) counts->assign(program.operations.size(), {});
  }

  void run() {
    const int64_t blocks = launch_.grid[0] * launch_.grid[1] * launch_.grid[2];
    FUSER_CHECK(blocks * threads_ < (int64_t{1} << 29), "a launch of ", blocks * threads_, " threads");
    const Order order(blocks, launch_.order);
    int64_t started = 0;
    int idle = 0;
    std::deque<std::unique_ptr<Block>> waiting;  // for other blocks
    while (started < blocks || !waiting.empty()) {
      const bool starts = started < blocks;
      if (starts) waiting.push_back(nextBlock(order.at(started++)));
      const uint64_t before = shared_.progress;
      const size_t count = starts ? 1 : waiting.size();
      for (size_t i = 0; i < count; ++i) {
        std::unique_ptr<Block> block = std::move(starts ? waiting.back() : waiting.front());
        starts ? waiting.pop_back() : waiting.pop_front();
        if (!block->run(program_.hasVolatile ? kTurnsOfBlock : 0)) {
          waiting.push_back(std::move(block));
        } else {
          ended_ = std::move(block);
        }
      }
      idle = starts || shared_.progress != before ? 0 : idle + 1;
      if (idle == kIdleCycles) throw Fault(concat("deadlock: ", waiting.front()->waitingText()));
    }
  }

 private:
  // A permutation of the blocks: forwards, backwards, or from the middle.
  struct Order {
    Order(int64_t blocks, uint64_t seed) : count(blocks), first(0) {
      backwards = (seed & 1) != 0;
      if (blocks > 1 && (seed & 2)) first = static_cast<int64_t>(splitMix64(seed) % static_cast<uint64_t>(blocks));
    }
    int64_t at(int64_t i) const {
      const int64_t place = (first + i) % count;
      return backwards ? count - 1 - place : place;
    }
    int64_t count, first;
    bool backwards;
  };

  std::unique_ptr<Block> nextBlock(int64_t number) {
    std::unique_ptr<Block> block = ended_ ? std::move(ended_) : std::make_unique<Block>(shared_);
    block->start(static_cast<uint32_t>(number));
    if (shared_.trace) shared_.trace->startBlock(!program_.hasVolatile);
    return block;
  }

  const Program& program_;
  const Launch& launch_;
  uint32_t threads_;
  OfLaunch shared_;
  std::unique_ptr<Block> ended_;  // its memory is the next one's
};

}  // namespace

void runLaunch(const Program& program, const Launch& launch, std::vector<OperationCount>* counts, Trace* trace) {
  for (size_t i = 0; i < 3; ++i) {
    if (launch.grid[i] <= 0 || launch.block[i] <= 0) return;
  }
  Machine(program, launch, counts, trace).run();
}

}  // namespace fuser::ptx
