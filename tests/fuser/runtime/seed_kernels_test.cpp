// How many kernels each program in corpus/seeds becomes, and by which schedulers, in each of its runs: a change that
// only makes programs slower shows as a line here. Nothing is run.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "fuser/case/functional_updates.h"
#include "fuser/runtime/build_program.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/runtime/input_facts.h"
#include "fuser/segment/segmented_fusion.h"
#include "fuser/text/parser.h"
#include "tests/fuser/analysis/stage_observers.h"
#include "tests/golden/golden_tests.h"

namespace fuser {
namespace {

// The schedulers of the kernels, in the order of the segments: "Reduction, PointWise". Views and host scalars are none.
struct Kernels {
  size_t count = 0;
  std::string schedulers;
};

Kernels kernelsOf(const Case& testCase, const Run& run) {
  Kernels kernels;
  AfterSegment counting([&](const std::unique_ptr<SegmentedFusion>& segmented) {
    for (const SegmentedGroup* group : segmented->groups()) {
      if (group->isScalarGroup() || group->schedulerType() == SchedulerType::NoOp) continue;
      kernels.schedulers += concat(kernels.count == 0 ? "" : ", ", schedulerTypeName(group->schedulerType()));
      ++kernels.count;
    }
  });
  FusionExecutorCache::Settings settings = settingsOf(testCase);
  settings.context.observers = {&counting};
  const RunData data = materialize(testCase, run);
  const std::vector<HostValue> inputs = hostValues(data);
  std::vector<InputLayout> layouts;
  for (const InputFacts& facts : inspectInputs(*testCase.fusion, inputs)) layouts.push_back(facts.layout);
  buildProgram(*testCase.fusion, settings, layouts, inputs);
  return kernels;
}

const golden::Texts kSeedKernels(
    "tests/fuser/runtime/seed_kernels.txt", {}, [](const golden::Case& test) -> golden::Made {
      std::vector<std::filesystem::path> paths;
      for (const auto& entry : std::filesystem::directory_iterator(test.input.substr(0, test.input.find('\n')))) {
        if (entry.path().extension() == ".fusion") paths.push_back(entry.path());
      }
      std::sort(paths.begin(), paths.end());
      std::string text;
      size_t least = 0, most = 0;  // over the runs of each
      for (const std::filesystem::path& path : paths) {
        const Case testCase = functionalCase(parseCase(golden::readFile(path.string()), path.string()));
        std::vector<std::string> lines;
        size_t fewest = SIZE_MAX, greatest = 0;
        for (const Run& run : testCase.runs) {
          const Kernels kernels = kernelsOf(testCase, run);
          fewest = std::min(fewest, kernels.count);
          greatest = std::max(greatest, kernels.count);
          lines.push_back(concat(kernels.count, kernels.count == 0 ? "" : ": ", kernels.schedulers));
        }
        least += fewest;
        most += greatest;
        const bool alike =
            std::count(lines.begin(), lines.end(), lines.front()) == static_cast<ptrdiff_t>(lines.size());
        for (size_t i = 0; i < (alike ? 1 : lines.size()); ++i)
          text += concat(path.stem().string(), alike ? "" : concat(" run ", i), " ", lines[i], "\n");
      }
      return concat(text, "all ", least, " to ", most, "\n");
    });

}  // namespace
}  // namespace fuser
