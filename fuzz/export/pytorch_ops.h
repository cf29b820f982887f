#pragma once
// One expression of a fusion as a Python expression.

#include <optional>
#include <string>
#include <string_view>

#include "fuzz/export/python_names.h"

namespace fuser::fuzz {

// The right side of the line: "torch.mul(x, 0)". Of scalars it is a number.
std::string pytorchCall(const Expr* expr, const PythonNames& names);

// Why PyTorch cannot say the op; nullopt: it can.
std::optional<std::string_view> whyNotInPytorch(OpKind op);

// "torch.bfloat16"
std::string torchDtype(DataType dtype);

// A number as Python's literal: "0.1", "-torch.inf", "True".
std::string pythonLiteral(const ScalarValue& value);

// "(1, 2)", "(1,)", "()"
std::string pythonTuple(const std::vector<std::string>& entries);

}  // namespace fuser::fuzz
