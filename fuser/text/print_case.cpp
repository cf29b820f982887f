// Case -> text: everything except the fusion.

#include <algorithm>

#include "fuser/text/option_table.h"
#include "fuser/text/print_statements.h"
#include "fuser/text/printer.h"
#include "fuser/text/token_rules.h"
#include "fuser/text/transform_table.h"
#include "fuser/tokens/literals.h"

namespace fuser {
namespace {

constexpr size_t kLineWidth = 120;

// --- schedules ---

std::string integerList(const std::vector<int64_t>& values) {
  std::string out = "[";
  for (size_t i = 0; i < values.size(); ++i) out += concat(i ? ", " : "", values[i]);
  return out + "]";
}

std::string fieldValue(const Transform& transform, text::TransformField field) {
  switch (field) {
    case text::TransformField::Axis:
    case text::TransformField::Position:
    case text::TransformField::Row:
    case text::TransformField::Stages:
    case text::TransformField::Operand: return concat(transform.axis);
    case text::TransformField::Factor:
    case text::TransformField::Prefetch:
    case text::TransformField::Elements: return concat(transform.factor);
    case text::TransformField::Type: return std::string(parallelTypeName(transform.type));
    case text::TransformField::Memory: return std::string(memoryTypeName(transform.memory));
    case text::TransformField::IndexType: return std::string(text::indexTypeName(transform.indexType));
    case text::TransformField::Axes: return integerList(transform.axes);
    case text::TransformField::Old2New: break;
  }
  std::string out = "[";
  for (const auto& [from, to] : transform.old2new) out += concat(out.size() > 1 ? ", " : "", from, " -> ", to);
  return out + "]";
}

std::string printScheduleSection(const std::string& header, const Schedule& schedule) {
  std::string out = header + " {\n";
  for (const Transform& transform : schedule) out += "  " + printTransform(transform) + "\n";
  return out + "}\n";
}

// --- runs ---

// "name = [a, b, …]" with line breaks where lines grow long.
std::string printValues(const std::vector<ScalarValue>& values) {
  std::string out = "values [";
  size_t column = out.size() + 8;
  for (size_t i = 0; i < values.size(); ++i) {
    const std::string entry = concat(values[i], i + 1 < values.size() ? "," : "");
    if (column + entry.size() + 1 > kLineWidth) {
      out += "\n    ";
      column = 4;
    } else if (i) {
      out += " ";
    }
    out += entry;
    column += entry.size() + 1;
  }
  return out + "]";
}

std::string printPeak(const Recipe& recipe) {
  if (!recipe.peak) return "";
  const auto& [value, axis, index] = *recipe.peak;
  return concat(", peak = ", ScalarValue(value), ", axis = ", axis, ", index = ", index);
}

std::string printRecipe(const Recipe& recipe) {
  switch (recipe.kind) {
    case RecipeKind::Normal: return concat("normal(seed = ", recipe.seed, printPeak(recipe), ")");
    case RecipeKind::Special: return concat("special(seed = ", recipe.seed, ")");
    case RecipeKind::Uniform:
      return concat("uniform(seed = ", recipe.seed, ", low = ", ScalarValue(recipe.low),
                    ", high = ", ScalarValue(recipe.high), printPeak(recipe), ")");
    case RecipeKind::Integers:
      return concat("integers(seed = ", recipe.seed, ", low = ", static_cast<int64_t>(recipe.low),
                    ", high = ", static_cast<int64_t>(recipe.high), printPeak(recipe), ")");
    case RecipeKind::Values: return printValues(recipe.values);
    case RecipeKind::View: return "view of %" + recipe.viewOf;
  }
  FUSER_CHECK(false, "bad RecipeKind");
}

std::string printInput(const TensorInput& input) {
  std::string layout;
  if (input.strides) layout = concat("strides = ", *input.strides);
  if (input.offset != 0) layout += concat(layout.empty() ? "" : ", ", "offset = ", input.offset);
  if (!layout.empty()) layout = " {" + layout + "}";
  return concat(printRecipe(input.recipe), " : ", input.dtype, input.sizes, layout);
}

std::string printRun(const Run& run, const std::vector<std::string>& inputNames) {
  FUSER_CHECK(run.inputs.size() == inputNames.size(), "a run has a value for each input");
  std::string out = "run {\n";
  for (size_t i = 0; i < run.inputs.size(); ++i) {
    const ScalarValue* scalar = std::get_if<ScalarValue>(&run.inputs[i].value);
    out += concat("  %", inputNames[i], " = ",
                  scalar ? scalar->toString() : printInput(std::get<TensorInput>(run.inputs[i].value)), "\n");
  }
  return out + "}\n";
}

std::string_view expectationText(Expectation expectation) {
  switch (expectation) {
    case Expectation::Agrees: return "agrees";
    case Expectation::Rejected: return "rejected";
    case Expectation::AgreesOrRejected: return "agrees or rejected";
  }
  FUSER_CHECK(false, "bad Expectation");
}

// Plain if it parses back to the same value, otherwise a quoted string.
std::string metadataValue(const std::string& value) {
  bool plain = !value.empty() && value.front() != ' ' && value.back() != ' ' && value.front() != '"';
  for (char c : value) plain = plain && c >= ' ' && c <= '~';
  return plain ? value : quote(value);
}

}  // namespace

std::string printTransform(const Transform& transform) {
  const text::TransformForm& form = text::transformForm(transform.kind);
  std::string out(form.name);
  if (form.tensor) out += " %" + transform.tensor;
  if (form.consumer) out += " %" + transform.other;
  std::string fields;
  for (text::TransformField field : form.fields) {
    fields += concat(fields.empty() ? "" : ", ", text::fieldName(field), " = ", fieldValue(transform, field));
  }
  if (!fields.empty()) out += " {" + fields + "}";
  if (form.makesTensor) out += " -> %" + transform.other;
  return out;
}

std::string printSchedule(const Schedule& schedule) {
  std::string out;
  for (const Transform& transform : schedule) out += printTransform(transform) + "\n";
  return out;
}

std::string printOptions(const CompileOptions& options) {
  std::string out;
  const CompileOptions defaults;
  for (const OptionInfo& option : optionTable()) {
    const size_t value = option.get(options);
    if (value == option.get(defaults)) continue;
    if (option.isSwitch()) {
      out += concat("option ", value ? "enable " : "disable ", option.name, "\n");
    } else if (option.number) {
      out += concat("option ", option.name, " = ", value - 1, "\n");
    } else {
      out += concat("option ", option.name, " = \"", option.values.at(value), "\"\n");
    }
  }
  if (!options.fault.empty()) out += concat("option fault = \"", options.fault, "\"\n");
  for (const std::string& pass : options.disabledPasses) out += concat("option disable pass ", pass, "\n");
  return out;
}

// In the order of the fusion's text.
static std::vector<const TensorView*> tensorsOf(const Fusion& fusion) {
  std::vector<const TensorView*> tensors;
  const auto add = [&](const Val* val) {
    if (val->isTensor()) tensors.push_back(val->as<TensorView>());
  };
  for (const Val* input : fusion.inputs()) add(input);
  for (const Expr* expr : fusion.exprs()) {
    for (const Val* output : expr->outputs()) add(output);
  }
  return tensors;
}

static std::string printStreams(const Fusion& fusion) {
  if (!fusion.hasStreams()) return "";
  const ValueNames names(fusion);
  std::string out;
  for (const TensorView* tensor : tensorsOf(fusion)) {
    const std::optional<size_t> axis = tensor->streamAxis();
    if (axis && !tensor->isFusionInput()) out += concat("stream %", names.of(tensor), " {dim = ", *axis, "}\n");
  }
  return out;
}

static std::string printPreallocated(const PreallocatedOutput& memory) {
  const auto isPlain = [](const std::vector<int64_t>& order) { return std::is_sorted(order.begin(), order.end()); };
  std::string fields;
  const auto add = [&](const std::string& field) { fields += concat(fields.empty() ? "" : ", ", field); };
  if (!isPlain(memory.order)) add("allocation_order = " + integerList(memory.order));
  if (std::any_of(memory.gaps.begin(), memory.gaps.end(), [](int64_t gap) { return gap != 0; })) {
    add("gaps = " + integerList(memory.gaps));
  }
  if (memory.offset != 0) add(concat("offset = ", memory.offset));
  return concat("preallocate %", memory.output, fields.empty() ? "" : concat(" {", fields, "}"), "\n");
}

static std::string printDevices(const Fusion& fusion) {
  if (!fusion.hasDevices()) return "";
  const ValueNames names(fusion);
  std::string meshes, shards;
  for (const TensorView* tensor : tensorsOf(fusion)) {
    const DeviceMesh& mesh = tensor->domain().mesh;
    if (!mesh.empty()) meshes += concat("mesh %", names.of(tensor), " {devices = ", toString(mesh), "}\n");
    const std::vector<IterDomain*> axes = tensor->axes();
    for (size_t axis = 0; axis < axes.size(); ++axis) {
      if (axes[axis]->parallelType() != ParallelType::DIDx) continue;
      shards += concat("shard %", names.of(tensor), " {dim = ", axis, ", type = DIDx}\n");
    }
  }
  return concat("mesh {devices = ", toString(fusion.mesh()), "}\n", meshes, shards);
}

std::string printCase(const Case& testCase) { return printCase(testCase, printFusion(*testCase.fusion)); }

std::string printCase(const Case& testCase, const std::string& fusionText) {
  std::string out;
  for (const auto& [key, value] : testCase.metadata) {
    FUSER_CHECK(text::isName(key), "metadata key '", key, "' is not a name");
    out += concat("#: ", key, " = ", metadataValue(value), "\n");
  }
  out += fusionText;
  for (const auto& [output, input] : testCase.aliases) out += concat("alias %", output, " -> %", input, "\n");
  out += printOptions(testCase.options);
  out += printDevices(*testCase.fusion);
  out += printStreams(*testCase.fusion);
  for (const PreallocatedOutput& memory : testCase.preallocated) out += printPreallocated(memory);
  if (testCase.schedule) out += printScheduleSection("schedule", *testCase.schedule);
  for (const auto& [segment, schedule] : testCase.segmentSchedules) {
    out += printScheduleSection(concat("schedule segment ", segment), schedule);
  }
  const ValueNames names(*testCase.fusion);
  std::vector<std::string> inputNames;
  for (const Val* input : testCase.fusion->inputs()) inputNames.push_back(names.of(input));
  for (size_t i = 0; i < testCase.runs.size(); ++i) {
    out += printRun(testCase.runs[i], inputNames);
    const Expectation expectation = testCase.runs[i].expectation;
    if (i + 1 == testCase.runs.size() || testCase.runs[i + 1].expectation != expectation) {
      out += concat("expect ", expectationText(expectation), "\n");
    }
  }
  return out;
}

}  // namespace fuser
