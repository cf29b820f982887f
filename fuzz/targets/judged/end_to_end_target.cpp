#include "fuzz/targets/judged/end_to_end_target.h"

#include <cstdlib>
#include <fstream>

#include "fuser/ir/equality.h"
#include "fuser/text/printer.h"
#include "fuzz/generate/generate.h"
#include "fuzz/judge/judge_case.h"
#include "oracle/reference/reference.h"

namespace fuser::fuzz {
namespace {

std::string writeFinding(const Case& testCase, const CaseVerdict& verdict) {
  const char* folder = std::getenv("FUSERFUZZ_FINDINGS");
  const std::string file = concat(folder ? folder : ".", "/", artifactPrefix(verdict.kind), "-", std::hex,
                                  fingerprint(*testCase.fusion), ".fusion");
  std::ofstream out(file, std::ios::binary);
  out << printCase(testCase);
  out.close();
  return out.good() ? "fuserfuzz replay " + file : concat("(cannot write ", file, ")\n", printCase(testCase));
}

}  // namespace

void endToEndTarget(Bytes bytes) {
  reference::useOneThread();
  GeneratorOptions options;
  options.medianElements = 256;
  options.maxElements = 4096;
  options.maxExpressions = 40;
  Choices choices(bytes);
  const Case testCase = generate(choices, options);
  const CaseVerdict verdict = judgeCase(testCase);
  FUSER_CHECK(!isFinding(verdict.kind), toString(verdict), "\n", writeFinding(testCase, verdict));
}

}  // namespace fuser::fuzz
