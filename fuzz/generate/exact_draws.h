#pragma once
// Exact data (GeneratorOptions::exactData): what a case draws so that most of its results are exact in every order and
// precision, and so that it has what compilers treat as special. The policies are rows of exact_draws.def, the demands
// on operands rows of exact_operands.def.
//
// No verdict depends on any of this: what is exact is decided from the reference's values (fuzz/compilers).

#include <span>

#include "fuzz/generate/estimate.h"
#include "fuzz/generate/policy.h"

namespace fuser::fuzz {

// Replaces what the policy has by a row's: length, dtypes, main shape, layouts, weights of families.
void drawExactly(Choices& choices, const GeneratorOptions& options, Policy& policy);
// The names of the rows.
std::vector<std::string_view> exactDraws();

// The largest magnitude to which values of the dtype are steered: multiples of 1/8 up to it are numbers of the dtype.
double exactMagnitude(DataType dtype);

// Whether the result is likely to be exact: it is not wide, and the last operand is what the op demands.
bool isLikelyExact(OpKind op, std::span<const Estimate> operands, const Estimate& result, DataType common);

// Whether a reduction of so many elements in this range stays narrow enough; and whether their number divides exactly.
bool combinesExactly(OpKind op, const Estimate& operand, DataType dtype, int64_t terms);
bool hasExactCount(OpKind op, int64_t terms);

// Whether a host scalar is a small multiple of 1/8, or no float.
bool isExactScalar(const ScalarValue& value);

}  // namespace fuser::fuzz
