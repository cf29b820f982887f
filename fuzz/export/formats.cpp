// The formats, one row each.

#include "fuzz/export/export.h"
#include "fuzz/export/onnx.h"
#include "fuzz/export/pytorch.h"
#include "fuzz/export/stablehlo.h"

namespace fuser::fuzz {
namespace {

constexpr ExportFormat kFormats[] = {
    {"pytorch", ".py", "a Python script that needs torch and numpy alone", false, true, exportToPytorch},
    {"onnx", ".onnx.txt", "ONNX of opset 21 in its text form, a model a run, with the inputs' bytes beside it", true,
     false, exportToOnnx},
    {"stablehlo", ".stablehlo.mlir", "StableHLO with one @main, a module a run, with the inputs' bytes beside it", true,
     false, exportToStablehlo},
};

}  // namespace

std::span<const ExportFormat> exportFormats() { return kFormats; }

const ExportFormat& exportFormat(std::string_view name) {
  std::string known;
  for (const ExportFormat& format : kFormats) {
    if (format.name == name) return format;
    known += concat(known.empty() ? "" : ", ", format.name);
  }
  throwUserError(concat("there is no format '", name, "' to export to; known: ", known));
}

std::string toString(const Refusal& refusal) { return concat(refusal.dtype, " ", refusal.op, ": ", refusal.why); }

}  // namespace fuser::fuzz
