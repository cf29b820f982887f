#pragma once
// Profile: what a compiler other than ours may do by right (oracle/ORACLE.md#10-profiles). Data only.

#include <vector>

#include "fuser/ops/op_kind.h"
#include "fuser/types/dtype.h"

namespace oracle {

// How far a compiler's function was measured to be off, doubled.
struct FunctionError {
  fuser::OpKind op;
  fuser::DataType dtype;  // of the operands and of the result
  double ulps;            // of the dtype at the true value
  double most;            // of operands up to this magnitude: beyond it nothing is known
};

// Each liberty may be taken at one place and not at the next one. Without any, an op is still judged only where IEEE
// 754 fixes its result or its function was measured, and sums may take any order.
struct Profile {
  bool contraction = false;         // a product may stay unrounded in a sum that takes it
  bool excessPrecision = false;     // a result of 16 bits may stay in f32
  bool narrowAccumulation = false;  // partial results of a reduction of 16 bits may be rounded to them
  bool flushToZero = false;         // a denormal operand or result of f32 or f64 may be a zero
  bool reciprocals = false;         // a quotient may be a product with the rounded reciprocal
  bool numberBesideNan = false;     // a maximum or minimum of a NaN and a number may be the number
  bool anyOverflow = false;         // an integer op that overflows may give any integer
  bool anyConversion = false;       // a number that an integer dtype does not hold may become any integer
  std::vector<FunctionError> functions;
};

// The row of the function, or null.
const FunctionError* errorOf(const Profile& profile, fuser::OpKind op, fuser::DataType dtype);

// Whether results of the op, computed in the dtype, are judged under the profile at all: by IEEE 754, exactly, or by a
// row.
bool isJudged(const Profile& profile, fuser::OpKind op, fuser::DataType dtype);

}  // namespace oracle
