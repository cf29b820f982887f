#pragma once
// Formulas of onnx.def, written as calls in calls: "Where(Less(a, 0), Neg(a), a)". Each call is a node; what is written
// twice is one node.
//
//   formula  = call | number | operand
//   call     = Op[<attributes>] "(" formula {"," formula} ")" | helper "(" … ")"
//   operand  = "a", "b", "c": of the op, or of the helper
//
// An op is an operator of ONNX. A helper is a row HELPER of onnx.def, and begins with a small letter. A number has the
// dtype in which the formula computes. In attributes, $T is that dtype, and $W the same with 32 bits at least.

#include <span>
#include <string_view>

#include "fuzz/export/onnx_graph.h"

namespace fuser::fuzz {

// Adds the nodes of a formula. dtype: in which it computes. Returns its value.
OnnxValue addFormula(OnnxGraph& graph, std::string_view formula, std::span<const OnnxValue> operands, DataType dtype);

}  // namespace fuser::fuzz
