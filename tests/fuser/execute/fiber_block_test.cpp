// Kernels whose threads wait for each other, on the cpu engine.
#include "fuser/execute/fiber_block.h"

#include <gtest/gtest.h>

#include "fuser/execute/cpu_engine.h"
#include "fuser/kernel/text.h"
#include "fuser/ops/op_eval.h"
#include "tests/fuser/execute/array.h"

namespace fuser {
namespace {

std::unique_ptr<CompiledKernel> compileText(const std::string& text, std::unique_ptr<Kernel>& owner) {
  owner = parseKernel(text);
  const Kernel* const kernels[] = {owner.get()};
  return std::move(makeCpuEngine()->compile(kernels)[0]);
}

TEST(FiberBlockTest, ShufflesPassValuesBetweenThreads) {
  std::unique_ptr<Kernel> kernel;
  const auto compiled = compileText(R"(kernel exchange {
  tensor x : i64 rank 1 argument 0
  tensor y : i64 rank 1 argument 1 written
  local t : i64 [3]
  block 4, 12, 1
  grid 2, 1, 1

  alloc t
  t[0] = move x[((blockIdx.x * 48) + (threadIdx.y * 4) + threadIdx.x)]
  t[1] = shuffle xor 8 (t[0])
  t[2] = shuffle xor 1 (t[1])
  t[0] = shuffle first 16 (t[2])
  y[((blockIdx.x * 96) + (threadIdx.y * 4) + threadIdx.x)] = move t[2]
  y[((blockIdx.x * 96) + (threadIdx.y * 4) + threadIdx.x + 48)] = move t[0]
}
)",
                                    kernel);
  Array x(DataType::Int64, 96), y(DataType::Int64, 192), expected(DataType::Int64, 192);
  for (size_t i = 0; i < 96; ++i) x.as<int64>()[i] = static_cast<int64>(i * i);
  for (size_t block = 0; block < 2; ++block) {
    for (size_t i = 0; i < 48; ++i) {
      expected.as<int64>()[block * 96 + i] = x.as<int64>()[block * 48 + (i ^ 9)];
      expected.as<int64>()[block * 96 + 48 + i] = x.as<int64>()[block * 48 + (i / 16 * 16 ^ 9)];
    }
  }
  compiled->launch({{x.tensor(), y.tensor()}, {}, {}});
  EXPECT_EQ(differenceOf(expected, y), "");
}

TEST(FiberBlockTest, SharedMemoryIsSeenAfterABarrier) {
  std::unique_ptr<Kernel> kernel;
  const auto compiled = compileText(R"(kernel reverse {
  tensor x : f32 rank 1 argument 0
  tensor y : f32 rank 1 argument 1 written
  shared s : f32 [100]
  block 100, 1, 1
  grid 4, 1, 1

  alloc s
  for i < 3 {
    s[threadIdx.x] = move x[((blockIdx.x * 100) + threadIdx.x)]
    barrier
    y[((blockIdx.x * 100) + threadIdx.x)] = move s[(99 + (threadIdx.x * -1))]
    barrier
  }
}
)", kernel);
  Array x(DataType::Float, 400), y(DataType::Float, 400), expected(DataType::Float, 400);
  for (size_t i = 0; i < 400; ++i) {
    x.as<float>()[i] = static_cast<float>(i);
    expected.as<float>()[i] = static_cast<float>(i / 100 * 100 + 99 - i % 100);
  }
  compiled->launch({{x.tensor(), y.tensor()}, {}, {}});
  EXPECT_EQ(differenceOf(expected, y), "");
}

TEST(FiberBlockTest, ReportsADivergentBarrier) {
  std::unique_ptr<Kernel> kernel;
  const auto compiled = compileText(R"(kernel divergent {
  tensor y : f32 rank 1 argument 0 written
  block 4, 1, 1
  grid 1, 1, 1

  if (threadIdx.x < 3) {
    barrier
  }
  y[threadIdx.x] = Set f32 (1.0)
}
)", kernel);
  Array y(DataType::Float, 4);
  try {
    compiled->launch({{y.tensor()}, {}, {}});
    FAIL();
  } catch (const ViolationError& error) {
    EXPECT_STREQ(error.what(), "divergent barrier in kernel divergent, block [0, 0, 0]: thread [0, 0, 0] waits, "
                               "thread [3, 0, 0] has ended");
  }
}

// Local buffers live on a fiber's stack.
TEST(FiberBlockTest, StacksHoldLargeLocalBuffers) {
  std::unique_ptr<Kernel> kernel;
  const auto compiled = compileText(R"(kernel large {
  tensor y : f64 rank 1 argument 0 written
  local t : f64 [20000]
  block 8, 1, 1
  grid 2, 1, 1

  alloc t
  for i < 20000 {
    t[i] = Set f64 (int((i + threadIdx.x)))
  }
  barrier
  for j < 20000 {
    y[((blockIdx.x * 8) + threadIdx.x)] = move t[j]
  }
}
)", kernel);
  Array y(DataType::Double, 16), expected(DataType::Double, 16);
  for (size_t i = 0; i < 16; ++i) expected.as<double>()[i] = static_cast<double>(19999 + i % 8);
  compiled->launch({{y.tensor()}, {}, {}});
  EXPECT_EQ(differenceOf(expected, y), "");
}

}  // namespace
}  // namespace fuser
