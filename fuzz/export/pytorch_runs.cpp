#include "fuzz/export/pytorch_runs.h"

#include "fuser/case/aliases.h"
#include "fuser/evaluate/expression_evaluator.h"
#include "fuser/support/set_up_error.h"
#include "fuzz/export/export.h"
#include "fuzz/export/run_data.h"

namespace fuser::fuzz {
namespace {

constexpr int64_t kMostLiterals = 16;  // elements of a tensor that are written down although a recipe makes them

std::string dimsTuple(const Dims& dims) {
  std::vector<std::string> entries;
  for (int64_t dim : dims) entries.push_back(concat(dim));
  return pythonTuple(entries);
}

// "[1.0, 2.0, …]", in lines of at most 110 columns, the next ones indented.
std::string wrappedList(const std::vector<std::string>& entries) {
  constexpr size_t kColumns = 110, kIndent = 8, kFirst = 30;
  std::string text = "[";
  size_t column = kFirst;
  for (size_t i = 0; i < entries.size(); ++i) {
    const bool wraps = column + entries[i].size() + 2 > kColumns;
    if (i > 0) text += wraps ? "," : ", ";
    if (wraps) text += "\n" + std::string(kIndent, ' ');
    text += entries[i];
    column = (wraps ? kIndent : column) + entries[i].size() + 2;
  }
  return text + "]";
}

// Elements in logical order.
std::vector<std::string> literalsOf(const TensorRef& ref) {
  std::vector<std::string> literals;
  forEachElement(
      ref, [&](const char* element, size_t) { literals.push_back(pythonLiteral(elementAt(ref.dtype, element))); });
  return literals;
}

std::string recipeText(const Recipe& recipe, const TensorRef& ref) {
  const auto number = [](double value) { return pythonLiteral(ScalarValue(value)); };
  const auto whole = [](double value) { return static_cast<int64_t>(value); };
  if (recipe.kind == RecipeKind::Values || numel(ref.sizes) <= kMostLiterals)
    return concat("values(", wrappedList(literalsOf(ref)), ")");
  switch (recipe.kind) {
    case RecipeKind::Normal: return concat("normal(seed=", recipe.seed, ")");
    case RecipeKind::Special: return concat("special(seed=", recipe.seed, ")");
    case RecipeKind::Uniform:
      return concat("uniform(seed=", recipe.seed, ", low=", number(recipe.low), ", high=", number(recipe.high), ")");
    case RecipeKind::Integers:
      return concat("integers(seed=", recipe.seed, ", low=", whole(recipe.low), ", high=", whole(recipe.high), ")");
    case RecipeKind::Values:
    case RecipeKind::View: break;
  }
  FUSER_CHECK(false, "a view has no recipe");
}

std::string layoutText(const TensorRef& ref, int64_t offset) {
  std::string text;
  if (ref.strides != contiguousStrides(ref.sizes)) text += concat(", strides=", dimsTuple(ref.strides));
  if (offset != 0) text += concat(", offset=", offset);
  return text;
}

std::string placedText(const TensorInput& input, const TensorRef& ref) {
  std::string text = concat("place(", recipeText(input.recipe, ref), ", ", torchDtype(ref.dtype), ", ",
                            dimsTuple(ref.sizes), layoutText(ref, input.offset));
  const bool drawn = input.recipe.kind != RecipeKind::Values && numel(ref.sizes) > kMostLiterals;
  if (const std::optional<Peak>& peak = input.recipe.peak; peak && drawn) {
    text += concat(", peak=(", pythonLiteral(ScalarValue(peak->value)), ", ", peak->axis, ", ", peak->index, ")");
  }
  return text + ")";
}

// The lines that make the inputs, those that own their memory first.
std::string inputLines(const Case& testCase, const Run& run, const RunData& data, const PythonNames& names) {
  std::string owners, views;
  for (size_t i = 0; i < run.inputs.size(); ++i) {
    const std::string start = concat("    ", names.of(testCase.fusion->inputs()[i]), " = ");
    if (const ScalarValue* scalar = std::get_if<ScalarValue>(&run.inputs[i].value)) {
      owners += concat(start, pythonLiteral(*scalar), "\n");
      continue;
    }
    const auto& input = std::get<TensorInput>(run.inputs[i].value);
    const TensorRef& ref = data.tensors[std::get<size_t>(data.inputs[i])].ref;
    if (input.recipe.kind != RecipeKind::View) {
      owners += concat(start, placedText(input, ref), "\n");
      continue;
    }
    const std::string base =
        names.of(testCase.fusion->inputs()[indexOfNamed(testCase.fusion->inputs(), input.recipe.viewOf)]);
    views += concat(start, "torch.as_strided(", base, ", ", dimsTuple(ref.sizes), ", ", dimsTuple(ref.strides), ", ",
                    base, ".storage_offset() + ", input.offset, ")\n");
  }
  return owners + views;
}

// The lines that make the memory that the caller gives for outputs.
std::string memoryLines(const Case& testCase, const RunData& data, const PythonNames& names) {
  if (testCase.preallocated.empty()) return "";
  std::string lines;
  ExpressionEvaluator sizes = boundSizes(testCase, data);
  for (const PreallocatedOutput& given : testCase.preallocated) {
    const std::vector<Val*>& outputs = testCase.fusion->outputs();
    const auto* output = outputs[indexOfNamed(outputs, given.output)]->as<TensorView>();
    const TensorRef ref = materialize(given, output->dtype(), sizes.sizes(output), kMaxExportBytes).ref;
    lines += concat("    ", memoryName(names, output), " = memory(", torchDtype(ref.dtype), ", ", dimsTuple(ref.sizes),
                    ", ", dimsTuple(ref.strides), given.offset == 0 ? "" : concat(", offset=", given.offset), ")\n");
  }
  return lines;
}

std::string returned(const Case& testCase, const PythonNames& names) {
  std::vector<std::string> entries;
  for (const Val* input : testCase.fusion->inputs()) entries.push_back(names.of(input));
  for (const PreallocatedOutput& given : testCase.preallocated) {
    const std::vector<Val*>& outputs = testCase.fusion->outputs();
    entries.push_back(memoryName(names, outputs[indexOfNamed(outputs, given.output)]));
  }
  return concat("    return ", pythonTuple(entries), "\n");
}

std::string_view note(Expectation expectation) {
  switch (expectation) {
    case Expectation::Agrees: return "";
    case Expectation::Rejected: return "  # fuser rejects it";
    case Expectation::AgreesOrRejected: return "  # fuser may reject it";
  }
  FUSER_CHECK(false, "bad Expectation");
}

std::string runFunction(const Case& testCase, size_t index, const PythonNames& names) {
  const Run& run = testCase.runs[index];
  const RunData data = materialize(testCase, run, kMaxExportBytes);
  return concat("def run_", index, "():", note(run.expectation), "\n", inputLines(testCase, run, data, names),
                memoryLines(testCase, data, names), returned(testCase, names));
}

}  // namespace

std::string memoryName(const PythonNames& names, const Val* output) { return names.of(output) + "__out"; }

PytorchRuns pytorchRuns(const Case& testCase, const PythonNames& names) {
  PytorchRuns runs;
  for (size_t i = 0; i < testCase.runs.size(); ++i) {
    try {
      runs.functions += runFunction(testCase, i, names);
      runs.names += concat(runs.names.empty() ? "" : " ", "run_", i, ",");
    } catch (const UserError& error) {
      rethrowIfSetUpError(error);
      const std::string why = error.what();
      runs.functions +=
          concat("# run_", i, " is left out, its data does not fit: ", why.substr(0, why.find('\n')), "\n");
    }
    runs.functions += "\n\n";
  }
  return runs;
}

}  // namespace fuser::fuzz
