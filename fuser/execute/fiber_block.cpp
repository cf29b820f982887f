#include "fuser/execute/fiber_block.h"

#include <boost/context/fiber.hpp>
#include <boost/context/pooled_fixedsize_stack.hpp>
#include <memory>
#include <vector>

#include "fuser/execute/engine.h"
#include "fuser/execute/fiber_stack.h"

namespace fuser {
namespace {

namespace context = boost::context;

// One thread of a block, as a fiber. It lives as long as the launch and runs one block after the other.
struct Thread {
  CpuThread cpu{};
  FiberStack stack;
  context::fiber self;       // suspended thread, while the scheduler runs
  context::fiber scheduler;  // suspended scheduler, while the thread runs
  bool atBarrier = false;    // why it last gave up control: a barrier, or the end of its block
  bool launchEnded = false;

  // Lets the thread return. If it waits at a barrier that others never reach, its stack is unwound.
  ~Thread() {
    launchEnded = true;
    stack.enter([&] { self = atBarrier ? context::fiber() : std::move(self).resume(); });
  }
  void giveUp(bool barrier) {
    atBarrier = barrier;
    scheduler = std::move(scheduler).resume();
  }
};

void waitAtBarrier(void* thread) { static_cast<Thread*>(thread)->giveUp(true); }

CpuIndex indexOf(int64_t linear, const std::array<int64_t, 3>& extents) {
  return {static_cast<unsigned>(linear % extents[0]), static_cast<unsigned>(linear / extents[0] % extents[1]),
          static_cast<unsigned>(linear / extents[0] / extents[1])};
}

// Resumes every thread once; true if all wait at a barrier, false if all have ended the block.
bool runToBarrier(std::vector<std::unique_ptr<Thread>>& threads, const std::string& kernelName) {
  for (const auto& thread : threads) {
    thread->stack.enter([&] { thread->self = std::move(thread->self).resume(); });
  }
  const Thread& first = *threads.front();
  for (const auto& thread : threads) {
    if (thread->atBarrier == first.atBarrier) continue;
    const Thread& waits = first.atBarrier ? first : *thread;
    const Thread& ended = first.atBarrier ? *thread : first;
    const auto place = [](CpuIndex i) { return concat("[", i.x, ", ", i.y, ", ", i.z, "]"); };
    throw ViolationError(concat("divergent barrier in kernel ", kernelName, ", block ", place(waits.cpu.block),
                                ": thread ", place(waits.cpu.index), " waits, thread ", place(ended.cpu.index),
                                " has ended"));
  }
  return first.atBarrier;
}

}  // namespace

void runFibers(const FiberLaunch& launch, const std::string& kernelName) {
  const int64_t threadCount = launch.block[0] * launch.block[1] * launch.block[2];
  const int64_t blockCount = launch.grid[0] * launch.grid[1] * launch.grid[2];
  const long long grid[] = {launch.grid[0], launch.grid[1], launch.grid[2]};
  context::pooled_fixedsize_stack stacks(launch.stackBytes, static_cast<size_t>(threadCount));
  std::vector<std::unique_ptr<Thread>> threads;
  for (int64_t i = 0; i < threadCount; ++i) {
    threads.push_back(std::make_unique<Thread>());
    Thread* thread = threads.back().get();
    thread->cpu = {indexOf(i, launch.block), {}, launch.shared, &waitAtBarrier, thread};
    const auto body = [&, thread](context::fiber&& scheduler) {
      thread->scheduler = std::move(scheduler);
      while (!thread->launchEnded) {
        launch.launcher(launch.arguments, grid, &thread->cpu);
        thread->giveUp(false);
      }
      return std::move(thread->scheduler);
    };
    thread->stack.enter([&] { thread->self = context::fiber(std::allocator_arg, stacks, body); });
  }
  for (int64_t block = 0; block < blockCount; ++block) {
    for (const auto& thread : threads) thread->cpu.block = indexOf(block, launch.grid);
    while (runToBarrier(threads, kernelName)) {
    }
  }
}

}  // namespace fuser
