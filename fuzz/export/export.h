#pragma once
// Export: a case as a complete program of another framework, with its data, for people and compilers that know nothing
// of fuser. A format is a row of formats.cpp; each has a table with one row an op (pytorch.def).

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fuser/case/case.h"

namespace fuser::fuzz {

// Data of a run beyond this, in bytes, is in no program: the run is left out.
inline constexpr size_t kMaxExportBytes = size_t{1} << 28;

// Why a case has no program in a format. An op that the format cannot say is never approximated.
struct Refusal {
  std::string op;     // its mnemonic: "nextafter"
  std::string dtype;  // of its result: "f16"
  std::string why;    // the sentence of the format's specification
};

struct ExportedProgram {
  std::string ending;  // of its file: ".py", ".run_0.onnx.txt"
  std::string text;
  std::string data;  // bytes that lie beside it, in the file with .bin behind `ending` less .txt; "": none
  std::optional<size_t> run = std::nullopt;  // the case's run that it is; none: all
  std::shared_ptr<const Case> said = nullptr;  // what it computes, without updates and branches, and its run, or all
};

// The programs of a case, in a format with sizes as literals one a run; or the reason why there is none.
struct Exported {
  std::vector<ExportedProgram> programs;
  std::optional<Refusal> refusal;
};

struct ExportFormat {
  std::string_view name;    // "pytorch"
  std::string_view ending;  // of its files: ".py"
  std::string_view about;   // what runs it, for the help
  bool bySteps;             // its results are compared expression by expression: LibTorch's are wanted of each
  bool hasStrides;          // results have strides, which its compilers keep
  // A UserError for a case whose program can never run, such as an alias of nothing.
  Exported (*write)(const Case&);
};

std::span<const ExportFormat> exportFormats();
// A UserError names the formats that there are.
const ExportFormat& exportFormat(std::string_view name);

// "bf16 nextafter: …".
std::string toString(const Refusal& refusal);

}  // namespace fuser::fuzz
