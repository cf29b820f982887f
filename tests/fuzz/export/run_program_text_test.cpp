// Cases in formats with a program a run: each case of onnx.txt and stablehlo.txt is a .fusion file, and the answer the
// programs of its runs without the two lines that head each, with the ending of its file and the size of its data; or
// the refusal.

#include "fuser/text/parser.h"
#include "fuzz/export/export.h"
#include "tests/golden/golden_tests.h"

namespace fuser::fuzz {
namespace {

golden::Made textIn(std::string_view format, const golden::Case& test) {
  const Exported exported = exportFormat(format).write(parseCase(test.input, test.title));
  if (exported.refusal) return "cannot say " + toString(*exported.refusal) + "\n";
  std::string programs;
  for (const ExportedProgram& program : exported.programs) {
    const size_t head = program.text.find("Exported by fuserfuzz");
    const size_t start = program.text.rfind('\n', head) + 1;
    const size_t end = program.text.find('\n', program.text.find('\n', start) + 1) + 1;
    programs += program.ending + ", " + std::to_string(program.data.size()) + " bytes of data\n" +
                program.text.substr(0, start) + program.text.substr(end);
  }
  return programs;
}

golden::Made onnxText(const golden::Case& test) { return textIn("onnx", test); }
golden::Made stablehloText(const golden::Case& test) { return textIn("stablehlo", test); }

const golden::Texts onnxTexts("tests/fuzz/export/onnx.txt", {}, onnxText);
const golden::Texts stablehloTexts("tests/fuzz/export/stablehlo.txt", {}, stablehloText);

}  // namespace
}  // namespace fuser::fuzz
