// Runs a case on the counting ptx engine.
#include "fuser/runtime/case_instructions.h"

#include <algorithm>
#include <cstdio>

#include "fuser/execute/ptx_engine.h"
#include "fuser/runtime/counted_run.h"
#include "fuser/support/check.h"

namespace fuser {
namespace {

struct Column {
  const char* name;
  int64_t (*of)(const ptx::Counts& counts);
};

template <ptx::InstructionClass each>
int64_t countOf(const ptx::Counts& counts) {
  return counts.byClass[static_cast<size_t>(each)];
}

// Instructions are those of warps.
constexpr Column kColumns[] = {
    {"launches", [](const ptx::Counts& counts) { return counts.launches; }},
    {"warps", [](const ptx::Counts& counts) { return counts.warpInstructions; }},
    {"lanes", [](const ptx::Counts& counts) { return counts.laneInstructions; }},
    {"integer", countOf<ptx::InstructionClass::Integer>},
    {"float", countOf<ptx::InstructionClass::Float>},
    {"double", countOf<ptx::InstructionClass::Double>},
    {"special", countOf<ptx::InstructionClass::Special>},
    {"convert", countOf<ptx::InstructionClass::Convert>},
    {"move", countOf<ptx::InstructionClass::Move>},
    {"branch", countOf<ptx::InstructionClass::Branch>},
    {"divergent", [](const ptx::Counts& counts) { return counts.divergentBranches; }},
    {"global", countOf<ptx::InstructionClass::Global>},
    {"shared", countOf<ptx::InstructionClass::Shared>},
    {"wavefronts", [](const ptx::Counts& counts) { return counts.sharedWavefronts; }},
    {"atomic", countOf<ptx::InstructionClass::Atomic>},
    {"shuffle", countOf<ptx::InstructionClass::Warp>},
    {"mma", countOf<ptx::InstructionClass::Mma>},
    {"waits", [](const ptx::Counts& counts) { return counts.barrierWaits; }},
    {"depot", [](const ptx::Counts& counts) { return counts.depotBytes; }},
    {"flops", [](const ptx::Counts& counts) { return counts.flops; }},
};

constexpr size_t kWidth = 11;

std::string padded(const std::string& text) {
  return std::string(text.size() < kWidth ? kWidth - text.size() : 0, ' ') + text;
}

}  // namespace

CaseInstructions instructionsOf(const Case& testCase, size_t maxBytes) {
  CountedRun counted(testCase, maxBytes);
  const auto counts = std::make_shared<PtxCounts>();
  const std::string architecture(kPtxArchitectures[testCase.options.ptxArchitecture]);
  counted.run(makePtxEngine({.architecture = architecture, .counts = counts}));
  CaseInstructions result;
  result.run = counted.number();
  for (const KernelCounts& row : counts->rows()) {
    checkLocalMemory(row);
    if (row.counts.launches > 0) result.kernels.push_back({row.kernel->name, row.counts, row.seconds});
  }
  return result;
}

std::string toTable(const CaseInstructions& instructions, const std::string& name) {
  std::string text = concat("instructions of ", name, ", run ", instructions.run, "\n  ");
  const auto label = [](const std::string& kernel) {
    return kernel + std::string(24 - std::min<size_t>(kernel.size(), 23), ' ');
  };
  text += label("kernel");
  for (const Column& column : kColumns) text += padded(column.name);
  text += "\n";
  for (const KernelInstructions& kernel : instructions.kernels) {
    text += "  " + label(kernel.name);
    for (const Column& column : kColumns) text += padded(std::to_string(column.of(kernel.counts)));
    text += "\n";
  }
  return text;
}

}  // namespace fuser
