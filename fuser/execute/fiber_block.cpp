#include "fuser/execute/fiber_block.h"

#include <boost/context/fiber.hpp>
#include <boost/context/pooled_fixedsize_stack.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <cstring>
#include <memory>
#include <vector>

#include "fuser/execute/engine.h"
#include "fuser/execute/fiber_stack.h"
#include "fuser/support/rejection.h"

namespace fuser {
namespace {

namespace context = boost::context;

enum class Stop : uint8_t { Ended, AtBarrier, AtShuffle, AtGridBarrier };

class Block;

// One thread of a block, as a fiber. It lives as long as the launch and runs one block after the other.
struct Thread {
  CpuThread cpu{};
  FiberStack stack;
  context::fiber self;       // suspended thread, while the scheduler runs
  context::fiber scheduler;  // suspended scheduler, while the thread runs
  Stop stop = Stop::Ended;   // why it last gave up control; at the end of its block: Ended
  bool launchEnded = false;
  // What the thread gave at its last two shuffles. Whoever reads the last but one has done so, since it waits at the
  // last.
  std::array<std::array<unsigned char, 8>, 2> given{};
  size_t shuffles = 0;
  const Block* block = nullptr;

  // Lets the thread return. If it waits at a barrier that others never reach, its stack is unwound.
  ~Thread() {
    launchEnded = true;
    stack.enter([&] { self = stop == Stop::Ended ? std::move(self).resume() : context::fiber(); });
  }
  void resume() {
    stack.enter([&] { self = std::move(self).resume(); });
  }
  void giveUp(Stop why) {
    stop = why;
    scheduler = std::move(scheduler).resume();
  }
};

void waitAtBarrier(void* thread) { static_cast<Thread*>(thread)->giveUp(Stop::AtBarrier); }
void waitForGrid(void* thread) { static_cast<Thread*>(thread)->giveUp(Stop::AtGridBarrier); }

const void* shuffle(void* self, const void* value, int bytes, int from);

CpuIndex indexOf(int64_t linear, const std::array<int64_t, 3>& extents) {
  return {static_cast<unsigned>(linear % extents[0]), static_cast<unsigned>(linear / extents[0] % extents[1]),
          static_cast<unsigned>(linear / extents[0] / extents[1])};
}

std::string place(CpuIndex i) { return concat("[", i.x, ", ", i.y, ", ", i.z, "]"); }

// The threads of a block, and its shared memory.
class Block {
 public:
  template <class Stacks>
  Block(const FiberLaunch& launch, const std::string& kernelName, Stacks& stacks)
      : launch_(launch),
        name_(kernelName),
        shared_((launch.sharedBytes + sizeof(SharedUnit) - 1) / sizeof(SharedUnit)) {
    const int64_t count = launch.block[0] * launch.block[1] * launch.block[2];
    const int64_t blocks = launch.grid[0] * launch.grid[1] * launch.grid[2];
    for (int64_t i = 0; i < count; ++i) {
      threads_.push_back(std::make_unique<Thread>());
      Thread* thread = threads_.back().get();
      thread->cpu = {indexOf(i, launch.block), {},           shared_.empty() ? nullptr : shared_.front().bytes,
                     &waitAtBarrier,           &waitForGrid, &shuffle,
                     static_cast<int>(blocks), thread};
      thread->block = this;
      const auto body = [this, thread](context::fiber&& scheduler) {
        thread->scheduler = std::move(scheduler);
        while (!thread->launchEnded) {
          const long long grid[] = {launch_.grid[0], launch_.grid[1], launch_.grid[2]};
          launch_.launcher(launch_.arguments, grid, &thread->cpu);
          thread->giveUp(Stop::Ended);
        }
        return std::move(thread->scheduler);
      };
      thread->stack.enter([&] { thread->self = context::fiber(std::allocator_arg, stacks, body); });
    }
  }

  void begin(int64_t block) {
    for (const auto& thread : threads_) thread->cpu.block = indexOf(block, launch_.grid);
  }

  // Runs to the end of the block, or until its first thread waits for the grid.
  Stop run() {
    Thread& first = *threads_.front();
    if (first.stop == Stop::AtGridBarrier) {
      first.resume();  // the others wait at the barrier of the block that follows
      checkTogether();
    }
    while (true) {
      for (const auto& thread : threads_) thread->resume();
      if (first.stop != Stop::AtGridBarrier) checkTogether();
      if (first.stop == Stop::Ended || first.stop == Stop::AtGridBarrier) return first.stop;
    }
  }

  // Null if there is no such thread.
  const Thread* thread(int number) const {
    const size_t at = static_cast<size_t>(number);
    return at < threads_.size() ? threads_[at].get() : nullptr;
  }

  CpuIndex index() const { return threads_.front()->cpu.block; }

 private:
  void checkTogether() const {
    const Thread& first = *threads_.front();
    for (const auto& thread : threads_) {
      if (thread->stop == first.stop) continue;
      const Thread& waits = first.stop == Stop::Ended ? *thread : first;
      const Thread& ended = first.stop == Stop::Ended ? first : *thread;
      if (waits.stop != Stop::Ended && ended.stop != Stop::Ended) {
        throw ViolationError(concat("divergent barrier in kernel ", name_, ", block ", place(waits.cpu.block),
                                    ": threads ", place(waits.cpu.index), " and ", place(ended.cpu.index),
                                    " wait at different statements"));
      }
      throw ViolationError(concat("divergent barrier in kernel ", name_, ", block ", place(waits.cpu.block),
                                  ": thread ", place(waits.cpu.index), " waits, thread ", place(ended.cpu.index),
                                  " has ended"));
    }
  }

  const FiberLaunch& launch_;
  const std::string& name_;
  std::vector<SharedUnit> shared_;
  std::vector<std::unique_ptr<Thread>> threads_;
};

const void* shuffle(void* self, const void* value, int bytes, int from) {
  Thread& thread = *static_cast<Thread*>(self);
  const size_t turn = thread.shuffles++ % 2;
  std::memcpy(thread.given[turn].data(), value, static_cast<size_t>(bytes));
  thread.giveUp(Stop::AtShuffle);
  const Thread* other = thread.block->thread(from);
  return (other ? *other : thread).given[turn].data();
}

int64_t countOf(const std::array<int64_t, 3>& extents) { return extents[0] * extents[1] * extents[2]; }

void runAtOnce(const FiberLaunch& launch, const std::string& kernelName) {
  const int64_t threads = countOf(launch.block) * countOf(launch.grid);
  FUSER_REJECT_UNLESS(threads <= static_cast<int64_t>(kMaxGridStacks / launch.stackBytes), GridStacks, "kernel ",
                      kernelName, " has ", threads,
                      " threads, which wait for each other: on the cpu engine their stacks of ", launch.stackBytes,
                      " bytes may take ", kMaxGridStacks, " (the engine interp takes more)");
  // A thread that needs more than this ends in a crash, not in another's stack.
  context::protected_fixedsize_stack stacks(launch.stackBytes);
  std::vector<std::unique_ptr<Block>> blocks;
  for (int64_t block = 0; block < countOf(launch.grid); ++block) {
    blocks.push_back(std::make_unique<Block>(launch, kernelName, stacks));
    blocks.back()->begin(block);
  }
  for (Stop all = Stop::AtGridBarrier; all != Stop::Ended;) {
    for (size_t i = 0; i < blocks.size(); ++i) {
      const Stop stop = blocks[i]->run();
      if (i == 0) all = stop;
      if (stop == all) continue;
      const size_t waits = stop == Stop::AtGridBarrier ? i : 0;
      throw ViolationError(concat("divergent grid barrier in kernel ", kernelName, ": block ",
                                  place(blocks[waits]->index()), " waits, block ", place(blocks[i - waits]->index()),
                                  " has ended"));
    }
  }
}

}  // namespace

void runFibers(const FiberLaunch& launch, const std::string& kernelName) {
  if (launch.atOnce) return runAtOnce(launch, kernelName);
  context::pooled_fixedsize_stack stacks(launch.stackBytes, static_cast<size_t>(countOf(launch.block)));
  Block threads(launch, kernelName, stacks);
  for (int64_t block = 0; block < countOf(launch.grid); ++block) {
    threads.begin(block);
    const Stop stop = threads.run();
    FUSER_CHECK(stop == Stop::Ended, kernelName, " waits for the grid, and its blocks run in turn");
  }
}

}  // namespace fuser
