// What NVRTC makes of the kernels of corpus/seeds is read, is made a program, and holds no other instructions than
// those of opcodes.txt.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "fuser/case/functional_updates.h"
#include "fuser/codegen/print_cuda.h"
#include "fuser/execute/nvrtc.h"
#include "fuser/ptx/program.h"
#include "fuser/runtime/build_program.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/runtime/input_facts.h"
#include "fuser/text/parser.h"
#include "tests/golden/golden_file.h"
#include "tests/in_full.h"

namespace fuser::ptx {
namespace {

constexpr const char* kList = "tests/fuser/ptx/opcodes.txt";

std::vector<std::string> seeds() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator("corpus/seeds")) {
    if (entry.path().extension() == ".fusion") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// The opcodes of a seed's kernels, with their types; `instructions` counts them.
std::set<std::string> opcodesOf(const std::string& path, const Nvrtc& nvrtc, size_t& instructions) {
  std::set<std::string> opcodes;
  const Case testCase = functionalCase(parseCase(golden::readFile(path), path));
  for (const fuser::Run& run : testCase.runs) {
    const RunData data = materialize(testCase, run);
    const std::vector<HostValue> inputs = hostValues(data);
    std::vector<InputLayout> layouts;
    for (const InputFacts& facts : inspectInputs(*testCase.fusion, inputs)) layouts.push_back(facts.layout);
    const auto program = buildProgram(*testCase.fusion, settingsOf(testCase), layouts, inputs);
    std::vector<const Kernel*> kernels;
    for (const auto& kernel : program->kernels) kernels.push_back(kernel.get());
    if (kernels.empty()) continue;
    const Module module = parsePtx(nvrtc.compileToPtx(printModule(kernels), "90"), path);
    size_t entries = 0;
    for (const Function& function : module.functions) {
      entries += function.isEntry;
      if (function.isEntry) {
        EXPECT_NO_THROW(makeProgram(module, function.name, path));
      }
      instructions += function.instructions.size();
      for (const Instruction& instruction : function.instructions) opcodes.emplace(instruction.opcode);
    }
    EXPECT_EQ(entries, kernels.size()) << path;
  }
  return opcodes;
}

// A sample; with FUSER_FULL=1 all, and FUSER_UPDATE=1 writes the list then.
TEST(SeedsPtxTest, HoldsTheListedInstructionsAlone) {
  const bool full = inFull();
  const std::vector<std::string> paths = seeds();
  ASSERT_FALSE(paths.empty());
  const Nvrtc nvrtc;
  std::set<std::string> found;
  size_t instructions = 0;
  for (size_t i = 0; i < paths.size(); i += full ? 1 : 9) found.merge(opcodesOf(paths[i], nvrtc, instructions));
  std::printf("%zu instructions, %zu opcodes\n", instructions, found.size());
  EXPECT_GT(instructions, full ? 40000u : 2000u);
  if (full && std::getenv("FUSER_UPDATE") != nullptr) {
    std::ofstream file(kList);
    for (const std::string& opcode : found) file << opcode << "\n";
  }
  std::set<std::string> listed;
  std::ifstream file(kList);
  for (std::string line; std::getline(file, line);) listed.insert(line);
  for (const std::string& opcode : found) EXPECT_EQ(listed.count(opcode), 1u) << opcode << " is not in " << kList;
  if (full) {
    EXPECT_EQ(listed, found);
  }
}

}  // namespace
}  // namespace fuser::ptx
