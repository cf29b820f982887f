// Pins how LibTorch takes a scalar operand beside a tensor of 16 bits, and holds the op table's `scalar` column against
// it.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "fuser/ops/op_table.h"
#include "oracle/reference/reference.h"

namespace {

using fuser::DataType;
using fuser::OpKind;
using fuser::ScalarOperand;

constexpr size_t kCount = 512;

template <class T>
fuser::TensorRef refOf(std::vector<T>& values, DataType dtype) {
  const int64_t count = static_cast<int64_t>(values.size());
  return {values.data(), dtype, {count}, {1}, {}};
}

double rounded(double value, DataType dtype) {
  return fuser::dispatch(dtype, [&]<class T>() { return static_cast<double>(fuser::widen(fuser::convert<T>(value))); });
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// What LibTorch gives on 16 bits, against f32 arithmetic with the scalar kept, or rounded first.
struct Counts {
  int keep = 0;
  int round = 0;
};

template <class T>
Counts mismatches(OpKind op, DataType dtype) {
  std::mt19937 random(static_cast<unsigned>(op) * 16 + static_cast<unsigned>(dtype));
  std::vector<T> narrow(kCount);
  std::vector<float> wide(kCount);
  Counts counts;
  for (int round = 0; round < 64; ++round) {
    double scalar = std::uniform_real_distribution<double>(round % 2 ? 0.01 : -3, 3)(random);
    if (op == OpKind::Hardshrink || op == OpKind::Softshrink) scalar = std::fabs(scalar);  // LibTorch asks for it
    if (round % 8 == 7 && op >= OpKind::LogicalAnd) scalar = 1e-42;  // true in f32, zero in f16 and bf16
    for (size_t i = 0; i < kCount; ++i) {
      // Values next to the scalar tell comparisons, maximum and minimum apart.
      const double near = scalar * (1 + std::uniform_real_distribution<double>(-0.01, 0.01)(random));
      const double value = i % 2 ? near : std::uniform_real_distribution<double>(-8, 8)(random);
      narrow[i] = fuser::convert<T>(static_cast<float>(value));
      wide[i] = fuser::widen(narrow[i]);
    }
    const auto actual = reference::evaluateWithScalar(op, refOf(narrow, dtype), scalar);
    const auto kept = reference::evaluateWithScalar(op, refOf(wide, DataType::Float),
                                                    static_cast<double>(static_cast<float>(scalar)));
    const auto first = reference::evaluateWithScalar(op, refOf(wide, DataType::Float), rounded(scalar, dtype));
    for (size_t i = 0; i < kCount; ++i) {
      counts.keep += !same(actual.values[i], rounded(kept.values[i], dtype));
      counts.round += !same(actual.values[i], rounded(first.values[i], dtype));
    }
  }
  return counts;
}

Counts mismatchesOf(OpKind op, DataType dtype) {
  return dtype == DataType::Half ? mismatches<fuser::Half>(op, dtype) : mismatches<fuser::BFloat16>(op, dtype);
}

// maximum and its kin give one of the operands, copysign takes a sign: rounding before or after is the same.
bool isIndifferent(OpKind op) {
  return op == OpKind::Maximum || op == OpKind::Minimum || op == OpKind::Fmax || op == OpKind::Fmin ||
         op == OpKind::ClampMin || op == OpKind::ClampMax || op == OpKind::Copysign;
}

TEST(ScalarOperandTest, ColumnIsLibTorchs) {
  reference::useOneThread();
  for (OpKind op : fuser::kAllOps) {
    const fuser::OpInfo& info = fuser::opInfo(op);
    if (info.family != fuser::Family::Binary) continue;
    for (DataType dtype : {DataType::Half, DataType::BFloat16}) {
      if (!fuser::acceptsDtype(op, dtype)) continue;
      if (op == OpKind::Xlogy) continue;  // its logarithm is rounded to 16 bits there, which hides the scalar's rounding
      const Counts counts = mismatchesOf(op, dtype);
      const bool keeps = info.scalar == ScalarOperand::Keep;
      EXPECT_EQ(keeps ? counts.keep : counts.round, 0) << info.name << " of " << dtype;
      if (!isIndifferent(op)) {
        EXPECT_GT(keeps ? counts.round : counts.keep, 0)
            << info.name << " of " << dtype << ": the data tell nothing apart";
      }
    }
  }
}

}  // namespace
