#include "fuzz/export/programs_of_runs.h"

#include "fuser/case/functional_updates.h"
#include "fuser/evaluate/concrete_case.h"
#include "fuser/support/set_up_error.h"
#include "fuzz/export/comments.h"
#include "fuzz/export/run_data.h"

namespace fuser::fuzz {
namespace {

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

std::string head(const Case& testCase, const std::string& run, std::string_view mark) {
  std::string text =
      commented(concat("Exported by fuserfuzz: one fusion, ", run, ". The elements of the inputs lie in"), mark) +
      commented("the .bin file beside it, one input after another, each dense and row-major.", mark);
  for (const auto& [key, value] : testCase.metadata) text += commented(concat(key, ": ", value), mark);
  return text + leftOutComment(testCase, mark);
}

std::optional<Refusal> refusalOf(const Fusion& fusion, const RunFormat& format) {
  for (const Expr* expr : fusion.exprs()) {
    if (expr->family() == Family::Branch) continue;  // a run takes one side
    if (const std::optional<std::string_view> why = format.whyNot(expr)) {
      return Refusal{std::string(expr->info().mnemonic), concat(expr->output()->dtype()), std::string(*why)};
    }
  }
  return std::nullopt;
}

}  // namespace

Exported exportEachRun(const Case& statements, const RunFormat& format) {
  const Case functional = functionalCase(statements);
  if (const std::optional<Refusal> refusal = refusalOf(*functional.fusion, format)) return {{}, refusal};
  Exported exported;
  std::string leftOut;
  for (size_t i = 0; i < functional.runs.size(); ++i) {
    const std::string run = concat("run_", i);
    try {
      const RunData data = materialize(functional, functional.runs[i], kMaxExportBytes);
      const auto testCase = std::make_shared<Case>(concreteCase(functional, inputsOf(data)));
      testCase->runs = {functional.runs[i]};
      const Fusion& fusion = *testCase->fusion;
      if (const std::optional<Refusal> refusal = refusalOf(fusion, format)) return {{}, refusal};
      ExpressionEvaluator sizes = boundSizes(*testCase, data);
      const std::string text = head(*testCase, run, format.comment) + format.write(fusion, sizes);
      exported.programs.push_back({concat(".", run, format.ending), text, bytesOf(data), i, testCase});
    } catch (const UserError& error) {
      rethrowIfSetUpError(error);
      leftOut += commented(concat(run, " is left out, its data does not fit: ", error.what()), format.comment);
    }
  }
  for (ExportedProgram& program : exported.programs) program.text = leftOut + program.text;
  if (exported.programs.empty()) {
    exported.refusal = Refusal{"run", "no", "a program has sizes of a run, and no run of the case fits its fusion"};
  }
  return exported;
}

}  // namespace fuser::fuzz
