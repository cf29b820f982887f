#pragma once
// One expression of a fusion as lines of a StableHLO function.

#include <functional>
#include <optional>
#include <string_view>

#include "fuser/evaluate/expression_evaluator.h"
#include "fuzz/export/stablehlo_body.h"

namespace fuser::fuzz {

// The value of the function that a value of the fusion is.
using StablehloValueOf = std::function<StablehloValue(const Val*)>;

// Adds the lines of an expression; they end with values that are called as `valueOf` its outputs says. sizes: of the
// run. typeOf: the comment behind a value.
void addStablehloLines(StablehloBody& body, const Expr* expr, ExpressionEvaluator& sizes,
                       const StablehloValueOf& valueOf, const std::function<std::string(const Val*)>& typeOf);

// Why StableHLO cannot say the expression: the sentence of its specification; nullopt: it can.
std::optional<std::string_view> whyNotInStablehlo(const Expr* expr);

}  // namespace fuser::fuzz
