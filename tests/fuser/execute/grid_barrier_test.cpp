// Kernels whose blocks wait for each other, on interp and the cpu engine.
#include <gtest/gtest.h>

#include <numeric>

#include "fuser/execute/cpu_engine.h"
#include "fuser/execute/interp_engine.h"
#include "fuser/kernel/text.h"
#include "fuser/kernel/verify.h"
#include "fuser/support/rejection.h"
#include "tests/fuser/execute/interp_fixture.h"

namespace fuser {
namespace {

// Three blocks of four threads: each stores a number, and each thread of each block adds the numbers of all threads.
constexpr const char* kSum = R"(
kernel sum {
  tensor y : f32 rank 1 argument 0 written
  local t : f32 [1]
  workspace w : f32 [12]
  semaphore s
  block 4, 1, 1
  grid 3, 1, 1

  alloc t
  w[((blockIdx.x * 4) + threadIdx.x)] = Set f32 (int(((blockIdx.x * 4) + threadIdx.x)))
  grid barrier s (w stored)
  t[0] = Set f32 (0.0)
  for i < 12 {
    t[0] = Add f32 (t[0], w[i])
  }
  y[((blockIdx.x * 4) + threadIdx.x)] = move t[0]
  release s
}
)";

struct Launch {
  std::unique_ptr<Kernel> kernel;
  std::vector<float> y = std::vector<float>(64, 0.0f);
  std::vector<float> w = std::vector<float>(64, 0.0f);
  std::vector<int32> s = std::vector<int32>(2, 0);

  explicit Launch(std::string text, const std::string& from = "", const std::string& to = "") {
    if (!from.empty()) {
      const size_t at = text.find(from);
      EXPECT_NE(at, std::string::npos) << from;
      text.replace(at, from.size(), to);
    }
    kernel = parseKernel(text);
  }

  void run(Engine& engine) {
    KernelArguments arguments;
    const auto ref = [](void* data, DataType dtype, int64_t size) { return TensorRef{data, dtype, {size}, {1}, {}}; };
    arguments.tensors = {ref(y.data(), DataType::Float, 12)};
    for (const Workspace& workspace : kernel->workspaces) {
      const int64_t size = kernel->buffers[static_cast<size_t>(workspace.buffer)].size->value;
      arguments.workspaces.push_back(workspace.kind == Workspace::Kind::Semaphore
                                         ? ref(s.data(), DataType::Int32, size)
                                         : ref(w.data(), DataType::Float, size));
    }
    const Kernel* kernels[] = {kernel.get()};
    engine.compile(kernels)[0]->launch(arguments);
  }

  std::string violation(Engine& engine) {
    try {
      run(engine);
    } catch (const ViolationError& error) {
      return error.what();
    }
    ADD_FAILURE() << "no violation";
    return "";
  }
};

TEST(GridBarrierTest, EveryBlockSeesWhatAllStored) {
  for (const auto& make : {makeInterpEngine, makeCpuEngine}) {
    Launch launch(kSum);
    verifyKernel(*launch.kernel);
    launch.run(*make());
    for (size_t i = 0; i < 12; ++i) EXPECT_EQ(launch.y[i], 66.0f) << i;
    EXPECT_EQ(launch.s, std::vector<int32>({0, 0})) << "the semaphore is zero again";
  }
}

TEST(GridBarrierTest, ALoopMayWaitInEachTurn) {
  const std::string turns = R"(
kernel turns {
  tensor y : f32 rank 1 argument 0 written
  local t : f32 [1]
  workspace w : f32 [3]
  semaphore s
  block 2, 1, 1
  grid 3, 1, 1

  alloc t
  t[0] = Set f32 (int(blockIdx.x))
  for i < 4 {
    if (threadIdx.x < 1) {
      w[blockIdx.x] = move t[0]
    }
    grid barrier s (w stored)
    t[0] = Add f32 (w[((blockIdx.x + 1) % 3)], 1.0)
    grid barrier s (w loaded)
  }
  y[((blockIdx.x * 2) + threadIdx.x)] = move t[0]
  release s
}
)";
  for (const auto& make : {makeInterpEngine, makeCpuEngine}) {
    Launch launch(turns);
    verifyKernel(*launch.kernel);
    launch.run(*make());
    for (size_t i = 0; i < 6; ++i) EXPECT_EQ(launch.y[i], static_cast<float>((i / 2 + 1) % 3 + 4)) << i;
    EXPECT_EQ(launch.s, std::vector<int32>({0, 0}));
  }
  const std::unique_ptr<Engine> interp = makeInterpEngine();
  EXPECT_TRUE(contains(Launch(turns, "    grid barrier s (w loaded)\n", "").violation(*interp), "race: writes"));
}

TEST(GridBarrierTest, ABarrierOfTheBlockIsNotEnough) {
  const std::unique_ptr<Engine> interp = makeInterpEngine();
  EXPECT_TRUE(contains(Launch(kSum, "grid barrier s (w stored)", "barrier").violation(*interp),
                       "race: reads element 0 of w, which block (0, 0, 0), thread (0, 0, 0) wrote"));
  // Of the elements of its own block, it is.
  Launch own(kSum, "grid barrier s (w stored)", "barrier");
  own.kernel = parseKernel(R"(
kernel own {
  tensor y : f32 rank 1 argument 0 written
  workspace w : f32 [12]
  block 4, 1, 1
  grid 3, 1, 1

  w[((blockIdx.x * 4) + threadIdx.x)] = Set f32 (int(((blockIdx.x * 4) + threadIdx.x)))
  barrier
  y[((blockIdx.x * 4) + threadIdx.x)] = move w[((blockIdx.x * 4) + ((threadIdx.x + 1) % 4))]
}
)");
  own.run(*interp);
  EXPECT_EQ(own.y[4], 5.0f);
}

// Two reads of one element by threads of two blocks are both remembered.
TEST(GridBarrierTest, AWriteMeetsTheReadsOfAllBlocks) {
  const std::string text = R"(
kernel both {
  tensor y : f32 rank 1 argument 0 written
  workspace w : f32 [1]
  semaphore s
  block 2, 1, 1
  grid 2, 1, 1

  if (((blockIdx.x * 2) + threadIdx.x) == 0) {
    w[0] = Set f32 (1.0)
  }
  grid barrier s
  y[((blockIdx.x * 2) + threadIdx.x)] = move w[0]
  barrier
  if (((blockIdx.x * 2) + threadIdx.x) == 3) {
    w[0] = Set f32 (2.0)
  }
  release s
}
)";
  const std::unique_ptr<Engine> interp = makeInterpEngine();
  EXPECT_TRUE(contains(Launch(text).violation(*interp), "race: writes element 0 of w, which several threads read"));
  Launch(text, "  barrier\n", "  grid barrier s (w loaded)\n").run(*interp);
}

TEST(GridBarrierTest, AWorkspaceIsUndefinedUntilWritten) {
  const std::unique_ptr<Engine> interp = makeInterpEngine();
  EXPECT_TRUE(contains(Launch(kSum, "for i < 12", "for i < 13").violation(*interp), "out of bounds: element 12 of w"));
  EXPECT_TRUE(contains(
      Launch(kSum, "  w[((blockIdx.x * 4) + threadIdx.x)] = Set f32 (int(((blockIdx.x * 4) + threadIdx.x)))\n", "")
          .violation(*interp),
      "uninitialised read of w"));
}

TEST(GridBarrierTest, ASemaphoreIsZeroBeforeTheLaunch) {
  Launch launch(kSum);
  for (int32 before : {1, 3}) {  // 3: as many as the blocks
    launch.s = {before, 0};
    EXPECT_TRUE(contains(launch.violation(*makeInterpEngine()), "semaphore s is not zero before the launch"));
  }
  // The cpu engine leaves it so, which the host program reports.
  launch.s = {0, 1};
  launch.run(*makeCpuEngine());
  EXPECT_NE(launch.s, std::vector<int32>({0, 0}));
}

TEST(GridBarrierTest, FindsBlocksThatDoNotArrive) {
  for (const auto& make : {makeInterpEngine, makeCpuEngine}) {
    Launch launch(kSum, "grid barrier s (w stored)", "if (blockIdx.x < 2) {\n grid barrier s\n }");
    EXPECT_TRUE(contains(launch.violation(*make()), "divergent grid barrier"));
  }
}

// A grid must run at once: 132 multiprocessors of h200 hold 4,224 blocks of 4 threads.
TEST(GridBarrierTest, FindsGridsThatDoNotRunAtOnce) {
  for (const auto& make : {makeInterpEngine, makeCpuEngine}) {
    Launch launch(kSum, "grid 3, 1, 1", "grid 4225, 1, 1");
    EXPECT_TRUE(contains(launch.violation(*make()), "the device runs 4224 at once"));
    launch.kernel->device.cooperative = 0;
    launch.kernel->gridDim[0] = launch.kernel->ints->constant(3);
    EXPECT_TRUE(contains(launch.violation(*make()), "the device runs 0 at once"));
  }
}

TEST(GridBarrierTest, TheCpuEngineRefusesGridsWithoutRoomForTheirStacks) {
  Launch launch(kSum, "grid 3, 1, 1", "grid 2000, 1, 1");
  try {
    launch.run(*makeCpuEngine());
    FAIL() << "no rejection";
  } catch (const ListedRejection& error) {
    EXPECT_EQ(error.id(), RejectionId::GridStacks);
    EXPECT_TRUE(contains(error.what(), "has 8000 threads, which wait for each other"));
  }
}

}  // namespace
}  // namespace fuser
