#pragma once
// A row's expression on the host: over arrays of lanes (the interpreter) or one value (host scalars, constant folding).

#include "fuser/ops/op_table.h"
#include "fuser/types/scalar_value.h"

namespace fuser {

// out[i] = op(in0[i], in1[i], in2[i]) for i < lanes. The operands are arrays of the compute type (`where`: in0 is
// bool), out of the compute type, or bool where the row's result is. Unused operands are null.
using LaneFunction = void (*)(const void* in0, const void* in1, const void* in2, void* out, size_t lanes);

// For a compute type (Double, Float, Int64, Int32, Int8, Bool); null where the row does not accept it.
LaneFunction laneFunction(OpKind op, DataType computeDtype);

// One host scalar. Operands are converted to the common dtype first (f64, i64 or bool: see scalarCommonType).
ScalarValue evaluateScalar(OpKind op, std::span<const ScalarValue> operands);

// (mean, squares, count)[i] = joinWelford of them and of those at i + offset, for i < lanes; of arrays of f32 or f64.
using WelfordFunction = void (*)(void* mean, void* squares, int64* count, size_t offset, size_t lanes);
WelfordFunction welfordFunction(DataType dtype);

// Conversion of arrays of storage types: to[i] = convert<To>(from[i]).
using ConvertFunction = void (*)(const void* from, void* to, size_t lanes);
ConvertFunction convertFunction(DataType from, DataType to);

// The common dtype of an op on scalars alone: the widest category, f64 where the row says Float.
DataType scalarCommonType(OpKind op, std::span<const DataType> operands);

}  // namespace fuser
