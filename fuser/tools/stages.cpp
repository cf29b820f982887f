// The stages that fuser-opt prints.

#include "fuser/tools/stages.h"

#include <algorithm>
#include <ostream>

#include "fuser/codegen/print_cuda.h"
#include "fuser/execute/nvrtc.h"
#include "fuser/host_ir/host_ir_container.h"
#include "fuser/kernel/text.h"
#include "fuser/segment/segmented_text.h"
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

std::string printPtx(const std::vector<const Kernel*>& kernels) {
  if (kernels.empty()) return "";
  return Nvrtc().compileToPtx(printModule(kernels), std::to_string(kernels.front()->device.architecture));
}

}  // namespace

const std::vector<StageInfo>& stageTable() {
  static const std::vector<StageInfo> table{
      {Stage::Fusion, "fusion", "the case as it was read, in canonical form"},
      {Stage::Functional, "functional", "the case without updates: what is compiled, and judged"},
      {Stage::Presegmented, "presegmented", "the fusion after the passes of the PreSegmenter"},
      {Stage::Segments, "segments", "groups, their schedulers, and the edges between them"},
      {Stage::Schedule, "schedule", "each segment's transforms, as a section that a .fusion file takes"},
      {Stage::Kernel, "kernel", "kernel IR (also called lowered)"},
      {Stage::Cuda, "cuda", "the CUDA C++ of each kernel, without what it calls"},
      {Stage::Runtime, "runtime", "a whole .cu file: the runtime, then all kernels, as nvcc and NVRTC compile them"},
      {Stage::Ptx, "ptx", "the PTX that NVRTC makes of that file; needs no GPU"},
      {Stage::Host, "host", "the host program: allocate, evaluate, launch, free"},
      {Stage::HostSummary, "host_summary", "the host program in short: tensors by number, with their axes"},
      {Stage::Instructions, "instructions",
       "what the kernels execute: a run on ptx with instructions, wavefronts, divergent branches and waits counted"},
      {Stage::Estimate, "estimate",
       "what a GPU would do with the kernels: occupancy and, by a roofline, microseconds (--device)"},
      {Stage::Cost, "cost", "what the kernels cost: a run on interp with sectors, bank conflicts and barriers counted"},
  };
  return table;
}

bool StagePrinter::reached(std::string_view step) {
  if (std::find(stepsSeen_.begin(), stepsSeen_.end(), step) == stepsSeen_.end()) stepsSeen_.emplace_back(step);
  return request_.after.count(std::string(step)) != 0;
}

void StagePrinter::afterPass(std::string_view pass, const Fusion& fusion, bool modified) {
  if (reached(pass)) out_ << "# after " << pass << (modified ? "" : " (unchanged)") << "\n" << printFusion(fusion);
}

void StagePrinter::afterPasses(Fusion& fusion) {
  if (wants(Stage::Presegmented)) out_ << "# presegmented\n" << printFusion(fusion);
}

void StagePrinter::afterSegment(std::unique_ptr<SegmentedFusion>& segmented) {
  if (wants(Stage::Segments)) out_ << toString(*segmented);
}

void StagePrinter::afterSchedule(int segment, Fusion&, Schedule& schedule) {
  if (!wants(Stage::Schedule)) return;
  out_ << "schedule segment " << segment << " {\n" << indented(printSchedule(schedule)) << "}\n";
}

void StagePrinter::afterLowerStep(int segment, std::string_view step, const Kernel& kernel) {
  if (reached(step)) out_ << "# segment " << segment << " after " << step << "\n" << printKernel(kernel);
}

void StagePrinter::afterLower(int segment, Kernel& kernel) {
  if (wants(Stage::Kernel)) out_ << "# segment " << segment << "\n" << printKernel(kernel);
  kernels_.push_back(&kernel);
  if (wants(Stage::Cuda) && !wants(Stage::Runtime)) out_ << "// segment " << segment << "\n" << printCuda(kernel);
}

void StagePrinter::afterHost(HostIrContainer& program) {
  // One text of all: each op that two kernels use stands there once.
  if (wants(Stage::Runtime)) out_ << printModule(kernels_);
  if (wants(Stage::Ptx)) out_ << printPtx(kernels_);
  if (wants(Stage::Host)) out_ << toString(program);
  if (wants(Stage::HostSummary)) out_ << toSummary(program);
}

}  // namespace fuser
