// Planted faults that break no rule of the machine (tests/fuser/runtime/ptx_faults.h) are findings all the same: of the
// oracle, or of the bits that engines must share.

#include <gtest/gtest.h>

#include "fuser/execute/ptx_engine.h"
#include "fuser/text/parser.h"
#include "fuser/text/read_file.h"
#include "fuzz/judge/compare_engines.h"
#include "tests/fuser/runtime/ptx_faults.h"

namespace fuser::fuzz {
namespace {

VerdictKind verdictOn(const std::string& seed, TextEdits edits) {
  const std::string path = concat("corpus/seeds/", seed, ".fusion");
  const Case testCase = parseCase(readFusionFile(path), path);
  const std::unique_ptr<Engine> engine = makePtxEngine({.edits = std::move(edits)});
  return compareEngines({&testCase}, *engine).at(0).verdict.kind;
}

using Text = std::function<std::string(std::string)> TextEdits::*;

void expectFindings(std::span<const ptx_faults::PlantedFault> faults, Text in, int count) {
  for (const ptx_faults::PlantedFault& fault : faults) {
    if (*fault.shown) continue;
    --count;
    TextEdits edits;
    edits.*in = [&](const std::string& text) { return ptx_faults::planted(fault, text); };
    EXPECT_TRUE(isFinding(verdictOn(fault.seed, edits))) << fault.name;
    EXPECT_FALSE(isFinding(verdictOn(fault.seed, {}))) << fault.seed;
  }
  EXPECT_EQ(count, 0);
}

TEST(PtxFaultsJudgedTest, ThoseInPtxAreFindings) { expectFindings(ptx_faults::kOfPtx, &TextEdits::ptx, 9); }
TEST(PtxFaultsJudgedTest, ThoseInCudaAreFindings) { expectFindings(ptx_faults::kOfCuda, &TextEdits::cuda, 4); }

}  // namespace
}  // namespace fuser::fuzz
