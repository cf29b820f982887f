#pragma once
// Programs of a case in a format with sizes as literals: one a run, with the bytes of its inputs beside it.

#include <functional>
#include <string>
#include <string_view>

#include "fuser/evaluate/expression_evaluator.h"
#include "fuzz/export/export.h"

namespace fuser::fuzz {

struct RunFormat {
  std::string_view ending;   // of a run's file, behind ".run_0"
  std::string_view comment;  // "# ": how lines of comments begin
  // Why the format cannot say an expression: the sentence of its specification; nullopt: it can.
  std::optional<std::string_view> (*whyNot)(const Expr*);
  // The text of a run's program; sizes: bound to the run's inputs.
  std::string (*write)(const Fusion&, ExpressionEvaluator& sizes);
};

// Runs whose data does not fit the fusion are left out, and a comment says so.
Exported exportEachRun(const Case& testCase, const RunFormat& format);

}  // namespace fuser::fuzz
