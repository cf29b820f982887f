// The models of a case.

#include "fuzz/export/onnx.h"

#include <algorithm>
#include <set>

#include "fuser/support/set_up_error.h"
#include "fuser/text/printer.h"
#include "fuzz/export/comments.h"
#include "fuzz/export/onnx_ops.h"
#include "fuzz/export/run_data.h"

namespace fuser::fuzz {
namespace {

class OnnxModel {
 public:
  OnnxModel(const Case& testCase, const RunData& data)
      : fusion_(*testCase.fusion),
        written_(fusion_),
        names_(fusion_),
        graph_(names_),
        sizes_(boundSizes(testCase, data)) {}

  std::string write() {
    const OnnxValueOf valueOf = [this](const Val* val) { return OnnxValue{names_.of(val), val->dtype()}; };
    const auto typeOf = [this](const Val* val) { return printType(val, written_); };
    for (const Expr* expr : fusion_.exprs()) addOnnxNodes(graph_, expr, sizes_, valueOf, typeOf);
    const std::string outputs = outputTypes();
    const std::string constants = graph_.constants();
    return concat("<ir_version: 10, opset_import: [\"\" : 21]>\n", "fusion (", inputTypes(), ") => (", outputs, ")\n",
                  constants.empty() ? "" : concat("<", constants, ">\n"), "{\n", graph_.nodes(), "}\n");
  }

 private:
  std::string typed(const Val* val, const std::string& name) {
    std::vector<int64_t> sizes;
    if (val->isTensor()) {
      const Dims dims = sizes_.sizes(val->as<TensorView>());
      sizes.assign(dims.begin(), dims.end());
    }
    return concat(onnxType(val->dtype(), sizes), " ", name);
  }

  std::string inputTypes() {
    std::string text;
    for (const Val* input : fusion_.inputs()) text += (text.empty() ? "" : ", ") + typed(input, names_.of(input));
    return text;
  }

  // An output that is an input, a literal or an earlier output is a copy with a name of its own.
  std::string outputTypes() {
    std::string text;
    std::set<const Val*> seen;
    for (const Val* output : fusion_.outputs()) {
      const bool isOwn = output->definition() != nullptr && seen.insert(output).second;
      const std::string name = isOwn ? names_.of(output) : copyOf(output);
      text += (text.empty() ? "" : ", ") + typed(output, name);
    }
    return text;
  }

  std::string copyOf(const Val* output) {
    const Scalar* literal = output->isScalar() ? output->as<Scalar>() : nullptr;
    const bool isLiteral = literal != nullptr && literal->isConstant();
    const OnnxValue value = isLiteral ? graph_.constant(*literal->constant(), output->dtype())
                                      : OnnxValue{names_.of(output), output->dtype()};
    const std::string name = names_.fresh(value.name + "_out");
    graph_.begin(name);
    graph_.end(value, name, printType(output, written_));
    return name;
  }

  const Fusion& fusion_;
  ValueNames written_;  // the names in the .fusion text, for types
  PythonNames names_;
  OnnxGraph graph_;
  ExpressionEvaluator sizes_;
};

// The elements of the inputs one after another, each dense and row-major.
std::string bytesOf(const RunData& data) {
  std::string bytes;
  for (const auto& input : data.inputs) {
    if (const size_t* tensor = std::get_if<size_t>(&input)) {
      forEachElement(data.tensors[*tensor].ref, [&](const char* element, size_t size) { bytes.append(element, size); });
    } else {
      std::visit([&](auto number) { bytes.append(reinterpret_cast<const char*>(&number), sizeof number); },
                 std::get<ScalarValue>(input).variant());
    }
  }
  return bytes;
}

std::string head(const Case& testCase, const std::string& run) {
  std::string text =
      commented(concat("Exported by fuserfuzz: one fusion, ", run, ". The elements of the inputs lie in")) +
      commented("the .bin file beside it, one input after another, each dense and row-major.");
  for (const auto& [key, value] : testCase.metadata) text += commented(concat(key, ": ", value));
  return text + leftOutComment(testCase);
}

std::optional<Refusal> refusalOf(const Fusion& fusion) {
  for (const Expr* expr : fusion.exprs()) {
    if (const std::optional<std::string_view> why = whyNotInOnnx(expr)) {
      return Refusal{std::string(expr->info().mnemonic), concat(expr->output()->dtype()), std::string(*why)};
    }
  }
  return std::nullopt;
}

}  // namespace

Exported exportToOnnx(const Case& testCase) {
  if (const std::optional<Refusal> refusal = refusalOf(*testCase.fusion)) return {{}, refusal};
  Exported exported;
  std::string leftOut;
  for (size_t i = 0; i < testCase.runs.size(); ++i) {
    const std::string run = concat("run_", i);
    try {
      const RunData data = materialize(testCase, testCase.runs[i], kMaxExportBytes);
      const std::string text = OnnxModel(testCase, data).write();
      exported.programs.push_back({concat(".", run, ".onnx.txt"), head(testCase, run) + text, bytesOf(data), i});
    } catch (const UserError& error) {
      rethrowIfSetUpError(error);
      leftOut += commented(concat(run, " is left out, its data does not fit: ", error.what()));
    }
  }
  for (ExportedProgram& program : exported.programs) program.text = leftOut + program.text;
  if (exported.programs.empty()) {
    exported.refusal = Refusal{"run", "no", "a model has sizes of a run, and no run of the case fits its fusion"};
  }
  return exported;
}

}  // namespace fuser::fuzz
