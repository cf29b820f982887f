// Hooks that print stages.

#include "fuser/tools/stages.h"

#include <algorithm>
#include <ostream>

#include "fuser/codegen/print_cuda.h"
#include "fuser/kernel/text.h"
#include "fuser/segment/segmented_fusion.h"
#include "fuser/text/printer.h"

namespace fuser {
namespace {

std::string indented(const std::string& text) {
  std::string result;
  size_t start = 0;
  while (start < text.size()) {
    const size_t end = std::min(text.find('\n', start), text.size());
    result += "  " + text.substr(start, end - start) + "\n";
    start = end + 1;
  }
  return result;
}

}  // namespace

const std::vector<StageInfo>& stageTable() {
  static const std::vector<StageInfo> table{
      {Stage::Fusion, "fusion", "the case as it was read, in canonical form"},
      {Stage::Presegmented, "presegmented", "the fusion after the passes of the PreSegmenter"},
      {Stage::Segments, "segments", "groups, their schedulers, and the edges between them"},
      {Stage::Schedule, "schedule", "each segment's transforms, as a section that a .fusion file takes"},
      {Stage::Kernel, "kernel", "kernel IR (also called lowered)"},
      {Stage::Cuda, "cuda", "the CUDA C++ of each kernel"},
      {Stage::Host, "host", "the host program: allocate, evaluate, launch, free"},
      {Stage::HostSummary, "host_summary", "the host program in short: tensors by number, with their axes"},
  };
  return table;
}

void printStages(const PrintRequest& request, FusionExecutorCache::Settings& settings, std::ostream& out,
                 std::vector<std::string>& stepsSeen) {
  const auto wants = [&](Stage stage) { return request.stages.count(stage) != 0; };
  CompileHooks& hooks = settings.hooks;
  // The fusion that the passes run on, known from the first hook on.
  auto current = std::make_shared<const Fusion*>(nullptr);
  hooks.beforePasses = [current](Fusion& fusion) { *current = &fusion; };
  // Whether this step's result is printed.
  const auto reached = [request, &stepsSeen](const std::string& step) {
    if (std::find(stepsSeen.begin(), stepsSeen.end(), step) == stepsSeen.end()) stepsSeen.push_back(step);
    return request.after.count(step) != 0;
  };
  settings.context.onPass = [current, reached, &out](const std::string& pass, bool modified) {
    if (reached(pass)) out << "# after " << pass << (modified ? "" : " (unchanged)") << "\n" << printFusion(**current);
  };
  hooks.afterLowerStep = [reached, &out](int segment, const std::string& step, const Kernel& kernel) {
    if (reached(step)) out << "# segment " << segment << " after " << step << "\n" << printKernel(kernel);
  };
  if (wants(Stage::Presegmented)) {
    hooks.afterPasses = [&out](Fusion& fusion) { out << "# presegmented\n" << printFusion(fusion); };
  }
  if (wants(Stage::Segments)) {
    hooks.afterSegment = [&out](SegmentedFusion& segmented) { out << toString(segmented); };
  }
  if (wants(Stage::Schedule)) {
    hooks.afterSchedule = [&out](int segment, Fusion&, Schedule& schedule) {
      out << "schedule segment " << segment << " {\n" << indented(printSchedule(schedule)) << "}\n";
    };
  }
  if (wants(Stage::Kernel) || wants(Stage::Cuda)) {
    hooks.afterLower = [&out, kernelIr = wants(Stage::Kernel), cuda = wants(Stage::Cuda)](int segment, Kernel& kernel) {
      if (kernelIr) out << "# segment " << segment << "\n" << printKernel(kernel);
      if (cuda) out << "// segment " << segment << "\n" << printCuda(kernel);
    };
  }
  if (wants(Stage::Host) || wants(Stage::HostSummary)) {
    hooks.afterHost = [&out, full = wants(Stage::Host), summary = wants(Stage::HostSummary)](HostIrContainer& program) {
      if (full) out << toString(program);
      if (summary) out << toSummary(program);
    };
  }
}

}  // namespace fuser
