// The printed text of every kernel compiles for every architecture, without a warning; no GPU is needed. On chip means
// on chip: by the assembler, no array of a thread lies in local memory. The kernels are those of all files of the
// corpus, those that golden tests show, and those of generated cases on random schedules, each with indices of both
// widths.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "fuser/case/functional_updates.h"
#include "fuser/codegen/print_cuda.h"
#include "fuser/execute/nvrtc.h"
#include "fuser/ir/clone.h"
#include "fuser/kernel/text.h"
#include "fuser/kernel/verify.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/runtime/fusion_executor_cache.h"
#include "fuser/text/parser.h"
#include "fuser/text/read_file.h"
#include "fuzz/generate/generate.h"
#include "fuzz/views/random_schedule.h"
#include "tests/fuser/analysis/stage_observers.h"
#include "tests/fuser/runtime/functions_with_arrays.h"
#include "tests/golden/golden_file.h"
#include "tests/in_full.h"

namespace fuser::fuzz {
namespace {

constexpr size_t kKernelsACall = 100;

// Of a random schedule a thread may keep more than fits; half of the registers that it can have holds this much.
constexpr int64_t kBytesThatSpill = 512;

// The size of the smallest array; none if there is none.
std::optional<int64_t> smallestArray(const Kernel& kernel) {
  std::optional<int64_t> smallest;
  for (const Buffer& buffer : kernel.buffers) {
    if (buffer.memory != MemoryType::Local || buffer.size->value == 1) continue;
    const int64_t bytes = buffer.size->value * static_cast<int64_t>(dtypeSize(buffer.dtype));
    smallest = std::min(smallest.value_or(bytes), bytes);
  }
  return smallest;
}

int64_t bytesInRegisters(const Kernel& kernel) {
  int64_t bytes = 0;
  for (const Buffer& buffer : kernel.buffers) {
    if (buffer.memory == MemoryType::Local) bytes += buffer.size->value * static_cast<int64_t>(dtypeSize(buffer.dtype));
  }
  return bytes;
}

// Compiles kernels, many a call, each text once.
class TextCompiler {
 public:
  void add(const Kernel& kernel, const std::string& from) {
    for (const bool narrow : {false, true}) {
      auto copy = std::make_unique<Kernel>(kernel);
      copy->narrowIndices = narrow;
      copy->name = "k";
      if (!seen_.insert(printCuda(*copy)).second) continue;
      waiting_.push_back(std::move(copy));
      from_.push_back(from);
    }
    if (waiting_.size() >= kKernelsACall) compile();
  }

  // The kernels of all programs that the case's runs compile.
  void addCase(const Case& testCase, const std::string& from) {
    AfterLower adding([&](int, Kernel& kernel) { add(kernel, from); });
    FusionExecutorCache::Settings settings = settingsOf(testCase);
    settings.context.options.engine = EngineKind::Interp;
    settings.context.observers.push_back(&adding);
    FusionExecutorCache cache(cloneFusion(*testCase.fusion).fusion, settings);
    for (const Run& run : testCase.runs) {
      try {
        const RunData data = materialize(testCase, run);
        cache.run(hostValues(data));
      } catch (const UserError&) {
        continue;  // a run that is rejected, as it may be
      }
    }
  }

  void compile() {
    if (waiting_.empty()) return;
    std::vector<const Kernel*> kernels;
    for (const auto& kernel : waiting_) kernels.push_back(kernel.get());
    const std::string text = printModule(kernels);
    for (const char* arch : {"90", "80", "100"}) {
      const Examined examined = nvrtc_.examine(text, arch);
      EXPECT_EQ(examined.warnings, "") << "sm_" << arch;
      EXPECT_EQ(examined.kernels.size(), kernels.size());
      for (size_t i = 0; i < kernels.size(); ++i) expectOnChip(examined, *kernels[i], i, arch);
      if (!inFull()) break;
    }
    count_ += kernels.size();
    waiting_.clear();
    from_.clear();
  }

  size_t count() const { return count_; }

 private:
  void expectOnChip(const Examined& examined, const Kernel& kernel, size_t place, const std::string& arch) const {
    const auto own = std::find_if(examined.kernels.begin(), examined.kernels.end(),
                                  [&](const KernelResources& each) { return each.entry == entryName(kernel, place); });
    ASSERT_NE(own, examined.kernels.end()) << entryName(kernel, place);
    if (callsFunctionWithArray(kernel)) return;
    if (bytesInRegisters(kernel) > kBytesThatSpill) return;
    // Without an array, what is on the stack is of calls, as of divisions of 64 bits.
    const std::optional<int64_t> smallest = smallestArray(kernel);
    // What is spilled is on the stack, too, and counted where it is stored and where it is loaded.
    EXPECT_TRUE(!smallest || own->stackBytes < *smallest + own->spilledBytes)
        << "sm_" << arch << ", " << from_[place] << ":\n"
        << printKernel(kernel) << printCuda(kernel);
  }

  const Nvrtc nvrtc_;
  std::set<std::string> seen_;
  std::vector<std::unique_ptr<Kernel>> waiting_;
  std::vector<std::string> from_;  // of those that wait: where they are from
  size_t count_ = 0;
};

std::vector<std::filesystem::path> filesBelow(const char* folder, const char* extension) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == extension) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST(KernelTextsTest, OfTheCorpusCompileEverywhere) {
  TextCompiler compiler;
  size_t number = 0;
  for (const std::filesystem::path& path : filesBelow("corpus", ".fusion")) {
    if (number++ % sampleStep(90) != 0) continue;
    try {
      compiler.addCase(functionalCase(parseCase(readFusionFile(path.string()), path.string())), path.string());
    } catch (const UserError&) {
      continue;  // a file that is to be refused
    }
  }
  compiler.compile();
  std::printf("%zu kernels\n", compiler.count());
  EXPECT_GT(compiler.count(), 10u);
}

// From "kernel k {" to "}"; those that show an error are none.
TEST(KernelTextsTest, OfGoldenTestsCompileEverywhere) {
  TextCompiler compiler;
  size_t number = 0;
  for (const std::filesystem::path& path : filesBelow("tests", ".txt")) {
    const std::string text = golden::readFile(path.string());
    for (size_t at = text.find("\nkernel "); at != std::string::npos; at = text.find("\nkernel ", at + 1)) {
      const size_t end = text.find("\n}\n", at);
      if (end == std::string::npos) break;
      std::unique_ptr<Kernel> kernel;
      try {
        kernel = parseKernel(text.substr(at + 1, end + 3 - at - 1));
      } catch (const UserError&) {
        continue;
      }
      if (findKernelViolations(*kernel).empty() && number++ % sampleStep(4) == 0) compiler.add(*kernel, path.string());
    }
  }
  compiler.compile();
  std::printf("%zu kernels\n", compiler.count());
  EXPECT_GT(compiler.count(), 20u);
}

TEST(KernelTextsTest, OfRandomSchedulesCompileEverywhere) {
  TextCompiler compiler;
  GeneratorOptions small;
  small.medianElements = 128;
  for (uint64_t number = 0; number < (inFull() ? 400 : 4); ++number) {
    Case testCase = functionalCase(generateCase(23, number, small));
    if (testCase.fusion->hasStreams() || testCase.fusion->hasDevices()) continue;
    testCase.runs.erase(testCase.runs.begin() + 1, testCase.runs.end());
    for (uint64_t draw = 0; draw < 2; ++draw) {
      const std::optional<std::map<int64_t, Schedule>> schedules = randomSchedules(testCase, draw);
      if (!schedules) continue;
      Case other = cloneCase(testCase);
      other.segmentSchedules = *schedules;
      compiler.addCase(other, concat("case ", number, ", draw ", draw));
    }
  }
  compiler.compile();
  std::printf("%zu kernels\n", compiler.count());
  EXPECT_GT(compiler.count(), 15u);
}

}  // namespace
}  // namespace fuser::fuzz
