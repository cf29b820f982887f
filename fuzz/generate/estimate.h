#pragma once
// Estimate: the range that a value's elements are expected in, mirrored while a case is built. It steers data; no
// verdict depends on it.

#include <optional>
#include <span>

#include "fuser/ops/op_table.h"
#include "fuser/types/scalar_value.h"

namespace fuser::fuzz {

struct Estimate {
  double low = 0;
  double high = 1;
  bool certain = true;  // every element lies inside; false: found by sampling, or likely
  bool wild = false;    // may hold NaN or infinities, or anything at all

  double magnitude() const;  // the larger of |low| and |high|
  bool contains(double value) const { return low <= value && value <= high; }
};

Estimate pointEstimate(const ScalarValue& value);
Estimate hull(const Estimate& a, const Estimate& b);

// The largest magnitude that values of the dtype are steered to: well below what it holds.
double saneMagnitude(DataType dtype);
bool isSane(const Estimate& estimate, DataType dtype);

// What a conversion gives; wild where the value does not fit.
Estimate convertEstimate(const Estimate& estimate, DataType from, DataType to);

// Of a pointwise op, its row's expression evaluated at points of the operands' ranges; operands are of the common dtype
// (a Ternary row's first one is bool). Wild where a point gives NaN, an infinity or too large a number.
Estimate pointwiseEstimate(OpKind op, std::span<const Estimate> operands, DataType common);

// Of a reduction over up to `terms` elements (none is possible when mayBeEmpty).
Estimate reductionEstimate(OpKind op, const Estimate& operand, DataType dtype, int64_t terms, bool mayBeEmpty);

// Whether integers in these ranges certainly lie in the row's domain.
bool isDefined(OpKind op, std::span<const Estimate> operands, DataType common);

}  // namespace fuser::fuzz
