// Cases as ONNX models: each case of onnx.txt is a .fusion file, and the answer the models of its runs without the two
// lines that head each, with the ending of its file and the size of its data; or the refusal.

#include "fuser/text/parser.h"
#include "fuzz/export/export.h"
#include "tests/golden/golden_tests.h"

namespace fuser::fuzz {
namespace {

golden::Made onnxText(const golden::Case& test) {
  const Exported exported = exportFormat("onnx").write(parseCase(test.input, test.title));
  if (exported.refusal) return "cannot say " + toString(*exported.refusal) + "\n";
  std::string models;
  for (const ExportedProgram& program : exported.programs) {
    const size_t start = program.text.find("# Exported by");
    const size_t end = program.text.find('\n', program.text.find('\n', start) + 1) + 1;
    models += program.ending + ", " + std::to_string(program.data.size()) + " bytes of data\n" +
              program.text.substr(0, start) + program.text.substr(end);
  }
  return models;
}

const golden::Texts texts("tests/fuzz/export/onnx.txt", {}, onnxText);

}  // namespace
}  // namespace fuser::fuzz
