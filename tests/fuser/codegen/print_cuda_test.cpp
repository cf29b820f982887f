// The text of printed kernels.
#include "fuser/codegen/print_cuda.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fuser/codegen/cpu_module.h"
#include "fuser/codegen/literal.h"
#include "fuser/kernel/text.h"

namespace fuser {
namespace {

std::string printed(const std::string& kernel) { return "\n" + printCuda(*parseKernel(kernel)); }

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(PrintCudaTest, PrintsAPointwiseKernel) {
  EXPECT_EQ(printed(R"(kernel scale {
  scalar a : f64
  tensor x : bf16 rank 2 argument 0
  tensor y : f32 rank 1 argument 1 written
  local t : f32 [1]
  int n in [0, 1099511627776]
  int s in [0, 1099511627776] = stride x 0
  block 128, 1, 1
  grid ((n + 127) // 128), 1, 1

  if (((blockIdx.x * 128) + threadIdx.x) < n) {
    alloc t
    t[0] = Mul f32 (x[((((blockIdx.x * 128) + threadIdx.x) // 4) * s)], $a as bf16)
    t[0] = Sigmoid f32 (t[0])
    y[((blockIdx.x * 128) + threadIdx.x)] = move t[0]
  }
}
)"), R"(
namespace fuser {

FUSER_FN float Sigmoid_f32(float a) { typedef float T; return logistic(a); }
FUSER_FN float Mul_f32(float a, float b) { typedef float T; return mul(a, b); }

extern "C" __global__ void __launch_bounds__(128)
kernel_0_scale(FUSER_THREAD_PARAMETER const fuser::BFloat16* b0_x, float* b1_y, int64 p0, int64 p1, double s0) {
  const int64 threadX = threadIdx.x;
  const int64 blockX = blockIdx.x;
  if (((threadX + (blockX * 128)) < p0)) {
    float b2_t[1];
    const int64 q16 = (threadX / 4);
    b2_t[0] = Mul_f32(convert<float>(b0_x[(p1 * ((blockX * 32) + q16))]), convert<float>(convert<fuser::BFloat16>(s0)));
    b2_t[0] = Sigmoid_f32(b2_t[0]);
    b1_y[(threadX + (blockX * 128))] = b2_t[0];
  }
}

}  // namespace fuser
)");
}

TEST(PrintCudaTest, PrintsABlockReductionWithVectorsAndSharedMemory) {
  EXPECT_EQ(printed(R"(kernel sum {
  tensor x : f16 rank 1 argument 0
  tensor y : f16 rank 1 argument 1 written
  local v : f16 [8]
  local t : f32 [1]
  shared s : f32 [3]
  block 32, 2, 1
  grid 5, 1, 1

  alloc v
  alloc t
  alloc s
  v[0] = move x[(((blockIdx.x * 64) + (threadIdx.x + (threadIdx.y * 32))) * 8)] width 8
  t[0] = Set f32 (0.0)
  for i < 8 unroll {
    t[0] = Add f32 (t[0], v[i])
  }
  t[0] = reduce Add f32 x (t[0])
  s[0] = move t[0]
  barrier
  y[blockIdx.x] = Cast f16 (s[0])
}
)"), R"(
namespace fuser {

FUSER_FN float Add_f32(float a, float b) { typedef float T; return add(a, b); }

extern "C" __global__ void __launch_bounds__(64)
kernel_0_sum(FUSER_THREAD_PARAMETER const fuser::Half* b0_x, fuser::Half* b1_y) {
  FUSER_SHARED_MEMORY;
  const int64 threadX = threadIdx.x;
  const int64 threadY = threadIdx.y;
  const int64 blockX = blockIdx.x;
  alignas(16) fuser::Half b2_v[8];
  float b3_t[1];
  float* const b4_s = reinterpret_cast<float*>(reinterpret_cast<unsigned char*>(sharedMemory) + 0);
  copyVector<16>(&b2_v[0], &b0_x[(((threadX * 8) + (threadY * 256)) + (blockX * 512))]);
  b3_t[0] = 0x0p+0f;
  FUSER_UNROLL
  for (int64 i3 = 0; i3 < 8; ++i3) {
    b3_t[0] = Add_f32(b3_t[0], convert<float>(b2_v[i3]));
  }
  b3_t[0] = blockReduce<float, Add_f32, 32, 2, 1, true, false, false>(FUSER_THREAD_ARGUMENT b3_t[0], reinterpret_cast<float*>(reinterpret_cast<unsigned char*>(sharedMemory) + 16));
  b4_s[0] = b3_t[0];
  __syncthreads();
  b1_y[blockX] = convert<fuser::Half>(b4_s[0]);
}

}  // namespace fuser
)");
}

constexpr const char* kCopy = R"(kernel copy {
  tensor x : f32 rank 1 argument 0
  tensor y : f32 rank 1 argument 1 written
  block 1, 1, 1
  grid 1, 1, 1

  y[0] = move x[0]
}
)";

// A name reaches the text only as letters, digits and '_' behind a prefix, so that it can neither inject code nor be a
// keyword; newlines, backslashes and multi-byte characters included.
TEST(PrintCudaTest, NamesFromOutsideCannotInjectCode) {
  const auto kernel = parseKernel(kCopy);
  kernel->buffers[0].name = "x[0]; } system(\"id\"); //\\\n";
  kernel->buffers[1].name = "r\xc3\xa9turn*/\"";
  const std::string text = printCuda(*kernel);
  for (const char* part : {"system(", "//\\", "\xc3", "*/"}) EXPECT_FALSE(contains(text, part)) << text;
  EXPECT_TRUE(contains(text, "b1_r__turn___[0] = b0_x_0_____system__id______[0];")) << text;
}

TEST(PrintCudaTest, AModuleHasTheRuntimeAndEachOpOnce) {
  const auto a = parseKernel(kCopy);
  const auto b = parseKernel(kCopy);
  const Kernel* const kernels[] = {a.get(), b.get()};
  const std::string text = printModule(kernels);
  const auto count = [&](const std::string& part) {
    size_t found = 0;
    for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count("FUSER_FN Half halfFromFloat("), 1u);
  EXPECT_EQ(count("FUSER_FN float mul(float a, float b)"), 1u);
  EXPECT_EQ(count("FUSER_FN T blockReduce("), 1u);
  EXPECT_EQ(count("#pragma once"), 0u);
  EXPECT_EQ(count("kernel_0_copy("), 1u);
  EXPECT_EQ(count("kernel_1_copy("), 1u);
}

TEST(PrintCudaTest, TheSameKernelGivesTheSameText) {
  EXPECT_EQ(printCuda(*parseKernel(kCopy)), printCuda(*parseKernel(kCopy)));
}

TEST(PrintCudaTest, TheCpuCompilesTheTextOfTheGpu) {
  const auto kernel = parseKernel(kCopy);
  const Kernel* const kernels[] = {kernel.get()};
  EXPECT_TRUE(contains(printCpuModule(kernels), printModule(kernels)));
}

// Shared quotients are named once: text stays in proportion to the expression, not to its paths.
TEST(PrintCudaTest, SharedSubexpressionsDoNotMultiplyTheText) {
  const auto kernel = parseKernel(kCopy);
  IntExprArena& ints = *kernel->ints;
  IntExpr index = ints.symbol("n", {0, 1 << 30});
  kernel->intParams.push_back({index, nullptr, -1, -1});
  for (int i = 2; i < 40; ++i) {
    index = ints.add(ints.floorDiv(index, ints.constant(i)),
                     ints.mul(ints.mod(index, ints.constant(i + 1)), ints.constant(3)));
  }
  std::get<Move>(kernel->body[0].node).source.index = index;
  EXPECT_LT(printCuda(*kernel).size(), 10000u);
}

// An integer used as data wraps where its range does not rule an overflow out; an index need not.
TEST(PrintCudaTest, IntegersUsedAsDataWrap) {
  const std::string text = printCuda(*parseKernel(R"(kernel integers {
  tensor y : i64 rank 1 argument 0 written
  int m in [0, 1099511627776]
  int n in [0, 1099511627776]
  int small in [0, 100]
  block 1, 1, 1
  grid 1, 1, 1

  y[0] = Set i64 (int((m * n)))
  y[1] = Set i64 (int((small * 5)))
  y[(m * n)] = Set i64 (int(((m * n) + 1)))
}
)"));
  EXPECT_TRUE(contains(text, "b0_y[0] = static_cast<int64>(mul(p0, p1));")) << text;
  EXPECT_TRUE(contains(text, "b0_y[1] = static_cast<int64>((p2 * 5));")) << text;
  EXPECT_TRUE(contains(text, "b0_y[(p0 * p1)] = static_cast<int64>(add(mul(p0, p1), static_cast<int64>(1)));")) << text;
}

TEST(PrintCudaTest, LaysSharedMemoryOutInMultiplesOfSixteen) {
  const auto kernel = parseKernel(R"(kernel shared {
  tensor y : f64 rank 1 argument 0 written
  shared a : bf16 [3]
  local t : f64 [1]
  shared b : f32 [5]
  block 10, 1, 1
  grid 1, 1, 1

  alloc a
  alloc b
  alloc t
  t[0] = Set f64 (1.0)
  t[0] = reduce Add f64 x (t[0])
  y[threadIdx.x] = move t[0]
}
)");
  EXPECT_EQ(sharedMemoryBytes(*kernel), 16u + 32u + 80u);
  EXPECT_TRUE(hasBarrier(*kernel));
  EXPECT_FALSE(hasBarrier(*parseKernel(kCopy)));
  EXPECT_EQ(sharedMemoryBytes(*parseKernel(kCopy)), 0u);
}

TEST(LiteralTest, PrintsExactly) {
  const auto print = [](auto value, std::initializer_list<DataType> conversions) {
    return printLiteral(ScalarValue(value), std::vector<DataType>(conversions));
  };
  EXPECT_EQ(print(0.1, {DataType::Double}), "0x1.999999999999ap-4");
  EXPECT_EQ(print(0.1, {DataType::Float}), "0x1.99999ap-4f");
  EXPECT_EQ(print(0.1, {DataType::BFloat16, DataType::Float}), "0x1.9ap-4f");
  EXPECT_EQ(print(-0.0, {DataType::Double}), "(-0x0p+0)");
  EXPECT_EQ(print(1e300, {DataType::Float}), "floatFromBits(0x7f800000u)");
  EXPECT_EQ(print(std::nan(""), {DataType::Double}), "doubleFromBits(0x7ff8000000000000ull)");
  EXPECT_EQ(print(1.0, {DataType::Half}), "Half{0x3c00}");
  EXPECT_EQ(print(int64_t{-3}, {DataType::Int64}), "static_cast<int64>((-3))");
  EXPECT_EQ(print(int64_t{1} << 40, {DataType::Int32}), "static_cast<int32>(0)");
  EXPECT_EQ(print(true, {DataType::Bool}), "true");
  EXPECT_EQ(printInteger(INT64_MIN), "(-9223372036854775807ll - 1)");
  EXPECT_EQ(printInteger(int64_t{1} << 31), "2147483648ll");
}

}  // namespace
}  // namespace fuser
