// Sums as tensor cores make them lie in the set of a sum by mma: whatever the order, the number of terms that one
// instruction adds, and the places that are kept beside those of the largest term.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "fuser/ops/op_eval.h"
#include "oracle/sum.h"
#include "tests/oracle/cut_sum.h"

namespace oracle {
namespace {

constexpr int64_t kTerms = 16;  // of an instruction

struct Products {
  std::vector<double> exact;
  Interval set(int64_t depth) const {
    Sum sum(accumulatorOfMma(), depth);
    for (double product : exact) sum.add(Interval::of(static_cast<double>(static_cast<float>(product))));
    return sum.result();
  }
};

Products drawProducts(std::mt19937_64& random, bool wholes) {
  const auto number = [&] {
    const double whole = static_cast<double>(static_cast<int>(random() % 4095)) - 2047;  // 11 bits and a sign
    return wholes ? std::fmod(whole, 9) : std::ldexp(whole, static_cast<int>(random() % 10) - 5);
  };
  Products products;
  const size_t count = 1 + random() % 200;
  for (size_t i = 0; i < count; ++i) products.exact.push_back(number() * number());
  return products;
}

bool holds(const Interval& set, float value) { return set.lo <= value && value <= set.hi; }

TEST(MmaSumTest, HoldsWhatAnyHardwareGives) {
  std::mt19937_64 random(3);
  for (int draw = 0; draw < 20000; ++draw) {
    Products products = drawProducts(random, false);
    std::shuffle(products.exact.begin(), products.exact.end(), random);
    const size_t atOnce = size_t{4} << random() % 3;  // 4, 8 or 16 terms
    const int places = 24 + static_cast<int>(random() % 3);
    float sum = 0;
    int64_t blocks = 0;
    for (size_t i = 0; i < products.exact.size(); i += atOnce, ++blocks) {
      const auto first = products.exact.begin() + static_cast<ptrdiff_t>(i);
      const auto last = first + static_cast<ptrdiff_t>(std::min(atOnce, products.exact.size() - i));
      sum = oracle_test::cutSum(sum, std::span(first, last), places, true);
    }
    const Interval set = products.set(blocks * kTerms);
    ASSERT_TRUE(holds(set, sum)) << sum << " of [" << set.lo << ", " << set.hi << "], " << products.exact.size()
                                 << " terms, " << atOnce << " at once, " << places << " places";
  }
}

TEST(MmaSumTest, IsOneNumberWhereEverySumIsExact) {
  std::mt19937_64 random(4);
  for (int draw = 0; draw < 2000; ++draw) {
    const Products products = drawProducts(random, true);
    double exact = 0;
    float sum = 0;
    for (double product : products.exact) {
      exact += product;
      sum = oracle_test::cutSum(sum, std::span(&product, 1), 24, true);
    }
    EXPECT_EQ(sum, exact);
    const Interval set = products.set(static_cast<int64_t>(products.exact.size()) * kTerms);
    EXPECT_EQ(set.lo, exact);
    EXPECT_EQ(set.hi, exact);
  }
}

TEST(MmaSumTest, IsAnythingWhereAProductIsBeyondTheRange) {
  Sum sum(accumulatorOfMma(), kTerms);
  sum.add(Interval::of(kInfinity));
  sum.add(Interval::of(-kInfinity));
  const Interval set = sum.result();
  EXPECT_TRUE(set.has(kNan));
  EXPECT_TRUE(holds(set, 0)) << "of products that cancel";
}

// The engines' own way.
TEST(MmaSumTest, HoldsWhatOurEnginesGive) {
  std::mt19937_64 random(6);
  for (int draw = 0; draw < 5000; ++draw) {
    float left[kTerms], right[kTerms], sum = 0;
    Products products;
    for (int block = 0; block < 5; ++block) {
      for (int k = 0; k < kTerms; ++k) {
        left[k] = std::ldexp(static_cast<float>(random() % 2048) - 1024, static_cast<int>(random() % 8) - 4);
        right[k] = static_cast<float>(random() % 2048) - 1000;
        products.exact.push_back(static_cast<double>(left[k]) * right[k]);
      }
      sum = fuser::sumWithProducts(sum, left, right);
    }
    const Interval set = products.set(5 * kTerms);
    ASSERT_TRUE(holds(set, sum)) << sum << " of [" << set.lo << ", " << set.hi << "]";
  }
}

}  // namespace
}  // namespace oracle
