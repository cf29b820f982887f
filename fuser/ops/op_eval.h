#pragma once
// Evaluates an op of op_table.def on the host: over arrays of lanes (the interpreter) or on one host scalar.

#include "fuser/ops/op_table.h"
#include "fuser/types/scalar_value.h"

namespace fuser {

// out[i] = op(in0[i], in1[i], in2[i]) for i < lanes. Operands and `out` are arrays of the compute type, except that
// in0 of `where` is bool, and so is `out` when the row's result is Bool. Unused operands are null.
using LaneFunction = void (*)(const void* in0, const void* in1, const void* in2, void* out, size_t lanes);

// The function for a compute type (computeType(dtype) == dtype); null when the row does not accept it.
LaneFunction laneFunction(OpKind op, DataType computeDtype);

// Evaluates an op on host scalars, after converting the operands to their common dtype (see scalarCommonType).
ScalarValue evaluateScalar(OpKind op, std::span<const ScalarValue> operands);

// Merges Welford partial results (Chan, Golub, LeVeque 1979): (mean, squares, count)[i] absorbs those at i + offset.
using WelfordFunction = void (*)(void* mean, void* squares, int64* count, size_t offset, size_t lanes);
WelfordFunction welfordFunction(DataType dtype);

// sum + left[0] * right[0] + … of Mma::kTerms products: addProducts (op_math.cuh).
float sumWithProducts(float sum, const float* left, const float* right);

// to[i] = convert<To>(from[i]) for i < lanes, over arrays of storage types.
using ConvertFunction = void (*)(const void* from, void* to, size_t lanes);
ConvertFunction convertFunction(DataType from, DataType to);

// out[i] = bitcast<To>(in0[i]), between a float and the integer that holds its bits: f64 and i64; f32, f16 or bf16 and
// i32 (of 16 bits the low half). Null for other dtypes.
LaneFunction bitcastFunction(DataType from, DataType to);

// The common dtype of an op whose operands are all scalars: the widest category, or f64 when the row promotes to Float.
DataType scalarCommonType(OpKind op, std::span<const DataType> operands);

}  // namespace fuser
