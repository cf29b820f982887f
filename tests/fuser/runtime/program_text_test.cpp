// Whole programs as text, of a case and the sizes and values of its first run. The cases (tests/golden/golden_file.h)
// of scalar_segments.txt have the answers "segments" and "host"; those of device_programs.txt, by the option
//   device: 0        any number of them
// the host program of each of these devices.

#include <gtest/gtest.h>

#include "fuser/host_ir/host_ir_container.h"
#include "fuser/runtime/build_program.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/segment/segmented_text.h"
#include "fuser/text/parser.h"
#include "tests/golden/golden_tests.h"

namespace fuser {
namespace {

std::unique_ptr<CompiledProgram> programOf(const Case& testCase, int device) {
  FusionExecutorCache::Settings settings = settingsOf(testCase);
  settings.context.checkInvariants = true;
  settings.device = device;
  const RunData data = materialize(testCase, testCase.runs.front());
  return buildProgram(*testCase.fusion, settings, {}, hostValues(data));
}

// Nothing of the scalars is left in a kernel but arguments: an i64 where an extent or a bound names it.
void expectScalarsAsArguments(const CompiledProgram& program) {
  for (const auto& part : program.parts) {
    for (const Expr* expr : part->fusion->exprs()) EXPECT_FALSE(expr->isScalarExpr()) << expr->output()->name();
  }
}

const golden::Texts kScalars("tests/fuser/runtime/scalar_segments.txt", {}, [](const golden::Case& test) {
  const Case testCase = parseCase(test.input, "test");
  const std::unique_ptr<CompiledProgram> program = programOf(testCase, 0);
  expectScalarsAsArguments(*program);
  return golden::Answers{{"segments", toString(*program->segmented)}, {"host", toString(*program->host)}};
});

const golden::Texts kDevices("tests/fuser/runtime/device_programs.txt", {"device"}, [](const golden::Case& test) {
  const Case testCase = parseCase(test.input, "test");
  golden::Answers answers;
  for (const std::string& device : test.allOptions("device")) {
    answers.push_back({"device " + device, toString(*programOf(testCase, std::stoi(device))->host)});
  }
  return answers;
});

}  // namespace
}  // namespace fuser
