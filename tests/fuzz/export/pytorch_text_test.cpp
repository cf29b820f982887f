// Cases as PyTorch programs: each case of pytorch.txt is a .fusion file, and the answer the program without the
// functions that are the same in every program.

#include "fuser/text/parser.h"
#include "fuzz/export/export.h"
#include "tests/golden/golden_tests.h"

namespace fuser::fuzz {
namespace {

golden::Made pytorchText(const golden::Case& test) {
  const std::string text = exportFormat("pytorch").write(parseCase(test.input, test.title)).programs.front().text;
  const size_t start = text.find("\"\"\"\n", 3) + 4, end = text.find("\n\n\n# ---");
  std::string own = text.substr(start, end - start) + "\n";
  const std::string imports =
      own.substr(own.find("import argparse"), own.find("def fusion") - own.find("import argparse"));
  return own.erase(own.find(imports), imports.size());
}

const golden::Texts texts("tests/fuzz/export/pytorch.txt", {}, pytorchText);

}  // namespace
}  // namespace fuser::fuzz
