// Mma on interp and on the cpu engine: the lanes of fragments as the PTX ISA has them, and equal bits.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "fuser/execute/cpu_engine.h"
#include "fuser/execute/interp_engine.h"
#include "fuser/kernel/text.h"
#include "fuser/kernel/verify.h"
#include "fuser/ops/op_eval.h"
#include "tests/fuser/execute/array.h"
#include "tests/fuser/execute/interp_fixture.h"

namespace fuser {
namespace {

// c[16, 8] += a[16, 16] * b[8, 16]^T, for each warp of two: elements to lanes as "Matrix Fragments for mma.m16n8k16"
// has them.
std::string mmaKernel(DataType dtype, const std::string& loadOfLeft = "") {
  const std::string row = "((threadIdx.z * 256) + (threadIdx.y * 16) + (threadIdx.x * 2))";
  const std::string right = "((threadIdx.z * 128) + (threadIdx.y * 16) + (threadIdx.x * 2))";
  const std::string sums = "((threadIdx.z * 128) + (threadIdx.y * 8) + (threadIdx.x * 2))";
  const std::string left = loadOfLeft.empty() ? concat("  l[0] = move a[", row, "] width 2\n") : loadOfLeft;
  return concat("kernel product {\n  tensor a : ", dtype, " rank 1 argument 0\n  tensor b : ", dtype,
                " rank 1 argument 1\n  tensor c : f32 rank 1 argument 2\n  tensor d : f32 rank 1 argument 3 written\n",
                "  local l : ", dtype, " [8]\n  local r : ", dtype, " [4]\n  local s : f32 [4]\n",
                "  block 4, 8, 2\n  grid 1, 1, 1\n\n  alloc l\n  alloc r\n  alloc s\n", left, "  l[2] = move a[(", row,
                " + 128)] width 2\n  l[4] = move a[(", row, " + 8)] width 2\n  l[6] = move a[(", row,
                " + 136)] width 2\n  r[0] = move b[", right, "] width 2\n  r[2] = move b[(", right,
                " + 8)] width 2\n  s[0] = move c[", sums, "] width 2\n  s[2] = move c[(", sums, " + 64)] width 2\n",
                "  mma (s[0], s[1], s[2], s[3]) (l, r)\n  d[", sums, "] = move s[0] width 2\n  d[(", sums,
                " + 64)] = move s[2] width 2\n}\n");
}

Array arrayOf(DataType dtype, const std::vector<float>& values) {
  Array array(dtype, values.size());
  convertFunction(DataType::Float, dtype)(values.data(), array.tensor().data, values.size());
  return array;
}

std::vector<float> widened(DataType dtype, Array& array, size_t count) {
  std::vector<float> values(count);
  convertFunction(dtype, DataType::Float)(array.tensor().data, values.data(), count);
  return values;
}

struct Matrices {
  DataType dtype;
  Array a, b, c;
};

Array run(CompiledKernel& product, Matrices& of) {
  Array d(DataType::Float, 256);
  product.launch({{of.a.tensor(), of.b.tensor(), of.c.tensor(), d.tensor()}, {}, {}});
  return d;
}

// What the statement says, element by element.
Array expected(Matrices& of) {
  const std::vector<float> a = widened(of.dtype, of.a, 512), b = widened(of.dtype, of.b, 256);
  Array d(DataType::Float, 256);
  for (size_t warp = 0; warp < 2; ++warp) {
    for (size_t row = 0; row < 16; ++row) {
      for (size_t column = 0; column < 8; ++column) {
        const size_t at = warp * 128 + row * 8 + column;
        const float* left = a.data() + warp * 256 + row * 16;
        d.as<float>()[at] = sumWithProducts(of.c.as<float>()[at], left, b.data() + warp * 128 + column * 16);
      }
    }
  }
  return d;
}

class MmaTest : public ::testing::TestWithParam<DataType> {};

TEST_P(MmaTest, MultipliesTheMatricesOfEachWarp) {
  std::mt19937_64 random(5);
  const auto draw = [&](size_t count, bool wholes) {
    std::vector<float> values;
    for (size_t i = 0; i < count; ++i) {
      const auto whole = static_cast<float>(static_cast<int>(random() % 17) - 8);
      values.push_back(wholes ? whole : std::ldexp(whole + 0.4f, static_cast<int>(random() % 12) - 6));
    }
    return values;
  };
  const std::unique_ptr<Kernel> kernel = parseKernel(mmaKernel(GetParam()));
  verifyKernel(*kernel);
  const Kernel* const kernels[] = {kernel.get()};
  const auto interp = makeInterpEngine()->compile(kernels), cpu = makeCpuEngine()->compile(kernels);
  for (const bool wholes : {true, false}) {
    for (int i = 0; i < 10; ++i) {
      Matrices of{GetParam(), arrayOf(GetParam(), draw(512, wholes)), arrayOf(GetParam(), draw(256, wholes)),
                  arrayOf(DataType::Float, draw(256, wholes))};
      Array want = expected(of);
      Array onInterp = run(*interp[0], of), onCpu = run(*cpu[0], of);
      EXPECT_EQ(differenceOf(want, onInterp), "") << "interp";
      EXPECT_EQ(differenceOf(want, onCpu), "") << "cpu";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Dtypes, MmaTest, ::testing::Values(DataType::Half, DataType::BFloat16),
                         [](const auto& info) { return std::string(dtypeName(info.param)); });

TEST(MmaTest, ReadsNoElementThatWasNotWritten) {
  std::vector<Half> a(512), b(256);
  std::vector<float> c(256), d(256);
  InterpRun run(mmaKernel(DataType::Half, "  l[0] = move a[0]\n"));  // l[1] is never written
  run.tensor(0, a).tensor(1, b).tensor(2, c).tensor(3, d);
  EXPECT_TRUE(contains(run.violation(), "uninitialised read of l;"));
}

TEST(SumWithProductsTest, IsExactWhereTheTermsHaveACommonPlace) {
  float left[16], right[16];
  for (int k = 0; k < 16; ++k) {
    left[k] = static_cast<float>(k - 7);
    right[k] = static_cast<float>(3 * k + 1);
  }
  double sum = 1000;
  for (int k = 0; k < 16; ++k) sum += static_cast<double>(left[k]) * right[k];
  EXPECT_EQ(sumWithProducts(1000, left, right), sum);
}

TEST(SumWithProductsTest, CutsTermsAtTheLastPlaceOfTheLargest) {
  float left[16] = {}, right[16] = {};
  left[3] = 0x1p-12f, right[3] = 0x1.8p-12f;  // 0.75 units in the last place of 1
  EXPECT_EQ(sumWithProducts(1, left, right), 1);
  EXPECT_EQ(sumWithProducts(-1, left, right), -1);
  left[4] = left[3], right[4] = right[3];  // each is cut by itself
  EXPECT_EQ(sumWithProducts(1, left, right), 1);
  EXPECT_EQ(sumWithProducts(0, left, right), 0x1.8p-23f);
}

TEST(SumWithProductsTest, CutsTheResultToF32) {
  float left[16] = {1}, right[16] = {0x1.fffffep0f};
  EXPECT_EQ(sumWithProducts(0x1.fffffep0f, left, right), 0x1.fffffep1f);
  right[0] = 0x1.fffffcp0f;
  EXPECT_EQ(sumWithProducts(0x1.fffffep0f, left, right), 0x1.fffffcp1f) << "towards zero";
}

TEST(SumWithProductsTest, KeepsProductsBeyondTheRangeUntilTheEnd) {
  float left[16] = {0x1p100f, 0x1p100f}, right[16] = {0x1p100f, -0x1p100f};
  EXPECT_EQ(sumWithProducts(0, left, right), 0);
  right[1] = 0;
  EXPECT_EQ(sumWithProducts(0, left, right), std::numeric_limits<float>::infinity());
}

TEST(SumWithProductsTest, PassesNanAndInfinitiesOn) {
  const float infinity = std::numeric_limits<float>::infinity();
  float left[16] = {infinity}, right[16] = {2};
  EXPECT_EQ(sumWithProducts(5, left, right), infinity);
  EXPECT_TRUE(std::isnan(sumWithProducts(-infinity, left, right)));
  right[0] = 0;
  EXPECT_TRUE(std::isnan(sumWithProducts(5, left, right)));
}

}  // namespace
}  // namespace fuser
