// What kernels compute under the interpreter, against direct evaluation.
#include <cmath>
#include <numeric>

#include "tests/fuser/execute/interp_fixture.h"

namespace fuser {
namespace {

constexpr const char* kScale = R"(
kernel scale {
  scalar a : f64
  tensor x : f32 rank 1 argument 0
  tensor y : f32 rank 1 argument 1 written
  local t : f32 [1]
  int i0 in [0, 1099511627776]
  int s0 in [0, 1099511627776] = stride x 0
  block 128, 1, 1
  grid ((i0 + 127) // 128), 1, 1

  if (((blockIdx.x * 128) + threadIdx.x) < i0) {
    alloc t
    t[0] = move x[(((blockIdx.x * 128) + threadIdx.x) * s0)]
    t[0] = Mul f32 (t[0], $a)
    y[((blockIdx.x * 128) + threadIdx.x)] = move t[0]
  }
}
)";

TEST(InterpResults, ScalesEverySizeAroundBlocksAndBatches) {
  for (int64_t n : {0, 1, 2, 127, 128, 129, 1023, 1024, 1025, 5000}) {
    std::vector<float> x(static_cast<size_t>(n));
    std::iota(x.begin(), x.end(), 1.0f);
    std::vector<float> y(x.size(), -1.0f);
    InterpRun(kScale).tensor(0, x).tensor(1, y).ints({n}).scalars({2.5}).run();
    for (size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i], x[i] * 2.5f) << n << " " << i;
  }
}

TEST(InterpResults, ReadsStridedInputs) {
  std::vector<float> x(300);
  std::iota(x.begin(), x.end(), 0.0f);
  std::vector<float> y(100);
  InterpRun(kScale).tensor(0, x, {100}, {3}).tensor(1, y).ints({100}).scalars({1.0}).run();
  for (size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], static_cast<float>(3 * i));
  InterpRun(kScale).tensor(0, x, {100}, {0}).tensor(1, y).ints({100}).scalars({1.0}).run();
  for (float value : y) EXPECT_EQ(value, 0.0f);
}

TEST(InterpResults, LaunchesAgainWithOtherSizes) {
  const std::unique_ptr<Kernel> kernel = parseKernel(kScale);
  const Kernel* kernels[] = {kernel.get()};
  const auto compiled = makeInterpEngine()->compile(kernels);
  for (int64_t n : {3000, 5, 0, 700}) {
    std::vector<float> x(static_cast<size_t>(n), 2.0f), y(static_cast<size_t>(n));
    KernelArguments arguments;
    arguments.tensors = {{x.data(), DataType::Float, {n}, {1}, {}}, {y.data(), DataType::Float, {n}, {1}, {}}};
    arguments.ints = {n, 0};
    arguments.scalars = {ScalarValue(3.0)};
    bindStrides(*kernel, arguments);
    compiled[0]->launch(arguments);
    for (float value : y) ASSERT_EQ(value, 6.0f);
  }
}

TEST(InterpResults, TransposesThroughDivisionAndRemainder) {
  const int64_t rows = 37, columns = 53;
  std::vector<double> x(static_cast<size_t>(rows * columns)), y(x.size());
  std::iota(x.begin(), x.end(), 0.0);
  InterpRun run(R"(
kernel transpose {
  tensor x : f64 rank 2 argument 0
  tensor y : f64 rank 2 argument 1 written
  int rows in [0, 1000000]
  int columns in [0, 1000000]
  block 64, 1, 1
  grid (((rows * columns) + 63) // 64), 1, 1

  if (((blockIdx.x * 64) + threadIdx.x) < (rows * columns)) {
    y[((((blockIdx.x * 64) + threadIdx.x) // columns) + ((((blockIdx.x * 64) + threadIdx.x) % columns) * rows))] = move x[((blockIdx.x * 64) + threadIdx.x)]
  }
}
)");
  run.tensor(0, x, {rows, columns}, {columns, 1}).tensor(1, y, {columns, rows}, {rows, 1}).ints({rows, columns}).run();
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      ASSERT_EQ(y[static_cast<size_t>(j * rows + i)], x[static_cast<size_t>(i * columns + j)]);
    }
  }
}

TEST(InterpResults, MovesVectorsAndLoopsOverTheirElements) {
  InterpRun run(R"(
kernel vectors {
  tensor x : bf16 rank 1 argument 0
  tensor y : f32 rank 1 argument 1 written
  local a : bf16 [8]
  local b : f32 [8]
  block 4, 1, 1
  grid 2, 1, 1

  alloc a
  alloc b
  a[0] = move x[((blockIdx.x * 32) + (threadIdx.x * 8))] width 8
  for v < 8 unroll {
    b[v] = Add f32 (a[v], 0.1 as bf16)
  }
  for w < 2 {
    y[((blockIdx.x * 32) + (threadIdx.x * 8) + (w * 4))] = move b[(w * 4)] width 4
  }
}
)");
  std::vector<BFloat16> x;
  for (int i = 0; i < 64; ++i) x.push_back(bfloat16FromFloat(static_cast<float>(i)));
  std::vector<float> y(64);
  run.tensor(0, x).tensor(1, y).run();
  const float tenth = floatFromBfloat16(bfloat16FromFloat(0.1f));
  for (int i = 0; i < 64; ++i) EXPECT_EQ(y[static_cast<size_t>(i)], static_cast<float>(i) + tenth);
}

TEST(InterpResults, ShufflesPassValuesBetweenThreads) {
  // 3 x 4 threads, 2 blocks: thread 11 has no partner at xor 4.
  InterpRun run(R"(
kernel exchange {
  tensor x : f32 rank 1 argument 0
  tensor y : f32 rank 1 argument 1 written
  tensor z : f32 rank 1 argument 2 written
  local a : f32 [3]
  block 3, 4, 1
  grid 2, 1, 1

  alloc a
  a[0] = move x[((blockIdx.x * 12) + (threadIdx.y * 3) + threadIdx.x)]
  a[1] = shuffle xor 4 (a[0])
  a[2] = shuffle first 8 (a[0])
  if (((threadIdx.y * 3) + threadIdx.x) < 8) {
    y[((blockIdx.x * 12) + (threadIdx.y * 3) + threadIdx.x)] = move a[1]
  }
  z[((blockIdx.x * 12) + (threadIdx.y * 3) + threadIdx.x)] = move a[2]
}
)");
  std::vector<float> x(24), y(24), z(24);
  for (size_t i = 0; i < 24; ++i) x[i] = static_cast<float>(i * i);
  run.tensor(0, x).tensor(1, y).tensor(2, z).run();
  for (size_t block = 0; block < 24; block += 12) {
    for (size_t i = 0; i < 12; ++i) {
      if (i < 8) {
        EXPECT_EQ(y[block + i], x[block + (i ^ 4)]) << i;
      }
      EXPECT_EQ(z[block + i], x[block + i / 8 * 8]) << i;
    }
  }
}

TEST(InterpResults, ExchangesThroughSharedMemory) {
  InterpRun run(R"(
kernel reverse {
  tensor x : i32 rank 1 argument 0
  tensor y : i32 rank 1 argument 1 written
  shared s : i32 [64]
  block 64, 1, 1
  grid 3, 1, 1

  alloc s
  s[threadIdx.x] = move x[((blockIdx.x * 64) + threadIdx.x)]
  barrier
  y[((blockIdx.x * 64) + threadIdx.x)] = move s[((threadIdx.x * -1) + 63)]
}
)");
  std::vector<int32> x(192), y(192);
  std::iota(x.begin(), x.end(), 0);
  run.tensor(0, x).tensor(1, y).run();
  for (int i = 0; i < 192; ++i) EXPECT_EQ(y[static_cast<size_t>(i)], i / 64 * 64 + 63 - i % 64);
}

TEST(InterpResults, SumsRowsInALoopWithNestedConditions) {
  // Only even columns; threads of one block beyond the rows idle.
  InterpRun run(R"(
kernel rows {
  tensor x : f16 rank 2 argument 0
  tensor y : f16 rank 1 argument 1 written
  local acc : f32 [1]
  int rows in [0, 1000]
  int columns in [0, 1000]
  block 4, 1, 1
  grid ((rows + 3) // 4), 1, 1

  alloc acc
  acc[0] = Set f32 (0.0)
  for j < columns {
    if (((blockIdx.x * 4) + threadIdx.x) < rows) {
      if (((((blockIdx.x * 4) + threadIdx.x) + j) % 2) < 1) {
        acc[0] = Add f32 (acc[0], x[((((blockIdx.x * 4) + threadIdx.x) * columns) + j)])
      }
    }
  }
  if (((blockIdx.x * 4) + threadIdx.x) < rows) {
    y[((blockIdx.x * 4) + threadIdx.x)] = Cast f16 (acc[0])
  }
}
)");
  const int64_t rows = 7, columns = 9;
  std::vector<Half> x;
  for (int i = 0; i < rows * columns; ++i) x.push_back(halfFromFloat(static_cast<float>(i) * 0.25f));
  std::vector<Half> y(static_cast<size_t>(rows));
  run.tensor(0, x, {rows, columns}, {columns, 1}).tensor(1, y).ints({rows, columns}).run();
  for (int64_t i = 0; i < rows; ++i) {
    float sum = 0;
    for (int64_t j = 0; j < columns; ++j) {
      if ((i + j) % 2 == 0) sum += floatFromHalf(x[static_cast<size_t>(i * columns + j)]);
    }
    EXPECT_EQ(y[static_cast<size_t>(i)].bits, halfFromFloat(sum).bits) << i;
  }
}

TEST(InterpResults, TakesIntegersBoolsLiteralsAndWhere) {
  InterpRun run(R"(
kernel select {
  scalar flag : bool
  tensor y : i64 rank 1 argument 0 written
  local c : bool [1]
  int n in [0, 1000]
  block 8, 1, 1
  grid 1, 1, 1

  alloc c
  c[0] = Lt i64 (int(threadIdx.x), 4)
  c[0] = LogicalXor bool (c[0], $flag)
  y[threadIdx.x] = Where i64 (c[0], int((n + threadIdx.x)), -7)
}
)");
  std::vector<int64> y(8);
  run.tensor(0, y).ints({100}).scalars({false}).run();
  EXPECT_EQ(y, (std::vector<int64>{100, 101, 102, 103, -7, -7, -7, -7}));
  run.scalars({true}).run();
  EXPECT_EQ(y, (std::vector<int64>{-7, -7, -7, -7, 104, 105, 106, 107}));
}

TEST(InterpResults, DividesByZeroToZero) {
  InterpRun run(R"(
kernel zero {
  tensor y : i64 rank 1 argument 0 written
  int n in [0, 1000]
  block 2, 1, 1
  grid 1, 1, 1

  y[threadIdx.x] = Set i64 (int(((threadIdx.x + 5) // n)))
  y[threadIdx.x] = Add i64 (y[threadIdx.x], int(((threadIdx.x + 5) % n)))
}
)");
  std::vector<int64> y(2, 9);
  run.tensor(0, y).ints({0}).run();
  EXPECT_EQ(y, (std::vector<int64>{0, 0}));
  run.ints({4}).run();
  EXPECT_EQ(y, (std::vector<int64>{2, 3}));
}

TEST(InterpResults, KeepsBlocksWithDifferentTripCountsApart) {
  InterpRun run(R"(
kernel triangle {
  tensor y : i64 rank 1 argument 0 written
  local acc : i64 [1]
  block 2, 1, 1
  grid 5, 1, 1

  alloc acc
  acc[0] = Set i64 (0)
  for j < (blockIdx.x + 0) {
    acc[0] = Add i64 (acc[0], int(j))
  }
  y[((blockIdx.x * 2) + threadIdx.x)] = move acc[0]
}
)");
  std::vector<int64> y(10);
  run.tensor(0, y).run();
  EXPECT_EQ(y, (std::vector<int64>{0, 0, 0, 0, 1, 1, 3, 3, 6, 6}));
}

}  // namespace
}  // namespace fuser
