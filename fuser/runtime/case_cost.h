#pragma once
// What a case costs (fuser/execute/kernel_cost.h), in one table: `fuser-opt --print=cost`, the golden table of
// corpus/seeds, and a campaign's report.

#include <optional>
#include <string>
#include <vector>

#include "fuser/case/case.h"
#include "fuser/execute/kernel_cost.h"

namespace fuser {

// One kernel of a program.
struct KernelRow {
  std::string name;                  // "k0_pointwise": its number in its program, and the scheduler
  std::string scheduler;             // "PointWise"; "None": ops that the host runs alone
  int64_t threads = 0;               // of a block
  int64_t sharedBytes = 0;           // of a block
  std::optional<int64_t> registers;  // of a thread, by NVRTC's assembler; none without NVRTC, or where it was not asked
  int64_t spilledBytes = 0;          // likewise
  LaunchCost cost;
};

struct CaseCost {
  size_t run = 0;                  // which of the case's runs
  std::vector<KernelRow> kernels;  // that ran, in the order in which they were compiled
  LaunchCost total;
  int64_t ownSectors = 0;  // of the fusion's inputs and outputs
  size_t copiedBytes = 0;  // RunRecord::copiedBytes

  // The compulsory sectors of all launches for each sector of the fusion's own inputs and outputs: 1 where every
  // kernel's memory is an input or output and none is met twice. None where the fusion has no tensors with elements.
  std::optional<double> traffic() const;
};

struct CostSettings {
  bool registers = true;              // ask NVRTC, if there is one
  size_t maxBytes = size_t{1} << 31;  // of a run; exceeding it is a UserError
  // Of a run that sums up more terms than a tensor may have elements, so many blocks of a launch run.
  int64_t blocksOfLongSums = 8;
  size_t device = 0;  // its place in namedDevices()
};

// Compiles the case for the device (h200, if nothing is said; figures that its options replace stay replaced), runs its
// dearest run on the interpreter, and counts. Sectors that the host copies are not counted. Throws what a cache throws.
CaseCost costOf(const Case& testCase, const CostSettings& settings = {});

// A table: a line with the name, a line of headings, a line a kernel, and one with the sums and the traffic. Columns
// have fixed widths, so that one count that changes is one line that changes. The first line says so where a sample of
// the blocks ran. '-': registers that are not known, and the traffic of nothing. Behind the traffic: the bytes of
// copies, if there are any.
std::string toTable(const CaseCost& cost, const std::string& name);

}  // namespace fuser
