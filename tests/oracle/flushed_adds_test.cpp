// Atomic additions of a GPU in f32 take subnormal numbers for 0 (oracle/ORACLE.md#4-rules-by-op, Scatter): what such an
// adder gives, in any order, is never flagged, and some of it would be if nothing were flushed.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "fuser/runtime/case_settings.h"
#include "fuser/text/parser.h"
#include "oracle/judge.h"

namespace oracle_test {
namespace {

float flushed(float x) { return std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x; }

// Around the smallest normal number, some far above it.
float drawn(std::mt19937_64& random) {
  const int exponent = static_cast<int>(random() % 8) - (random() % 4 == 0 ? 20 : 129);
  const float sign = random() % 2 == 0 ? 1.0f : -1.0f;
  return sign * std::ldexp(static_cast<float>(random() % 16), exponent);
}

struct Sums {
  std::vector<float> x, u;
  std::vector<int64_t> indices;

  explicit Sums(std::mt19937_64& random) {
    for (int i = 0; i < 4; ++i) x.push_back(drawn(random));
    for (int i = 0; i < 8; ++i) {
      u.push_back(drawn(random));
      indices.push_back(static_cast<int64_t>(random() % 4));
    }
  }

  std::vector<float> added(std::mt19937_64& random) const {
    std::vector<size_t> order(u.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    std::vector<float> sums = x;
    for (size_t i : order) {
      float& sum = sums[static_cast<size_t>(indices[i])];
      sum = flushed(flushed(sum) + flushed(u[i]));
    }
    return sums;
  }

  oracle::Verdict judged(const fuser::Fusion& fusion, std::vector<float> sums, bool flushes) const {
    const auto tensor = [](auto& elements, fuser::DataType dtype) {
      const auto size = static_cast<int64_t>(elements.size());
      return fuser::TensorRef{const_cast<void*>(static_cast<const void*>(elements.data())), dtype, {size}, {1}, {}};
    };
    const std::vector<fuser::HostValue> inputs = {
        tensor(x, fuser::DataType::Float), tensor(indices, fuser::DataType::Int64), tensor(u, fuser::DataType::Float)};
    fuser::RunRecord record;
    record.outputs.push_back(tensor(sums, fuser::DataType::Float));
    oracle::JudgeOptions options;
    options.arithmetic.flushesAdds = flushes;
    return oracle::judge(fusion, inputs, record, options).verdict;
  }
};

TEST(FlushedAddsTest, AnAdderThatFlushesIsNeverFlagged) {
  const std::unique_ptr<fuser::Fusion> fusion = fuser::parseFusion(
      "fusion f(%x: f32[i0], %i: i64[i1], %u: f32[i1]) {\n  %y = scatter_add(%x, %i, %u) {dim = 0}\n  return %y\n}");
  std::mt19937_64 random(5);
  int flaggedElsewhere = 0;
  for (int i = 0; i < 2000; ++i) {
    const Sums sums(random);
    const std::vector<float> added = sums.added(random);
    EXPECT_NE(sums.judged(*fusion, added, true), oracle::Verdict::Differs) << "case " << i;
    flaggedElsewhere += sums.judged(*fusion, added, false) == oracle::Verdict::Differs;
  }
  EXPECT_GT(flaggedElsewhere, 200);
}

}  // namespace
}  // namespace oracle_test
