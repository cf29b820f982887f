#pragma once
// The case of a fusion's gradients, with data: what `fuser-opt --backward` prints.

#include <string>
#include <vector>

#include "fuser/case/case.h"
#include "fuser/evaluate/expression_evaluator.h"

namespace fuser::gradients {

struct BackwardCase {
  Case testCase;
  std::vector<std::string> notes;  // what of the given case is left out, a sentence each
};

// differentiate() of the case's functional form (fuser/case/functional_updates.h), whose outputs are those of the
// statements, and the inputs that they write to. It has the case's metadata, options and runs; each run has a cotangent
// for each output, drawn from a normal distribution with a seed of its own. Left out are what names values of the given
// fusion (aliases, memory for outputs, schedules), and runs that are rejected. A UserError as of
// differentiate().
BackwardCase backwardCase(const Case& testCase);

// Binds a run's inputs to an evaluator of the case's fusion. It makes their data: a scalar may be an element of a
// tensor.
void bindRun(ExpressionEvaluator& sizes, const Case& testCase, const Run& run);

}  // namespace fuser::gradients
