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

TEST(InterpResults, ReducesOverBlockDimsInTheFixedTree) {
  // 3 x 4 threads, 2 blocks; over x, over y, over both.
  const std::string text = R"(
kernel reduce {
  tensor x : f32 rank 1 argument 0
  tensor y : f32 rank 1 argument 1 written
  local a : f32 [1]
  local b : f32 [1]
  block 3, 4, 1
  grid 2, 1, 1

  alloc a
  alloc b
  a[0] = move x[((blockIdx.x * 12) + (threadIdx.y * 3) + threadIdx.x)]
  b[0] = reduce Add f32 DIMS (a[0])
  y[((blockIdx.x * 12) + (threadIdx.y * 3) + threadIdx.x)] = move b[0]
}
)";
  std::vector<float> x;
  for (int i = 0; i < 24; ++i) x.push_back(std::ldexp(1.0f, (i * 7) % 40) + 1.0f / static_cast<float>(i + 1));
  const auto tree = [](std::vector<float> v) {
    size_t half = 1;
    while (half * 2 < v.size()) half *= 2;
    for (; half > 0; half /= 2) {
      for (size_t t = 0; t < half && t + half < v.size(); ++t) v[t] += v[t + half];
    }
    return v[0];
  };
  for (const std::string dims : {"x", "y", "xy"}) {
    std::string copy = text;
    copy.replace(copy.find("DIMS"), 4, dims);
    std::vector<float> y(24);
    InterpRun(copy).tensor(0, x).tensor(1, y).run();
    for (size_t i = 0; i < 24; ++i) {
      std::vector<float> group;
      for (size_t j = i / 12 * 12; j < i / 12 * 12 + 12; ++j) {
        const bool sameX = j % 3 == i % 3, sameY = j / 3 == i / 3;
        if ((dims == "x" && sameY) || (dims == "y" && sameX) || dims == "xy") group.push_back(x[j]);
      }
      EXPECT_EQ(y[i], tree(group)) << dims << " " << i;
    }
  }
}

// Threads with 0, 1, 2, … terms of their own; the join knows all of them, in each row of the block.
TEST(InterpResults, CombinesTermsAcrossThreads) {
  std::vector<double> mean(10), squares(10), means(10), sums(10);
  std::vector<int64> count(10), counts(10);
  double total[2] = {}, terms[2] = {};
  std::vector<double> numbers[2];
  for (size_t row = 0; row < 2; ++row) {
    for (size_t x = 0; x < 5; ++x) {
      const size_t t = row * 5 + x;
      for (size_t k = 0; k < x; ++k) {
        const double number = static_cast<double>(7 * k + x * x) + 100 * static_cast<double>(row);
        numbers[row].push_back(number);
        ++count[t];
        const double before = number - mean[t];
        mean[t] += before / static_cast<double>(count[t]);
        squares[t] += before * (number - mean[t]);
        total[row] += number;
        terms[row] += 1;
      }
    }
  }
  InterpRun run(R"(
kernel join {
  tensor a : f64 rank 1 argument 0
  tensor b : f64 rank 1 argument 1
  tensor c : i64 rank 1 argument 2
  tensor u : f64 rank 1 argument 3 written
  tensor v : f64 rank 1 argument 4 written
  tensor w : i64 rank 1 argument 5 written
  local m : f64 [1]
  local s : f64 [1]
  local n : i64 [1]
  block 5, 2, 1
  grid 1, 1, 1

  alloc m
  alloc s
  alloc n
  m[0] = move a[(threadIdx.x + (threadIdx.y * 5))]
  s[0] = move b[(threadIdx.x + (threadIdx.y * 5))]
  n[0] = move c[(threadIdx.x + (threadIdx.y * 5))]
  welford f64 x (m[0], s[0], n[0])
  u[(threadIdx.x + (threadIdx.y * 5))] = move m[0]
  v[(threadIdx.x + (threadIdx.y * 5))] = move s[0]
  w[(threadIdx.x + (threadIdx.y * 5))] = move n[0]
}
)");
  run.tensor(0, mean).tensor(1, squares).tensor(2, count).tensor(3, means).tensor(4, sums).tensor(5, counts).run();
  for (size_t row = 0; row < 2; ++row) {
    const double middle = total[row] / terms[row];
    double expected = 0;
    for (double number : numbers[row]) expected += (number - middle) * (number - middle);
    for (size_t x = 0; x < 5; ++x) {
      EXPECT_EQ(counts[row * 5 + x], 10);
      EXPECT_NEAR(means[row * 5 + x], middle, 1e-12 * middle);
      EXPECT_NEAR(sums[row * 5 + x], expected, 1e-12 * expected);
      EXPECT_EQ(means[row * 5 + x], means[row * 5]) << "every thread gets the same";
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
