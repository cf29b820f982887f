#pragma once
// True values from MPFR: the correctly rounded result of an op on numbers of its compute dtype.

#include <optional>

#include "fuser/ops/op_kind.h"
#include "fuser/types/dtype.h"

namespace oracle_test {

// Rounded once to the compute dtype (f32 or f64); nullopt for an op without an MPFR function here. b is ignored by
// unary ops.
std::optional<double> trueValue(fuser::OpKind op, double a, double b, fuser::DataType compute);

// The same number in two parts: `high` is it, rounded to f64, and `low` what is left of it, rounded to f64; 0 where
// `high` is no finite number. So it has twice the precision of f64.
struct TrueParts {
  double high = 0;
  double low = 0;
};
std::optional<TrueParts> trueParts(fuser::OpKind op, double a, double b);

}  // namespace oracle_test
