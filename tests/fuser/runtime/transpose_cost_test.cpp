// What transposes cost: generated ones of every element size and rank, on ragged tiles.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "fuser/runtime/case_cost.h"
#include "fuser/text/parser.h"
#include "tests/in_full.h"

namespace fuser {
namespace {

std::string bracketed(const std::vector<int64_t>& numbers) {
  std::string text;
  for (int64_t number : numbers) text += concat(text.empty() ? "[" : ", ", number);
  return text + "]";
}

// %y = max(permute(%x), %w): what is read along two axes of memory, which an order of axes relates that moves the
// fastest one. The axes that become fastest have at most `most` elements, the others few.
class Transposes {
 public:
  explicit Transposes(uint32_t seed) : random_(seed) {}

  std::string next(int64_t most, int64_t multiple) {
    constexpr const char* kTypes[] = {"bool", "i8", "f16", "bf16", "f32", "i32", "f64", "i64"};
    const int64_t rank = upTo(2, 6);
    std::vector<int64_t> order(static_cast<size_t>(rank));
    for (int64_t i = 0; i < rank; ++i) order[static_cast<size_t>(i)] = i;
    while (order.back() == rank - 1) std::shuffle(order.begin(), order.end(), random_);
    std::vector<int64_t> sizes;
    for (int64_t i = 0; i < rank; ++i) {
      const bool fastest = i == rank - 1 || i == order.back();
      sizes.push_back(fastest ? upTo(1, most) * multiple : upTo(1, 3));
    }
    std::vector<int64_t> permuted;
    std::string symbols, moved;
    for (int64_t axis : order) permuted.push_back(sizes[static_cast<size_t>(axis)]);
    for (int64_t i = 0; i < rank; ++i) {
      symbols += concat(i == 0 ? "i" : ", i", i);
      moved += concat(i == 0 ? "i" : ", i", order[static_cast<size_t>(i)]);
    }
    const std::string type = kTypes[static_cast<size_t>(upTo(0, 7))];
    const auto data = [&](const std::vector<int64_t>& shape) {
      return concat("integers(seed = 1, low = 0, high = 2) : ", type, bracketed(shape));
    };
    return concat("fusion f(%x: ", type, "[", symbols, "], %w: ", type, "[", moved,
                  "]) {\n  %t = permute(%x) {dims = ", bracketed(order),
                  "}\n  %y = maximum(%t, %w)\n  return %y\n}\nrun {\n  %x = ", data(sizes), "\n  %w = ", data(permuted),
                  "\n}\n");
  }

 private:
  int64_t upTo(int64_t least, int64_t most) {
    return least + static_cast<int64_t>(random_() % static_cast<uint64_t>(most - least + 1));
  }
  std::mt19937 random_;
};

CaseCost costOfCase(const std::string& text) { return costOf(parseCase(text, "case"), {.registers = false}); }

// Ragged tiles, long and short ones.
TEST(TransposeCostTest, AThousandTransposesHaveNoBankConflicts) {
  Transposes transposes(1);
  int64_t tiles = 0;
  const int count = inFull() ? 1000 : 250;
  for (int i = 0; i < count; ++i) {
    const std::string text = transposes.next(i % 3 == 0 ? 300 : 40, 1);
    const CaseCost cost = costOfCase(text);
    EXPECT_EQ(cost.total.bankConflicts, 0) << text;
    for (const KernelRow& kernel : cost.kernels) tiles += kernel.scheduler == "Transpose";
  }
  EXPECT_GT(10 * tiles, 8 * count);
}

// Rows that begin at sectors: each is met once, but those that two tiles share.
TEST(TransposeCostTest, AlignedTransposesRequestEachSectorOnce) {
  Transposes transposes(2);
  for (int i = 0; i < 100; ++i) {
    const std::string text = transposes.next(3, 32);
    const CaseCost cost = costOfCase(text);
    EXPECT_EQ(cost.total.requested, cost.total.compulsory) << text << toTable(cost, "case");
  }
}

}  // namespace
}  // namespace fuser
