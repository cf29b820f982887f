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
  return {values.data(), dtype, {static_cast<int64_t>(kCount)}, {1}, {}};
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

using Operands = std::vector<std::variant<fuser::TensorRef, double>>;

// The numbers of another half of memory, so that two operands differ: arrays have kCount / 2 more than they show.
fuser::TensorRef shifted(fuser::TensorRef array) {
  array.data = static_cast<std::byte*>(array.data) + kCount / 2 * fuser::dtypeSize(array.dtype);
  return array;
}

// The scalar in one place of a row. Other operands in braces are 2, a condition is true, and the rest is the array.
Operands operandsOf(OpKind op, size_t place, const fuser::TensorRef& array, const fuser::TensorRef& truths,
                    double scalar) {
  const size_t count = fuser::operandCount(op), firstNamed = count - fuser::namedOperands(op).size();
  Operands operands;
  for (size_t i = 0; i < count; ++i) {
    if (i == place)
      operands.emplace_back(scalar);
    else if (i >= firstNamed)
      operands.emplace_back(2.0);
    else
      operands.emplace_back(fuser::takesCondition(op, i) ? truths : i == 0 ? array : shifted(array));
  }
  return operands;
}

// Where LibTorch takes a number, or a tensor of no axes that counts as one.
bool takesScalar(OpKind op, size_t place) {
  if (op == OpKind::Lerp) return place == 2;
  return place > 0 && !fuser::takesCondition(op, place);
}

template <class T>
Counts mismatches(OpKind op, size_t place, DataType dtype) {
  std::mt19937 random(static_cast<unsigned>(op) * 16 + static_cast<unsigned>(dtype));
  std::vector<T> narrow(kCount + kCount / 2);
  std::vector<float> wide(narrow.size());
  // The scalar of `where` is what it chooses.
  std::vector<uint8_t> truths(narrow.size(), place == 1);
  Counts counts;
  for (int round = 0; round < 64; ++round) {
    double scalar = std::uniform_real_distribution<double>(round % 2 ? 0.01 : -3, 3)(random);
    if (op == OpKind::Hardshrink || op == OpKind::Softshrink) scalar = std::fabs(scalar);  // LibTorch asks for it
    if (round % 8 == 7 && op >= OpKind::LogicalAnd && op <= OpKind::LogicalXor)
      scalar = 1e-42;  // true in f32, zero in f16 and bf16
    for (size_t i = 0; i < narrow.size(); ++i) {
      // Values next to the scalar tell comparisons, maximum and minimum apart.
      const double near = scalar * (1 + std::uniform_real_distribution<double>(-0.01, 0.01)(random));
      // Softplus compares twice its operand.
      const double value =
          i % 2 ? (op == OpKind::Softplus ? near / 2 : near) : std::uniform_real_distribution<double>(-8, 8)(random);
      narrow[i] = fuser::convert<T>(static_cast<float>(value));
      wide[i] = fuser::widen(narrow[i]);
    }
    const auto evaluated = [&](const fuser::TensorRef& array, double number) {
      return reference::evaluateWithScalar(op, operandsOf(op, place, array, refOf(truths, DataType::Bool), number));
    };
    const auto actual = evaluated(refOf(narrow, dtype), scalar);
    EXPECT_EQ(actual.dtype, fuser::opInfo(op).result == fuser::Result::Bool ? DataType::Bool : dtype)
        << fuser::opName(op) << ": a number does not change the dtype of an array";
    const auto kept = evaluated(refOf(wide, DataType::Float), static_cast<double>(static_cast<float>(scalar)));
    const auto first = evaluated(refOf(wide, DataType::Float), rounded(scalar, dtype));
    for (size_t i = 0; i < kCount; ++i) {
      counts.keep += !same(actual.values[i], rounded(kept.values[i], dtype));
      counts.round += !same(actual.values[i], rounded(first.values[i], dtype));
    }
  }
  return counts;
}

Counts mismatchesOf(OpKind op, size_t place, DataType dtype) {
  return dtype == DataType::Half ? mismatches<fuser::Half>(op, place, dtype)
                                 : mismatches<fuser::BFloat16>(op, place, dtype);
}

// maximum and its kin give one of the operands, threshold its value, copysign takes a sign: rounding before or after is
// the same.
bool isIndifferent(OpKind op, size_t place) {
  return (op == OpKind::Threshold && place == 2) || op == OpKind::Maximum || op == OpKind::Minimum ||
         op == OpKind::Fmax || op == OpKind::Fmin || op == OpKind::ClampMin || op == OpKind::ClampMax ||
         op == OpKind::Copysign || op == OpKind::Where || op == OpKind::Clamp || op == OpKind::Hardtanh;
}

TEST(ScalarOperandTest, ColumnIsLibTorchs) {
  reference::useOneThread();
  for (OpKind op : fuser::kAllOps) {
    const fuser::OpInfo& info = fuser::opInfo(op);
    if (info.family != fuser::Family::Binary && info.family != fuser::Family::Ternary) continue;
    for (DataType dtype : {DataType::Half, DataType::BFloat16}) {
      if (!fuser::acceptsDtype(op, dtype)) continue;
      if (op == OpKind::Celu) continue;  // 1 / alpha is taken in f64 there, in the compute dtype here
      if (op == OpKind::Xlogy)
        continue;  // its logarithm is rounded to 16 bits there, which hides the scalar's rounding
      for (size_t place = 0; place < fuser::operandCount(op); ++place) {
        if (!takesScalar(op, place)) continue;
        const Counts counts = mismatchesOf(op, place, dtype);
        const bool keeps = info.scalar == ScalarOperand::Keep;
        EXPECT_EQ(keeps ? counts.keep : counts.round, 0) << info.name << " of " << dtype << ", operand " << place;
        if (!isIndifferent(op, place)) {
          EXPECT_GT(keeps ? counts.round : counts.keep, 0)
              << info.name << " of " << dtype << ", operand " << place << ": the data tell nothing apart";
        }
      }
    }
  }
}

}  // namespace
