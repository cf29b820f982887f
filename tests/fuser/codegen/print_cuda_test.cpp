// The text of printed kernels: cuda.txt has whole ones.
#include "fuser/codegen/print_cuda.h"
#include "fuser/kernel/shared_layout.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fuser/codegen/cpu_module.h"
#include "fuser/codegen/literal.h"
#include "fuser/kernel/text.h"
#include "tests/golden/golden_tests.h"

namespace fuser {
namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

const golden::Texts kTexts("tests/fuser/codegen/cuda.txt", {},
                           [](const golden::Case& test) { return printCuda(*parseKernel(test.input)); });

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
  EXPECT_EQ(count("FUSER_FN T shuffleXor("), 1u);
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
  t[0] = shuffle xor 1 (t[0])
  a[0] = Set bf16 (1.0)
  b[0] = Set f32 (1.0)
  y[threadIdx.x] = move t[0]
}
)");
  EXPECT_EQ(sharedMemoryBytes(*kernel), 16u + 32u);
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
