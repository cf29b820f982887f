#pragma once
// A case as one of its runs has it: with the fusion that concretize() makes for that run's sizes.

#include <span>
#include <vector>

#include "fuser/case/case.h"
#include "fuser/evaluate/expression_evaluator.h"
#include "fuser/evaluate/run_decisions.h"

namespace fuser {

// What a run gives: one value per input of the fusion, in order. `data` keeps the memory.
std::vector<ExpressionEvaluator::InputValue> inputsOf(const RunData& data);

// What these inputs decide about the fusion. A UserError where sizes do not fit.
RunDecisions decisionsOf(const Fusion& fusion, std::span<const ExpressionEvaluator::InputValue> inputs);

// A copy of the case, which has no updates (functionalCase), with the fusion for these inputs; with the fusion as it is
// where nothing has to be made concrete. Its other runs may have sizes that it is not made for. A UserError as above.
Case concreteCase(const Case& testCase, std::span<const ExpressionEvaluator::InputValue> inputs);
// The same for a run with these decisions.
Case concreteCase(const Case& testCase, const RunDecisions& decisions);

}  // namespace fuser
