#include "fuzz/export/reference_outputs.h"

#include "fuser/support/set_up_error.h"
#include "fuzz/export/export.h"
#include "oracle/reference/reference.h"
#include "reports/campaign_summary.h"
#include "reports/fields_json.h"

namespace fuser::fuzz {
namespace {

std::string firstLineOf(const std::exception& error) {
  const std::string text = error.what();
  return text.substr(0, text.find('\n'));
}

// Which input owns the memory of a view.
std::string ownerOf(const RunInput& input) {
  const auto* tensor = std::get_if<TensorInput>(&input.value);
  return tensor && tensor->recipe.kind == RecipeKind::View ? tensor->recipe.viewOf : "";
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

ReferenceOutputs::ReferenceOutputs(std::filesystem::path folder)
    : folder_(std::move(folder)), elements_(folder_ / "reference.bin", std::ios::binary) {
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
  const size_t size = dtypeSize(ref.dtype);
  for (int64_t index = 0, count = numel(ref.sizes); index < count; ++index) {
    int64_t rest = index, place = 0;
    for (size_t axis = ref.sizes.size(); axis-- > 0;) {
      place += rest % ref.sizes[axis] * ref.strides[axis];
      rest /= ref.sizes[axis];
    }
    elements_.write(static_cast<const char*>(ref.data) + static_cast<size_t>(place) * size,
                    static_cast<std::streamsize>(size));
    bytes_ += static_cast<int64_t>(size);
  }
  return stored;
}

StoredTensor ReferenceOutputs::store(const std::string& name, const ScalarValue& value) {
  return std::visit(
      [&](auto number) {
        return store(name, TensorRef{&number, value.dtype(), {}, {}, {}});
      },
      value.variant());
}

StoredRun ReferenceOutputs::evaluate(const Case& testCase, size_t index) {
  const Run& run = testCase.runs[index];
  const Fusion& fusion = *testCase.fusion;
  StoredRun stored;
  stored.name = concat("run_", index);
  const RunData data = materialize(testCase, run, kMaxExportBytes);
  for (size_t i = 0; i < run.inputs.size(); ++i) {
    if (std::holds_alternative<ScalarValue>(run.inputs[i].value)) continue;
    const auto& input = std::get<TensorInput>(run.inputs[i].value);
    stored.inputs.push_back(store(run.inputs[i].name, data.tensors[std::get<size_t>(data.inputs[i])].ref));
    stored.inputs.back().offset = input.offset;
    stored.inputs.back().viewOf = ownerOf(run.inputs[i]);
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
  } catch (const std::exception& error) {
    rethrowIfSetUpError(error);
    stored.refused = firstLineOf(error);
    stored.outputs.clear();
  }
  return stored;
}

void ReferenceOutputs::add(const Case& testCase, const std::string& program) {
  StoredCase stored;
  stored.program = program;
  for (size_t i = 0; i < testCase.runs.size(); ++i) {
    try {
      stored.runs.push_back(evaluate(testCase, i));
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
