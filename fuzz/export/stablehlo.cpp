// The modules of a case.

#include "fuzz/export/stablehlo.h"

#include "fuser/text/printer.h"
#include "fuzz/export/programs_of_runs.h"
#include "fuzz/export/stablehlo_ops.h"

namespace fuser::fuzz {
namespace {

class StablehloModule {
 public:
  StablehloModule(const Fusion& fusion, ExpressionEvaluator& sizes)
      : fusion_(fusion), written_(fusion), names_(fusion), body_(names_), sizes_(sizes) {}

  std::string write() {
    const StablehloValueOf valueOf = [this](const Val* val) { return valueFor(val); };
    const auto typeOf = [this](const Val* val) { return printType(val, written_); };
    for (const Expr* expr : fusion_.exprs()) addStablehloLines(body_, expr, sizes_, valueOf, typeOf);
    std::string inputs, outputs, types;
    for (const Val* input : fusion_.inputs()) append(inputs, typed(valueFor(input)));
    for (const Val* output : fusion_.outputs()) {
      const StablehloValue value = outputOf(output);
      append(outputs, "%" + value.name);
      append(types, stablehloType(value));
    }
    return concat("module @fusion {\n  func.func @main(", inputs, ") -> (", types, ") {\n", body_.text(), "    return ",
                  outputs, " : ", types, "\n  }\n}\n");
  }

 private:
  StablehloValue valueFor(const Val* val) const {
    if (val->isScalar()) return {names_.of(val), val->dtype(), {}};
    const Dims sizes = sizes_.sizes(val->as<TensorView>());
    return {names_.of(val), val->dtype(), {sizes.begin(), sizes.end()}};
  }

  StablehloValue outputOf(const Val* output) {
    const Scalar* scalar = output->isScalar() ? output->as<Scalar>() : nullptr;
    if (scalar == nullptr || !scalar->isConstant()) return valueFor(output);
    return body_.constant(*scalar->constant(), output->dtype(), {});
  }

  static std::string typed(const StablehloValue& value) { return concat("%", value.name, ": ", stablehloType(value)); }
  static void append(std::string& list, const std::string& entry) { list += concat(list.empty() ? "" : ", ", entry); }

  const Fusion& fusion_;
  ValueNames written_;  // the names in the .fusion text, for types
  PythonNames names_;
  StablehloBody body_;
  ExpressionEvaluator& sizes_;
};

std::string writeModule(const Fusion& fusion, ExpressionEvaluator& sizes) {
  return StablehloModule(fusion, sizes).write();
}

constexpr RunFormat kStablehloFormat = {".stablehlo.mlir", "// ", whyNotInStablehlo, writeModule};

}  // namespace

Exported exportToStablehlo(const Case& testCase) { return exportEachRun(testCase, kStablehloFormat); }

}  // namespace fuser::fuzz
