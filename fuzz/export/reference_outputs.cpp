#include "fuzz/export/reference_outputs.h"

#include "fuser/case/aliases.h"
#include "fuser/support/set_up_error.h"
#include "fuzz/export/export.h"
#include "fuzz/export/python_names.h"
#include "fuzz/export/run_data.h"
#include "reports/campaign_summary.h"
#include "reports/fields_json.h"

namespace fuser::fuzz {
namespace {

std::string firstLineOf(const std::exception& error) {
  const std::string text = error.what();
  return text.substr(0, text.find('\n'));
}

// Which input owns the memory of a view, by its name in programs.
std::string ownerOf(const TensorInput& input, const Fusion& fusion, const PythonNames& names) {
  if (input.recipe.kind != RecipeKind::View) return "";
  return names.of(fusion.inputs()[indexOfNamed(fusion.inputs(), input.recipe.viewOf)]);
}

// How near an implementation of an op must come: StoredStep::bound.
std::string boundOf(const Expr* expr) {
  const OpInfo& info = expr->info();
  const bool isFloat = isFloating(expr->output()->dtype());
  const bool isScan = expr->family() == Family::Scan;
  if (isReduction(expr->op()) || isScan) {
    const bool rounds = !info.combine || (info.combine != OpKind::Maximum && info.combine != OpKind::Minimum);
    return isFloat && rounds ? isScan ? "terms so far" : "terms" : "zero";
  }
  if (info.combine && info.combine != OpKind::Set) return isFloat ? "terms" : "zero";
  if (isFloat && info.rule == IntervalRule::Formula) return "operands";
  switch (info.agreement) {
    case Agreement::Exact: return "bits";
    case Agreement::SignOfZero: return "zero";
    case Agreement::Library: return isFloat ? "ulps" : "bits";
  }
  FUSER_CHECK(false, "bad Agreement");
}

std::vector<reference::Value> referenceInputs(const RunData& data) {
  std::vector<reference::Value> values;
  for (const auto& input : data.inputs) {
    if (const size_t* tensor = std::get_if<size_t>(&input)) {
      values.push_back({data.tensors[*tensor].ref, nullptr});
    } else {
      values.push_back({std::get<ScalarValue>(input), nullptr});
    }
  }
  return values;
}

}  // namespace

ReferenceOutputs::ReferenceOutputs(std::filesystem::path folder, bool withSteps)
    : folder_(std::move(folder)), withSteps_(withSteps), elements_(folder_ / "reference.bin", std::ios::binary) {
  FUSER_USER_CHECK(elements_.good(), "cannot write ", (folder_ / "reference.bin").string());
  reference::useOneThread();
}

StoredTensor ReferenceOutputs::store(const std::string& name, const TensorRef& ref) {
  StoredTensor stored;
  stored.name = name;
  stored.dtype = dtypeName(ref.dtype);
  stored.sizes.assign(ref.sizes.begin(), ref.sizes.end());
  stored.strides.assign(ref.strides.begin(), ref.strides.end());
  stored.at = bytes_;
  forEachElement(ref, [&](const char* element, size_t size) {
    elements_.write(element, static_cast<std::streamsize>(size));
    bytes_ += static_cast<int64_t>(size);
  });
  return stored;
}

StoredTensor ReferenceOutputs::store(const std::string& name, const ScalarValue& value) {
  return std::visit(
      [&](auto number) {
        return store(name, TensorRef{&number, value.dtype(), {}, {}, {}});
      },
      value.variant());
}

void ReferenceOutputs::storeSteps(const Fusion& fusion, const std::vector<std::optional<reference::Value>>& values,
                                  std::vector<StoredStep>& steps) {
  const PythonNames names(fusion);
  for (const Expr* expr : fusion.exprs()) {
    StoredStep step;
    step.op = expr->info().name;
    step.bound = boundOf(expr);
    for (const Val* operand : expr->inputs()) {
      if (!names.of(operand).empty()) step.operands.push_back(names.of(operand));
    }
    if (isReduction(expr->op())) step.dims = expr->attributes().dims();
    const bool hasDim = expr->family() == Family::Scan || expr->family() == Family::Scatter;
    if (hasDim) step.dims = {expr->attributes().dim()};
    if (isWelford(expr->op())) step.correction = expr->attributes().correction();
    for (const Val* output : expr->outputs()) {
      std::visit([&](const auto& value) { step.results.push_back(store(names.of(output), value)); },
                 values[output->id()].value().value);
    }
    steps.push_back(std::move(step));
  }
}

StoredRun ReferenceOutputs::evaluate(const Case& testCase, const Run& run, const std::string& name) {
  const Fusion& fusion = *testCase.fusion;
  StoredRun stored;
  stored.name = name;
  const PythonNames names(fusion);
  const RunData data = materialize(testCase, run, kMaxExportBytes);
  for (size_t i = 0; i < run.inputs.size(); ++i) {
    if (std::holds_alternative<ScalarValue>(run.inputs[i].value)) continue;
    const auto& input = std::get<TensorInput>(run.inputs[i].value);
    stored.inputs.push_back(store(names.of(fusion.inputs()[i]), data.tensors[std::get<size_t>(data.inputs[i])].ref));
    stored.inputs.back().offset = input.offset;
    stored.inputs.back().viewOf = ownerOf(input, fusion, names);
  }
  try {
    const auto values = reference::evaluate(fusion, referenceInputs(data));
    for (size_t i = 0; i < fusion.outputs().size(); ++i) {
      const Val* output = fusion.outputs()[i];
      const Scalar* literal = output->isScalar() ? output->as<Scalar>() : nullptr;
      if (literal && literal->isConstant()) {
        stored.outputs.push_back(store("", *literal->constant()));
        continue;
      }
      std::visit([&](const auto& value) { stored.outputs.push_back(store(output->name(), value)); },
                 values[output->id()].value().value);
    }
    if (withSteps_) storeSteps(fusion, values, stored.steps);
  } catch (const std::exception& error) {
    rethrowIfSetUpError(error);
    stored.refused = firstLineOf(error);
    stored.outputs.clear();
    stored.steps.clear();
  }
  return stored;
}

void ReferenceOutputs::add(const std::string& file, const ExportedProgram& program) {
  StoredCase stored;
  stored.program = file;
  const Case& said = *program.said;
  for (size_t i = 0; i < said.runs.size(); ++i) {
    try {
      stored.runs.push_back(evaluate(said, said.runs[i], concat("run_", i)));
    } catch (const UserError& error) {
      rethrowIfSetUpError(error);
    }
  }
  stored_.cases.push_back(std::move(stored));
}

void ReferenceOutputs::finish() {
  elements_.close();
  FUSER_USER_CHECK(elements_.good(), "cannot write ", (folder_ / "reference.bin").string(), "; is the disk full?");
  constexpr auto kReplace = nlohmann::json::error_handler_t::replace;  // of bytes in messages that are no UTF-8
  reports::writeFile(folder_ / "reference.json",
                     reports::allFields<nlohmann::json>(stored_).dump(-1, ' ', false, kReplace) + "\n");
}

}  // namespace fuser::fuzz
