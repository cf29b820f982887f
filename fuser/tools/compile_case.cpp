// Cases compiled for their first run.

#include "fuser/tools/compile_case.h"

#include <algorithm>
#include <iomanip>
#include <ostream>

#include "fuser/analysis/segment_decisions.h"
#include "fuser/analysis/stage_observers.h"
#include "fuser/case/functional_updates.h"
#include "fuser/runtime/build_program.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/runtime/input_facts.h"

namespace fuser {
namespace {

struct Count {
  size_t segments = 0;
  size_t kernels = 0;
};

Count countOf(const Case& testCase, bool topDown) {
  FusionExecutorCache::Settings settings = settingsOf(testCase);
  if (topDown) {
    settings.context.options.disabled.erase(DisableOption::TopDown);
  } else {
    settings.context.options.disabled.insert(DisableOption::TopDown);
  }
  Count count;
  AfterDecisions counting([&](const SegmentDecisions& decisions) {
    count = {decisions.counters().groups, decisions.counters().kernels};
  });
  settings.context.observers.push_back(&counting);
  compileCase(testCase, settings);
  return count;
}

void printLine(std::ostream& out, size_t width, const std::string& name, const Count& on, const Count& off) {
  out << std::left << std::setw(static_cast<int>(width)) << name << std::right << std::setw(12) << on.segments
      << std::setw(12) << off.segments << std::setw(12) << on.kernels << std::setw(12) << off.kernels << "\n";
}

}  // namespace

void compileCase(const Case& statements, const FusionExecutorCache::Settings& settings) {
  const Case testCase = functionalCase(statements);
  if (testCase.runs.empty()) {
    buildProgram(*testCase.fusion, settings, {}, std::nullopt);
    return;
  }
  const RunData data = materialize(testCase, testCase.runs.front());
  const std::vector<HostValue> inputs = hostValues(data);
  std::vector<InputLayout> layouts;
  for (const InputFacts& facts : inspectInputs(*testCase.fusion, inputs)) layouts.push_back(facts.layout);
  buildProgram(*testCase.fusion, settings, layouts, inputs);
}

void countSegments(const std::vector<std::pair<std::string, Case>>& cases, std::ostream& out) {
  size_t width = 6;
  for (const auto& [name, testCase] : cases) width = std::max(width, name.size() + 2);
  out << std::left << std::setw(static_cast<int>(width)) << "" << std::right << std::setw(24) << "segments"
      << std::setw(24) << "kernels"
      << "\n";
  out << std::left << std::setw(static_cast<int>(width)) << "" << std::right;
  for (const char* column : {"top-down", "bottom-up", "top-down", "bottom-up"}) out << std::setw(12) << column;
  out << "\n";
  Count on, off;
  for (const auto& [name, testCase] : cases) {
    const Count with = countOf(testCase, true), without = countOf(testCase, false);
    printLine(out, width, name, with, without);
    on = {on.segments + with.segments, on.kernels + with.kernels};
    off = {off.segments + without.segments, off.kernels + without.kernels};
  }
  printLine(out, width, "all", on, off);
}

}  // namespace fuser
