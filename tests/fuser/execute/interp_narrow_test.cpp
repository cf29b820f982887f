// Indices of narrow kernels: what leaves 32 bits (here a device's index_bound) is a violation, wherever it is used.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/fuser/execute/interp_fixture.h"

namespace fuser {
namespace {

// 64 threads over x, with t and u as registers; narrow, for a device with index_bound 256.
std::string kernelOf(const std::string& body, const std::string& word = " narrow") {
  return concat("kernel k", word, R"( {
  device index_bound = 256
  tensor x : i64 rank 1 argument 0
  tensor y : i64 rank 1 argument 1 written
  local u : i64 [1]
  int n in [-1099511627776, 1099511627776]
  int m in [-1099511627776, 1099511627776]
  block 64, 1, 1
  grid 1, 1, 1

  alloc u
)",
                body, "}\n");
}

struct Narrow {
  std::vector<int64_t> x = std::vector<int64_t>(1024), y = std::vector<int64_t>(64);
  Narrow() { std::iota(x.begin(), x.end(), int64_t{0}); }

  // "" or the violation's message.
  std::string run(const std::string& body, int64_t n, int64_t m = 0, const std::string& word = " narrow") {
    InterpRun launch(kernelOf(body, word));
    launch.tensor(0, x).tensor(1, y).ints({n, m});
    try {
      launch.run();
    } catch (const ViolationError& error) {
      return error.what();
    }
    return "";
  }
};

constexpr const char* kScaled = "  u[0] = move x[(threadIdx.x * n)]\n  y[threadIdx.x] = move u[0]\n";

TEST(InterpNarrowTest, WhatFitsIsComputed) {
  Narrow narrow;
  EXPECT_EQ(narrow.run(kScaled, 4), "");
  EXPECT_EQ(narrow.y[63], 252);
}

TEST(InterpNarrowTest, AnIndexThatDoesNotFitIsAViolationOfANarrowKernelAlone) {
  Narrow narrow;
  EXPECT_TRUE(contains(narrow.run(kScaled, 5),
                       "index overflow of 32 bits (index_bound 256) on x; block (0, 0, 0), thread (52, 0, 0)"));
  EXPECT_EQ(narrow.run(kScaled, 5, 0, ""), "");
  EXPECT_EQ(narrow.y[63], 315);
}

TEST(InterpNarrowTest, SoIsASubexpressionThatDoesNotFit) {
  Narrow narrow;
  const std::string body = "  y[threadIdx.x] = move x[((threadIdx.x * n) // 3)]\n";
  EXPECT_EQ(narrow.run(body, 4), "");
  EXPECT_TRUE(contains(narrow.run(body, 5), "index overflow of 32 bits"));
  EXPECT_EQ(narrow.run(body, 5, 0, ""), "");
}

// printCuda: ((n0 + n1) + (threadX * (-1)))
TEST(InterpNarrowTest, SumsAreAddedAsPrintedCodeAddsThem) {
  Narrow narrow;
  const std::string body = "  if (9 < threadIdx.x) {\n    y[threadIdx.x] = move x[(n + m + (threadIdx.x * -1))]\n  }\n";
  EXPECT_EQ(narrow.run(body, 245, 10), "");
  EXPECT_TRUE(contains(narrow.run(body, 250, 10), "index overflow of 32 bits")) << "250 + 10 - 10";
  EXPECT_EQ(narrow.run(body, 250, 10, ""), "");
}

TEST(InterpNarrowTest, SymbolsAndConstantsThatAreUsedAsTheyAre) {
  Narrow narrow;
  EXPECT_EQ(narrow.run("  u[0] = move x[n]\n", 255), "");
  EXPECT_TRUE(contains(narrow.run("  u[0] = move x[n]\n", 256), "index overflow of 32 bits (index_bound 256) on x"));
  EXPECT_EQ(narrow.run("  u[0] = move x[255]\n", 0), "");
  EXPECT_TRUE(contains(narrow.run("  u[0] = move x[256]\n", 0), "index overflow of 32 bits"));
  EXPECT_TRUE(contains(narrow.run("  u[0] = move x[max((n * -1), 0)]\n", 256), "index overflow of 32 bits"));
  EXPECT_TRUE(contains(narrow.run("  if (threadIdx.x < n) {\n  }\n", 256), "in a condition"));
  EXPECT_TRUE(contains(narrow.run("  for i < n {\n    u[0] = Set i64 (1)\n  }\n", 256), "in a loop's extent"));
}

TEST(InterpNarrowTest, LoadedIndices) {
  Narrow narrow;
  const std::string body = "  index r in [0, n) = x[(threadIdx.x * m)]\n  y[threadIdx.x] = move x[r]\n";
  EXPECT_EQ(narrow.run(body, 1000, 4), "");
  narrow.x[0] = 999;
  EXPECT_TRUE(contains(narrow.run(body, 1000, 4), "index overflow of 32 bits"));
}

TEST(InterpNarrowTest, WhatNoThreadComputesDoesNotCount) {
  Narrow narrow;
  EXPECT_EQ(narrow.run("  if (threadIdx.x < 2) {\n    y[threadIdx.x] = move x[(threadIdx.x * n)]\n  }\n", 200), "");
  EXPECT_TRUE(
      contains(narrow.run("  if (threadIdx.x < 3) {\n    y[threadIdx.x] = move x[(threadIdx.x * n)]\n  }\n", 200),
               "index overflow of 32 bits"));
}

// printCuda: a variable before the condition has the remainder.
TEST(InterpNarrowTest, BothSidesOfAConditionAreComputed) {
  Narrow narrow;
  const std::string body = "  if ((threadIdx.x < 2) && (((threadIdx.x * n) % 7) < 3)) {\n  }\n";
  EXPECT_EQ(narrow.run(body, 4), "");
  EXPECT_TRUE(contains(narrow.run(body, 200), "index overflow of 32 bits (index_bound 256) in a condition"));
}

TEST(InterpNarrowTest, DataHas64Bits) {
  Narrow narrow;
  EXPECT_EQ(narrow.run("  y[threadIdx.x] = Set i64 (int(((threadIdx.x * n) + m)))\n", int64_t{1} << 35, 5), "");
  EXPECT_EQ(narrow.y[63], 63 * (int64_t{1} << 35) + 5);
}

}  // namespace
}  // namespace fuser
