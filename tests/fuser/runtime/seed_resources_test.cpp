// What the kernels of corpus/seeds take of a GPU, by the assembler; no GPU is needed. On chip means on chip: no array
// of a thread lies in local memory, and no register is spilled.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "fuser/case/functional_updates.h"
#include "fuser/codegen/print_cuda.h"
#include "fuser/execute/nvrtc.h"
#include "fuser/kernel/text.h"
#include "fuser/runtime/build_program.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/runtime/input_facts.h"
#include "fuser/text/parser.h"
#include "tests/fuser/runtime/functions_with_arrays.h"
#include "tests/golden/golden_tests.h"
#include "tests/in_full.h"

namespace fuser {
namespace {

// The different kernels of all runs of a program, and who owns them.
struct SeedKernels {
  std::vector<std::unique_ptr<CompiledProgram>> programs;
  std::vector<const Kernel*> kernels;
};

SeedKernels seedKernelsOf(const Case& testCase) {
  SeedKernels all;
  std::set<std::string> texts;
  for (const Run& run : testCase.runs) {
    const RunData data = materialize(testCase, run);
    const std::vector<HostValue> inputs = hostValues(data);
    std::vector<InputLayout> layouts;
    for (const InputFacts& facts : inspectInputs(*testCase.fusion, inputs)) layouts.push_back(facts.layout);
    all.programs.push_back(buildProgram(*testCase.fusion, settingsOf(testCase), layouts, inputs));
    for (const auto& kernel : all.programs.back()->kernels) {
      if (texts.insert(printKernel(*kernel)).second) all.kernels.push_back(kernel.get());
    }
  }
  return all;
}

// FUSER_FULL=1 assembles all seeds for each architecture; else every eighth, for one of them in turn.
TEST(SeedResourcesTest, KernelsKeepNothingInLocalMemory) {
  const bool full = inFull();
  const Nvrtc nvrtc;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator("corpus/seeds")) {
    if (entry.path().extension() == ".fusion") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  size_t count = 0, functions = 0;
  int64_t registers = 0;
  std::map<std::string, size_t> inLocalMemory;
  for (size_t seed = 0; seed < paths.size(); seed += full ? 1 : 8) {
    const std::filesystem::path& path = paths[seed];
    const Case testCase = functionalCase(parseCase(golden::readFile(path.string()), path.string()));
    const SeedKernels all = seedKernelsOf(testCase);
    const std::vector<const Kernel*>& kernels = all.kernels;
    if (kernels.empty()) continue;
    const std::string text = printModule(kernels);
    for (size_t place = 0; place < std::size(kPtxArchitectures); ++place) {
      if (!full && place != seed / 8 % std::size(kPtxArchitectures)) continue;
      const std::string arch(kPtxArchitectures[place]);
      const std::vector<KernelResources> found = nvrtc.examine(text, arch).kernels;
      ASSERT_EQ(found.size(), kernels.size()) << path;
      for (size_t i = 0; i < kernels.size(); ++i) {
        const std::string entry = entryName(*kernels[i], i);
        const auto own =
            std::find_if(found.begin(), found.end(), [&](const KernelResources& each) { return each.entry == entry; });
        ASSERT_NE(own, found.end()) << entry;
        const bool exempt = callsFunctionWithArray(*kernels[i]);
        functions += exempt;
        ++count;
        registers = std::max(registers, own->registers);
        EXPECT_GT(own->registers, 0) << path << " " << entry;
        if (own->stackBytes > 0 && !exempt) ++inLocalMemory[path.stem().string() + " sm_" + arch];
        EXPECT_EQ(own->spilledBytes, 0) << path << " " << entry << " sm_" << arch;
      }
    }
  }
  std::printf("%zu kernels, %zu of them call functions with arrays; at most %lld registers a thread\n", count,
              functions, static_cast<long long>(registers));
  EXPECT_EQ(inLocalMemory, (std::map<std::string, size_t>{}));
  EXPECT_GT(count, full ? 400u : 25u);
}

}  // namespace
}  // namespace fuser
