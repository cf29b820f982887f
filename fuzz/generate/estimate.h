#pragma once
// Estimate: the expected range of a value's elements, tracked while a case is built. It steers data; no verdict depends
// on it.

#include <optional>
#include <span>

#include "fuser/ops/op_table.h"
#include "fuser/types/scalar_value.h"

namespace fuser::fuzz {

struct Estimate {
  double low = 0;
  double high = 1;
  bool certain = true;  // true: every element is in the range; false: only likely, by sampling
  bool wild = false;    // elements may be NaN, infinite, or anything

  double magnitude() const;  // the larger of |low| and |high|
  bool contains(double value) const { return low <= value && value <= high; }
};

// Nothing is known: any number, NaN and infinities.
Estimate wildEstimate();

Estimate pointEstimate(const ScalarValue& value);
Estimate hull(const Estimate& a, const Estimate& b);

// The largest magnitude to which values of the dtype are steered, well below the dtype's maximum.
double saneMagnitude(DataType dtype);
bool isSane(const Estimate& estimate, DataType dtype);

// The estimate after a conversion; wild if the range does not fit the target dtype.
Estimate convertEstimate(const Estimate& estimate, DataType from, DataType to);

// The estimate of a pointwise op, from its expression at sample points of the operands' ranges. Operands have the
// common dtype (the first one of a Ternary op is bool). Wild if a point gives NaN, infinity or too large a number.
Estimate pointwiseEstimate(OpKind op, std::span<const Estimate> operands, DataType common);

// The estimate of a reduction over at most `terms` elements; over none if mayBeEmpty.
Estimate reductionEstimate(OpKind op, const Estimate& operand, DataType dtype, int64_t terms, bool mayBeEmpty);

// Whether integers in these ranges are certainly in the op's domain.
bool isDefined(OpKind op, std::span<const Estimate> operands, DataType common);

}  // namespace fuser::fuzz
