#pragma once
// One expression of a fusion as nodes of an ONNX model.

#include <functional>
#include <optional>
#include <string_view>

#include "fuser/evaluate/expression_evaluator.h"
#include "fuzz/export/onnx_graph.h"

namespace fuser::fuzz {

// The value of the model that a value of the fusion is.
using OnnxValueOf = std::function<OnnxValue(const Val*)>;

// Adds the nodes of an expression; they end with nodes that are called as `nameOf` its outputs says. sizes: of the run.
void addOnnxNodes(OnnxGraph& graph, const Expr* expr, ExpressionEvaluator& sizes, const OnnxValueOf& valueOf,
                  const std::function<std::string(const Val*)>& typeOf);

// Why ONNX cannot say the expression: the sentence of its specification; nullopt: it can.
std::optional<std::string_view> whyNotInOnnx(const Expr* expr);

}  // namespace fuser::fuzz
