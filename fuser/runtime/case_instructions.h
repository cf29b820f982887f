#pragma once
// What the kernels of a case execute on a GPU (fuser/ptx/counts.h), in one table: `fuser-opt --print=instructions`.

#include <string>
#include <vector>

#include "fuser/case/case.h"
#include "fuser/ptx/counts.h"

namespace fuser {

struct KernelInstructions {
  std::string name;  // "k0_pointwise"
  ptx::Counts counts;
  double seconds = 0;  // that the ptx engine took for its launches
};

struct CaseInstructions {
  size_t run = 0;                           // which of the case's runs
  std::vector<KernelInstructions> kernels;  // that ran, in the order in which they were compiled
};

// Compiles the case for the device h200, runs its dearest run on the ptx engine, and counts. A SetUpError without
// NVRTC; else throws what a cache throws.
CaseInstructions instructionsOf(const Case& testCase, size_t maxBytes = size_t{1} << 31);

// A table: a line with the name, a line of headings, a line a kernel. Columns have fixed widths, so that one count that
// changes is one line that changes. No figure of it depends on a clock.
std::string toTable(const CaseInstructions& instructions, const std::string& name);

}  // namespace fuser
