// Which gradients each program in corpus/seeds has, and of how many ops; or why it has none. check_gradients judges
// them.

#include <algorithm>
#include <filesystem>

#include "fuser/gradients/backward_case.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "tests/golden/golden_tests.h"

namespace fuser::gradients {
namespace {

std::string lineOf(const Case& testCase) {
  try {
    const BackwardCase backward = backwardCase(testCase);
    const Fusion& fusion = *backward.testCase.fusion;
    std::string text = concat(testCase.fusion->exprs().size(), " -> ", fusion.exprs().size(), " ops: ");
    for (const Val* gradient : fusion.outputs()) {
      text += concat(gradient == fusion.outputs().front() ? "" : ", ", "%", gradient->name());
    }
    for (const std::string& note : backward.notes) text += concat("; ", note);
    return text;
  } catch (const UserError& error) {
    return concat("refused: ", error.what());
  }
}

golden::Made tableOf(const golden::Case& test) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(test.input.substr(0, test.input.find('\n')))) {
    if (entry.path().extension() == ".fusion") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::string text;
  for (const std::filesystem::path& path : paths) {
    const Case testCase = parseCase(golden::readFile(path.string()), path.string());
    text += concat(path.stem().string(), "  ", lineOf(testCase), "\n");
  }
  return text;
}

const golden::Texts kTable("tests/fuser/gradients/seeds.txt", {}, tableOf);

}  // namespace
}  // namespace fuser::gradients
