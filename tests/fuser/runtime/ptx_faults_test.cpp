// Planted faults (ptx_faults.h): the ptx engine finds a violation, or gives other bits than for the text as it is.

#include <gtest/gtest.h>

#include <cstring>

#include "fuser/case/functional_updates.h"
#include "fuser/execute/ptx_engine.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/runtime/fusion_executor_cache.h"
#include "fuser/text/parser.h"
#include "tests/fuser/runtime/ptx_faults.h"
#include "tests/golden/golden_file.h"

namespace fuser {
namespace {

using ptx_faults::planted;
using ptx_faults::PlantedFault;

// The bytes of all outputs of the first run.
std::vector<std::string> outputsOf(const std::string& seed, TextEdits edits, bool holdUnoptimised = false) {
  const std::string path = concat("corpus/seeds/", seed, ".fusion");
  const Case testCase = functionalCase(parseCase(golden::readFile(path), path));
  FusionExecutorCache::Settings settings = settingsOf(testCase);
  // One order of blocks and warps, which counts ask for: what a fault shows first depends on it.
  settings.engine = makePtxEngine(
      {.edits = std::move(edits), .holdUnoptimised = holdUnoptimised, .counts = std::make_shared<PtxCounts>()});
  FusionExecutorCache cache({testCase.fusion.get(), [](const Fusion*) {}}, settings);
  const RunData data = materialize(testCase, testCase.runs.front());
  const RunRecord record = cache.run(hostValues(data));
  std::vector<std::string> bytes;
  for (const HostValue& value : record.outputs) {
    const TensorRef* tensor = std::get_if<TensorRef>(&value);
    if (!tensor) continue;
    bytes.emplace_back(static_cast<const char*>(tensor->data),
                       static_cast<size_t>(extentInMemory(tensor->sizes, tensor->strides)) * dtypeSize(tensor->dtype));
  }
  return bytes;
}

using Text = std::function<std::string(std::string)> TextEdits::*;

void expectCaught(const PlantedFault& fault, Text in) {
  const std::vector<std::string> expected = outputsOf(fault.seed, {});
  ASSERT_FALSE(expected.empty());
  bool isPlanted = false;
  TextEdits edits;
  edits.*in = [&](std::string text) {
    std::string changed = planted(fault, text);
    isPlanted = isPlanted || changed != text;
    return changed;
  };
  std::string shown;
  try {
    shown = outputsOf(fault.seed, edits) == expected ? "nothing" : "";
  } catch (const ViolationError& error) {
    shown = error.what();
  }
  EXPECT_TRUE(isPlanted) << "the text of " << fault.seed << " has no place for it";
  EXPECT_NE(shown, "nothing");
  EXPECT_NE(shown.find(fault.shown), std::string::npos) << "shows " << shown;
  const bool namesPtx = shown.find("PTX line ") != std::string::npos;
  EXPECT_EQ(namesPtx, shown.find(", CUDA line ") != std::string::npos) << "shows " << shown;
}

class PtxFaultsTest : public testing::TestWithParam<PlantedFault> {};
TEST_P(PtxFaultsTest, IsCaught) { expectCaught(GetParam(), &TextEdits::ptx); }

class CudaFaultsTest : public testing::TestWithParam<PlantedFault> {};
TEST_P(CudaFaultsTest, IsCaught) { expectCaught(GetParam(), &TextEdits::cuda); }

// Faults of the optimised build alone: as if the compiler optimised wrongly.
TEST(HeldKernelTest, NamesTheElementThatOptimisationChanges) {
  const PlantedFault sign{"", "dequantize_i8", "ld\\.global\\.s8", "ld.global.u8", 0, ""};
  const TextEdits edits{.ptx = [&](const std::string& text) { return planted(sign, text); }};
  try {
    outputsOf("dequantize_i8", edits, true);
    FAIL();
  } catch (const ViolationError& error) {
    const std::string shown = error.what();
    EXPECT_NE(shown.find(": element "), std::string::npos) << shown;
    EXPECT_NE(shown.find(", and without the compiler's optimisation "), std::string::npos) << shown;
  }
}

// As if the compiler had taken one instruction for another: it is named, and what stands there without optimisation.
TEST(HeldKernelTest, NamesTheInstructionThatOptimisationChanges) {
  const PlantedFault other{"", "softmax", "sub\\.rn\\.f32", "add.rn.f32", 0, ""};
  const TextEdits edits{.ptx = [&](const std::string& text) { return planted(other, text); }};
  try {
    outputsOf("softmax", edits, true);
    FAIL();
  } catch (const ViolationError& error) {
    const std::string shown = error.what();
    const size_t second = shown.find("; only the other: ");
    ASSERT_NE(second, std::string::npos) << shown;
    EXPECT_LT(shown.find(": add.rn.f32 "), second) << shown;
    EXPECT_NE(shown.find(": sub.rn.f32 ", second), std::string::npos) << shown;
    EXPECT_NE(shown.find("CUDA line "), std::string::npos) << shown;
  }
}

TEST(HeldKernelTest, BothBuildsOfSeedsStoreTheSameBits) {
  for (const char* seed : {"softmax", "rms_norm_backward", "dequantize_i8", "embedding_backward", "rotary_embedding"})
    EXPECT_EQ(outputsOf(seed, {}, true), outputsOf(seed, {})) << seed;
}

const auto nameOf = [](const auto& info) { return std::string(info.param.name); };
INSTANTIATE_TEST_SUITE_P(Planted, PtxFaultsTest, testing::ValuesIn(ptx_faults::kOfPtx), nameOf);
INSTANTIATE_TEST_SUITE_P(Planted, CudaFaultsTest, testing::ValuesIn(ptx_faults::kOfCuda), nameOf);

}  // namespace
}  // namespace fuser
