#pragma once
// Ops of a float type (T: float or double) with errors that their rows permit, for an engine that is correct at its
// worst.

#include <random>

#include "fuser/ops/op_table.h"

namespace oracle_test {

// A library function, off by at most `errorScale` times its row's error column, in ulps from the correctly rounded
// value. `y` is read by functions of two operands.
template <class T>
T erroneousFunction(fuser::OpKind op, T x, T y, double errorScale, std::mt19937_64& random);

// A row of the rule Formula: the printed expression, in which each library function is erroneous by itself.
template <class T>
T erroneousFormula(fuser::OpKind op, T a, T b, T c, double errorScale, std::mt19937_64& random);

}  // namespace oracle_test
