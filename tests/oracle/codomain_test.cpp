// Results that no argument of a function has: where the library that ran is known to keep to the codomain, its sets do.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>

#include "fuser/ops/op_table.h"
#include "oracle/formulas.h"
#include "oracle/real_rules.h"
#include "tests/in_full.h"

namespace oracle_test {
namespace {

using fuser::DataType;
using fuser::OpKind;
using oracle::Interval;
using oracle::MathLibrary;

Interval imageOf(OpKind op, const Interval& set, DataType compute, MathLibrary library) {
  Interval image;
  oracle::functionRule(op, {&set, 1}, {&image, 1}, compute, library);
  return image;
}

TEST(CodomainTest, KnownLibrariesDoNotLeaveIt) {
  const Interval all{-20, 20, oracle::kZeros};
  for (DataType compute : {DataType::Float, DataType::Double}) {
    for (OpKind op : {OpKind::Sin, OpKind::Cos, OpKind::Erf, OpKind::Tanh}) {
      const Interval open = imageOf(op, all, compute, MathLibrary::Any);
      const Interval closed = imageOf(op, all, compute, MathLibrary::Glibc);
      EXPECT_LT(open.lo, -1) << fuser::opName(op);
      EXPECT_GT(open.hi, 1) << fuser::opName(op);
      const bool known = op != OpKind::Tanh || compute == DataType::Float;
      EXPECT_EQ(oracle::keepsToUnit(op, compute, MathLibrary::Glibc), known);
      EXPECT_EQ(closed.lo, known ? -1 : open.lo) << fuser::opName(op);
      EXPECT_EQ(closed.hi, known ? 1 : open.hi) << fuser::opName(op);
    }
  }
}

// Its steps are correctly rounded, but for exp, which is not negative.
TEST(CodomainTest, TheSigmoidKeepsToItByItsSteps) {
  for (DataType compute : {DataType::Float, DataType::Double}) {
    const std::vector<Interval> operand{{-200, 200, oracle::kZeros}};
    const std::vector<Interval> image = oracle::formulaRule(OpKind::Sigmoid, {&operand, 1}, compute);
    EXPECT_GE(image[0].lo, 0);
    EXPECT_LE(image[0].hi, 1);
  }
}

#ifdef __GLIBC__
float valueOf(OpKind op, float operand) {
  switch (op) {
    case OpKind::Sin: return std::sin(operand);
    case OpKind::Cos: return std::cos(operand);
    case OpKind::Erf: return std::erf(operand);
    default: return std::tanh(operand);
  }
}

// The claim of keepsToUnit() for f32: with FUSER_FULL, of every operand.
TEST(CodomainTest, EveryResultOfTheCLibraryLiesInIt) {
  const uint64_t step = fuser::inFull() ? 1 : 4093;
  for (OpKind op : {OpKind::Sin, OpKind::Cos, OpKind::Erf, OpKind::Tanh}) {
    ASSERT_TRUE(oracle::keepsToUnit(op, DataType::Float, MathLibrary::Glibc));
    uint64_t outside = 0;
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += step) {
      outside += std::fabs(valueOf(op, std::bit_cast<float>(static_cast<uint32_t>(bits)))) > 1;
    }
    EXPECT_EQ(outside, 0u) << fuser::opName(op);
  }
}
#endif

}  // namespace
}  // namespace oracle_test
