#pragma once
// What a GPU would do with a case, estimated: occupancy, and the time of each kernel by a roofline: the time that the
// busiest of a device's parts needs at its peak rate (fuser/types/device_rates.def) for what the kernel was counted to
// do. No GPU ran anything. `fuser-opt --print=estimate`, `fuserfuzz estimate`.

#include <string>
#include <vector>

#include "fuser/case/case.h"
#include "fuser/ptx/counts.h"
#include "fuser/types/device_rates.h"

namespace fuser {

// A part of the device, and the time it needs at its peak.
struct PartTime {
  std::string_view part;  // "memory", "issue", "f32", "f64", "special", "shuffle", "shared", "mma"
  double microseconds = 0;
};

// Of all launches of one kernel.
struct KernelEstimate {
  std::string name;  // "k0_pointwise"
  int64_t launches = 0, blocks = 0;
  int64_t threads = 0, sharedBytes = 0;     // of a block
  int64_t registers = 0, spilledBytes = 0;  // of a thread, by NVRTC's assembler
  double occupancy = 0;                     // the share of an SM's warps that its blocks at once have
  int64_t memoryBytes = 0;                  // of sectors that a launch needs, each once
  int64_t requestedBytes = 0;               // of sectors, as often as instructions ask for them
  ptx::Counts counts{};                     // of what it executes, on the PTX
  std::vector<PartTime> parts;
  PartTime bound;  // the largest: the estimate
  // The line of the CUDA text with most instructions of the bound's kind, without its indentation, and its share of
  // those of all lines.
  std::string line;
  double lineShare = 0;
};

struct CaseEstimate {
  size_t run = 0;  // which of the case's runs: that with most elements
  std::vector<KernelEstimate> kernels;
  double microseconds = 0;  // of all
};

// Compiles the case for the device (figures that its options replace stay replaced), and runs it on the interpreter and
// on the ptx engine. A SetUpError without NVRTC; else throws what a cache throws.
CaseEstimate estimateOf(const Case& testCase, const NamedDevice& device, size_t maxBytes = size_t{1} << 31);

// A table: a line that names the device, a line of headings, a line a kernel. No figure of it depends on a clock.
std::string toTable(const CaseEstimate& estimate, const NamedDevice& device, const std::string& name);

}  // namespace fuser
