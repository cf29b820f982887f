// The models of a case.

#include "fuzz/export/onnx.h"

#include <set>

#include "fuser/text/printer.h"
#include "fuzz/export/onnx_ops.h"
#include "fuzz/export/programs_of_runs.h"

namespace fuser::fuzz {
namespace {

class OnnxModel {
 public:
  OnnxModel(const Fusion& fusion, ExpressionEvaluator& sizes)
      : fusion_(fusion), written_(fusion), names_(fusion), graph_(names_), sizes_(sizes) {}

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
  ExpressionEvaluator& sizes_;
};

std::string writeModel(const Fusion& fusion, ExpressionEvaluator& sizes) { return OnnxModel(fusion, sizes).write(); }

constexpr RunFormat kOnnxFormat = {".onnx.txt", "# ", whyNotInOnnx, writeModel};

}  // namespace

Exported exportToOnnx(const Case& testCase) { return exportEachRun(testCase, kOnnxFormat); }

}  // namespace fuser::fuzz
