// The ranges of index arithmetic in a launch: of kernels by hand, and of random ones against values that occur.
#include "fuser/kernel/index_bounds.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "fuser/kernel/text.h"
#include "tests/fuser/kernel/random_kernel.h"

namespace fuser {
namespace {

// A kernel of 32 threads a block over n elements, for a device with index_bound 1024.
std::unique_ptr<Kernel> copyKernel(const std::string& body, const std::string& block = "32") {
  return parseKernel(concat(R"(
kernel k {
  device index_bound = 1024
  tensor x : f32 rank 1 argument 0
  tensor q : i64 rank 1 argument 1
  tensor y : f32 rank 1 argument 2 written
  local t : f32 [1]
  local u : i64 [1]
  int n in [0, 1099511627776]
  int s in [0, 1099511627776] = stride x 0
  block )",
                            block, R"(, 1, 1
  grid ((n + 31) // 32), 1, 1

  alloc t
  alloc u
)",
                            body, "}\n"));
}

std::string whyNot(const std::string& body, int64_t n, int64_t stride = 1) {
  return whyNotNarrow(*copyKernel(body), std::vector<int64_t>{n, stride});
}

constexpr const char* kCopy = R"(
  if (((blockIdx.x * 32) + threadIdx.x) < n) {
    t[0] = move x[(((blockIdx.x * 32) + threadIdx.x) * s)]
    y[((blockIdx.x * 32) + threadIdx.x)] = move t[0]
  }
)";

TEST(IndexBoundsTest, TheLargestIndexIsBelowTheBound) {
  EXPECT_EQ(whyNot(kCopy, 1023), "");
  EXPECT_EQ(whyNot(kCopy, 1024), "n may be 1024, and the device's index_bound is 1024");
}

TEST(IndexBoundsTest, TheOverhangOfASplitCounts) {
  EXPECT_EQ(whyNot(kCopy, 500, 2), "") << "the last thread's index is 511, though no condition lets it through";
  EXPECT_EQ(whyNot(kCopy, 513, 2),
            "(((blockIdx.x * 32) + threadIdx.x) * s) may be 1086, and the device's index_bound is 1024")
      << "the largest that is used is 1024; of 17 blocks, the largest is 543 * 2";
}

TEST(IndexBoundsTest, StridesCount) {
  EXPECT_EQ(whyNot(kCopy, 32, 33), "");
  EXPECT_NE(whyNot(kCopy, 32, 34), "");
}

TEST(IndexBoundsTest, SubexpressionsCountAndNotTheResultAlone) {
  const std::string body = "  t[0] = move x[((threadIdx.x * n) % 7)]\n";
  EXPECT_EQ(whyNot(body, 33), "");
  EXPECT_EQ(whyNot(body, 34), "(n * threadIdx.x) may be 1054, and the device's index_bound is 1024");
}

TEST(IndexBoundsTest, NegativeIndicesCount) {
  EXPECT_EQ(whyNot("  t[0] = move x[max((3 + (n * -2)), 0)]\n", 511), "");
  EXPECT_EQ(whyNot("  t[0] = move x[max((3 + (n * -2)), 0)]\n", 512),
            "(n * -2) may be -1024, and the device's index_bound is 1024");
}

TEST(IndexBoundsTest, ConditionsAndLoopsCount) {
  EXPECT_EQ(whyNot("  if ((threadIdx.x + 992) < (n + 1023)) {\n  }\n", 0), "");
  EXPECT_NE(whyNot("  if ((threadIdx.x + 993) < n) {\n  }\n", 5), "");
  EXPECT_EQ(whyNot("  for i < (n // 4) {\n    t[0] = Set f32 (0.0)\n  }\n", 1023), "");
  EXPECT_NE(whyNot("  for i < (n * 4) {\n    t[0] = Set f32 (0.0)\n  }\n", 256), "");
  EXPECT_EQ(whyNot("  for i < 10 {\n    t[0] = move x[(i * n)]\n  }\n", 113), "");
  EXPECT_NE(whyNot("  for i < 10 {\n    t[0] = move x[(i * n)]\n  }\n", 114), "");
}

TEST(IndexBoundsTest, LoadedIndicesHaveTheirRange) {
  const std::string body = "  index r in [0, (n * 2)) = q[threadIdx.x]\n  t[0] = move x[r]\n";
  EXPECT_EQ(whyNot(body, 512), "") << "the end of the range is nobody's index";
  EXPECT_EQ(whyNot(body, 513), "r may be 1025, and the device's index_bound is 1024");
}

TEST(IndexBoundsTest, DataAndTheGridDoNotCount) {
  EXPECT_EQ(whyNot("  u[0] = Set i64 (int((n * 1000)))\n", 992), "");
  EXPECT_EQ(whyNotNarrow(*copyKernel("  u[0] = Set i64 (int((n * 1000)))\n", "1"), std::vector<int64_t>{5000, 1}), "");
}

// A launch of a random kernel by one thread: indices of threads, blocks, loops and loads at random.
class Walk {
 public:
  Walk(const Kernel& kernel, const std::vector<int64_t>& ints) : kernel_(kernel), ranges_(kernel, ints) {
    for (size_t i = 0; i < ints.size(); ++i) values_[kernel.intParams[i].symbol] = ints[i];
    for (size_t d = 0; d < 3; ++d) {
      bind(kernel.threadIdx[d], 0, kernel.blockDim[d]);
      runs_ &= bind(kernel.blockIdx[d], 0, valueOf(kernel.gridDim[d]));
    }
  }

  void run() {
    if (runs_) run(kernel_.body);
  }

 private:
  static int64_t number(int64_t low, int64_t high) {
    return *rc::gen::resize(100, rc::gen::inRange<int64_t>(low, high));
  }

  // False if there is no index.
  bool bind(IntExpr symbol, int64_t low, int64_t end) {
    if (!symbol->isSymbol()) return true;
    if (end <= low) return false;
    values_[symbol] = number(0, 3) == 0 ? end - 1 : number(low, std::min(end, low + 1000));
    return true;
  }

  int64_t valueOf(IntExpr expr) const {
    return evaluate(expr, [&](IntExpr symbol) { return values_.at(symbol); });
  }

  void look(IntExpr expr) {
    if (expr->a) {
      look(expr->a);
      look(expr->b);
    }
    const int64_t value = valueOf(expr);
    const Range range = ranges_.of(expr);
    RC_ASSERT(range.low <= value && value <= range.high);
  }

  void run(const Body& body) {
    for (const Statement& statement : body) {
      Kernel one;
      one.body.push_back(statement);
      if (const For* loop = std::get_if<For>(&statement.node)) {
        look(loop->extent);
        if (bind(loop->index, 0, valueOf(loop->extent))) run(loop->body);
        continue;
      }
      if (const If* branch = std::get_if<If>(&statement.node)) {
        look(branch->condition);
        if (valueOf(branch->condition) != 0) run(branch->body);
        continue;
      }
      if (const LoadIndex* load = std::get_if<LoadIndex>(&statement.node)) {
        look(load->source.index);
        if (!bind(load->index, valueOf(load->low), valueOf(load->extent))) return;
      }
      forEachIndex(one, [&](IntExpr index) { look(index); });
    }
  }

  const Kernel& kernel_;
  IndexRanges ranges_;
  std::map<IntExpr, int64_t> values_;  // look-ups only
  bool runs_ = true;
};

RC_GTEST_PROP(IndexBoundsTest, RangesHoldEveryValueThatOccurs, ()) {
  const std::unique_ptr<Kernel> kernel = RandomKernel().make();
  std::vector<int64_t> ints;
  for (const IntParam& param : kernel->intParams) {
    const Range range = param.symbol->range;
    ints.push_back(
        *rc::gen::resize(100, rc::gen::inRange<int64_t>(range.low, std::min<int64_t>(range.high, range.low + 40) + 1)));
  }
  for (int turn = 0; turn < 5; ++turn) Walk(*kernel, ints).run();
}

}  // namespace
}  // namespace fuser
