#include "fuser/gradients/backward_case.h"

#include <algorithm>
#include <optional>

#include "fuser/case/functional_updates.h"
#include "fuser/gradients/differentiate.h"
#include "fuser/ir/verify.h"
#include "fuser/support/set_up_error.h"
#include "fuser/text/give_names.h"

namespace fuser::gradients {
namespace {

// The first seed that no input of the run has.
uint64_t freeSeed(const Run& run) {
  uint64_t seed = 1;
  for (const RunInput& input : run.inputs) {
    if (const auto* tensor = std::get_if<TensorInput>(&input.value)) seed = std::max(seed, tensor->recipe.seed + 1);
  }
  return seed;
}

// The run, with an element for each of an output's. Nothing where it may be rejected, and the outputs have no sizes.
std::optional<Run> withCotangents(const Case& testCase, const Run& run, const std::vector<const Val*>& outputs,
                                  const std::vector<std::string>& names) {
  Run made = run;
  uint64_t seed = freeSeed(run);
  try {
    ExpressionEvaluator sizes(*testCase.fusion);
    bindRun(sizes, testCase, run);
    for (size_t i = 0; i < outputs.size(); ++i) {
      TensorInput input;
      input.recipe.seed = seed++;
      input.dtype = outputs[i]->dtype();
      input.sizes = sizes.sizes(outputs[i]->as<TensorView>());
      made.inputs.push_back({names[i], std::move(input)});
    }
  } catch (const UserError& error) {
    rethrowIfSetUpError(error);
    if (run.expectation == Expectation::Agrees) throw;
    return std::nullopt;
  }
  return made;
}

}  // namespace

void bindRun(ExpressionEvaluator& sizes, const Case& testCase, const Run& run) {
  const RunData data = materialize(testCase, run);
  std::vector<ExpressionEvaluator::InputValue> values;
  for (const auto& input : data.inputs) {
    if (const auto* tensor = std::get_if<size_t>(&input)) {
      values.emplace_back(data.tensors[*tensor].ref);
    } else {
      values.emplace_back(std::get<ScalarValue>(input));
    }
  }
  sizes.bindInputs(values);
}

BackwardCase backwardCase(const Case& statements) {
  const Case testCase = functionalCase(statements);
  BackwardCase made;
  DifferentiatedFusion backward = differentiate(*testCase.fusion);
  made.testCase.metadata = testCase.metadata;
  made.testCase.options = testCase.options;
  made.testCase.fusion = std::move(backward.fusion);
  NamedVals kept;
  for (Val* input : made.testCase.fusion->inputs()) kept.emplace(input->name(), input);
  giveNames(*made.testCase.fusion, kept);
  verify(*made.testCase.fusion);

  if (!statements.aliases.empty()) made.notes.push_back("aliases are left out: their outputs are not computed");
  if (!statements.preallocated.empty()) {
    made.notes.push_back("preallocate is left out: what it gives memory for is not computed");
  }
  if (statements.schedule || !statements.segmentSchedules.empty()) {
    made.notes.push_back("schedules are left out: they are of the fusion before");
  }
  std::vector<std::string> names;
  const std::vector<Val*>& inputs = made.testCase.fusion->inputs();
  for (size_t i = testCase.fusion->inputs().size(); i < inputs.size(); ++i) names.push_back(inputs[i]->name());
  for (size_t i = 0; i < testCase.runs.size(); ++i) {
    const Run& run = testCase.runs[i];
    const bool isRejected = run.expectation == Expectation::Rejected;
    std::optional<Run> kept = isRejected ? std::nullopt : withCotangents(testCase, run, backward.cotangentOf, names);
    if (!kept) {
      made.notes.push_back(concat("run ", i, " is left out: it is rejected"));
      continue;
    }
    made.testCase.runs.push_back(std::move(*kept));
  }
  return made;
}

}  // namespace fuser::gradients
