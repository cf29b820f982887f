// Counts on the interpreter and on the ptx engine, and divides by the device's rates.
#include "fuser/runtime/case_estimate.h"

#include <algorithm>
#include <cstdio>

#include "fuser/execute/ptx_engine.h"
#include "fuser/ptx/module.h"
#include "fuser/runtime/case_cost.h"
#include "fuser/runtime/counted_run.h"
#include "fuser/support/check.h"

namespace fuser {
namespace {

constexpr int64_t kSectorBytes = 32;

int64_t countOf(const ptx::Counts& counts, ptx::InstructionClass each) {
  return counts.byClass[static_cast<size_t>(each)];
}

// Cycles of the SMs are those of the SM with most blocks: blocks are alike, and go to SMs in turn.
std::vector<PartTime> partsOf(const KernelRow& row, const ptx::Counts& counts, const DeviceProperties& device,
                              const DeviceRates& rates) {
  using ptx::InstructionClass;
  FUSER_CHECK(row.cost.launches > 0, row.name, " has no launch");
  const int64_t blocks = std::max<int64_t>(1, row.cost.blocks / row.cost.launches);  // of a launch
  const int64_t sms = device.multiprocessors;
  const double share = static_cast<double>((blocks + sms - 1) / sms) / static_cast<double>(blocks);
  const auto time = [&](int64_t work, int64_t inCycle) {
    return share * static_cast<double>(work) / static_cast<double>(inCycle) / static_cast<double>(rates.clock);
  };
  const int64_t lanes = device.warp;
  // Moves are the assembler's to leave out.
  const int64_t issued = counts.warpInstructions - countOf(counts, InstructionClass::Move);
  const double memory =
      static_cast<double>(row.cost.compulsory * kSectorBytes) / static_cast<double>(rates.memory) / 1e3;
  return {{"memory", memory},
          {"issue", time(issued, kWarpsIssuedInCycle)},
          {"f32", time(lanes * countOf(counts, InstructionClass::Float), rates.f32)},
          {"f64", time(lanes * countOf(counts, InstructionClass::Double), rates.f64)},
          {"special", time(lanes * countOf(counts, InstructionClass::Special), rates.special)},
          {"shuffle", time(lanes * countOf(counts, InstructionClass::Warp), rates.shuffle)},
          {"shared", time(counts.sharedWavefronts, 1)},
          {"mma", time(counts.mmaFlops, rates.mma)}};
}

// Whether an instruction is one of those that a part of the device does.
bool isOfPart(std::string_view part, ptx::InstructionClass each) {
  using ptx::InstructionClass;
  if (part == "memory") return each == InstructionClass::Global || each == InstructionClass::Atomic;
  if (part == "f32") return each == InstructionClass::Float;
  if (part == "f64") return each == InstructionClass::Double;
  if (part == "special") return each == InstructionClass::Special;
  if (part == "shuffle") return each == InstructionClass::Warp;
  if (part == "shared") return each == InstructionClass::Shared;
  if (part == "mma") return each == InstructionClass::Mma;
  FUSER_CHECK(part == "issue", "no part '", part, "'");
  return each != InstructionClass::Move;
}

// The line of the text that the bound is mostly of, the first of equal ones: none that belongs to no line, nor the
// kernel's head, whose instructions read the place of a thread.
void findLine(const KernelCounts& counted, KernelEstimate& estimate) {
  int64_t all = 0, most = 0;
  for (const auto& [line, counts] : counted.byLine) {
    int64_t own = 0;
    for (size_t i = 0; i < counts.size(); ++i) {
      if (isOfPart(estimate.bound.part, static_cast<ptx::InstructionClass>(i))) own += counts[i];
    }
    all += own;
    if (line == 0 || own <= most) continue;
    const std::string text = ptx::lineOf(*counted.cuda, line);
    if (text.find(concat("_", counted.kernel->name, "(")) != text.npos) continue;
    most = own;
    estimate.line = text;
  }
  if (most > 0) estimate.lineShare = static_cast<double>(most) / static_cast<double>(all);
}

double occupancyOf(const KernelRow& row, const DeviceProperties& device) {
  const int64_t blocks =
      blocksAtOnceOnMultiprocessor(device, row.threads, row.sharedBytes, row.registers.value_or(kRegistersAtOnce));
  const int64_t warps = (row.threads + device.warp - 1) / device.warp;
  return static_cast<double>(blocks * warps * device.warp) / static_cast<double>(device.threadsPerMultiprocessor);
}

KernelEstimate estimateOf(const KernelRow& row, const KernelCounts& counted, const DeviceProperties& device,
                          const DeviceRates& rates) {
  KernelEstimate estimate;
  estimate.name = row.name;
  estimate.launches = row.cost.launches;
  estimate.blocks = row.cost.blocks;
  estimate.threads = row.threads;
  estimate.sharedBytes = row.sharedBytes;
  estimate.registers = row.registers.value_or(0);
  estimate.spilledBytes = row.spilledBytes;
  estimate.occupancy = occupancyOf(row, device);
  estimate.memoryBytes = row.cost.compulsory * kSectorBytes;
  estimate.requestedBytes = row.cost.requested * kSectorBytes;
  estimate.counts = counted.counts;
  estimate.parts = partsOf(row, counted.counts, device, rates);
  estimate.bound = *std::max_element(estimate.parts.begin(), estimate.parts.end(),
                                     [](const auto& a, const auto& b) { return a.microseconds < b.microseconds; });
  if (counted.cuda) findLine(counted, estimate);
  return estimate;
}

std::string fixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

}  // namespace

CaseEstimate estimateOf(const Case& testCase, const NamedDevice& device, size_t maxBytes) {
  CostSettings settings;
  settings.maxBytes = maxBytes;
  settings.device = static_cast<size_t>(&device - namedDevices().data());
  const CaseCost cost = costOf(testCase, settings);
  CompileOptions options = testCase.options;
  options.device = settings.device;
  const DeviceProperties properties = deviceOf(options, device.properties);  // with what the case replaces

  CountedRun counted(testCase, maxBytes, settings.device);
  const auto counts = std::make_shared<PtxCounts>();
  PtxSettings ptx;
  ptx.architecture = std::to_string(properties.architecture);
  ptx.counts = counts;
  counted.run(makePtxEngine(std::move(ptx)));

  CaseEstimate result;
  result.run = cost.run;
  for (const KernelCounts& each : counts->rows()) {
    if (each.counts.launches == 0) continue;
    checkLocalMemory(each);
    const size_t next = result.kernels.size();
    FUSER_CHECK(next < cost.kernels.size() && cost.kernels[next].name == each.kernel->name,
                "the interpreter did not run ", each.kernel->name);
    result.kernels.push_back(estimateOf(cost.kernels[next], each, properties, ratesOf(device)));
    result.microseconds += result.kernels.back().bound.microseconds;
  }
  return result;
}

std::string toTable(const CaseEstimate& estimate, const NamedDevice& device, const std::string& name) {
  std::string text = concat("estimate of ", name, ", run ", estimate.run, ", on ", device.name, ": ",
                            fixed(estimate.microseconds, 2), " us by a roofline; no GPU ran\n");
  const auto line = [&](const std::string& kernel, const std::vector<std::string>& columns, const std::string& last) {
    constexpr size_t kWidths[] = {9, 8, 8, 10, 8, 8, 10, 12, 12, 14, 10, 8};
    text += "  " + kernel + std::string(24 - std::min<size_t>(kernel.size(), 23), ' ');
    for (size_t i = 0; i < columns.size(); ++i)
      text += std::string(kWidths[i] - std::min(columns[i].size(), kWidths[i] - 1), ' ') + columns[i];
    text += (last.empty() ? "" : "  " + last) + "\n";
  };
  line("kernel",
       {"launches", "blocks", "threads", "registers", "spilled", "shared", "occupancy", "bytes", "requested", "flops",
        "us", "bound"},
       "most of the bound");
  for (const KernelEstimate& kernel : estimate.kernels) {
    const auto number = [](int64_t value) { return std::to_string(value); };
    line(kernel.name,
         {number(kernel.launches), number(kernel.blocks), number(kernel.threads), number(kernel.registers),
          number(kernel.spilledBytes), number(kernel.sharedBytes), fixed(100 * kernel.occupancy, 0) + " %",
          number(kernel.memoryBytes), number(kernel.requestedBytes), number(kernel.counts.flops),
          fixed(kernel.bound.microseconds, 3), std::string(kernel.bound.part)},
         kernel.line.empty() ? "no line" : concat(fixed(100 * kernel.lineShare, 0), " %: ", kernel.line.substr(0, 60)));
  }
  return text;
}

}  // namespace fuser
