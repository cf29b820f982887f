#pragma once
// What `fuserfuzz time` writes: a table (Markdown), and JSON for tests/gpu/time_torch.py.

#include <cstdint>
#include <string>
#include <vector>

namespace reports {

// Of all launches of one kernel.
struct TimedKernel {
  std::string name;  // "k0_innerpersistent"
  int64_t launches = 0;
  int64_t warpInstructions = 0, divergentBranches = 0, sharedWavefronts = 0, flops = 0;  // counted on the host
  int64_t memoryBytes = 0;           // that the launches need, each once
  double estimatedMicroseconds = 0;  // by a roofline
  std::string bound;                 // the busiest part: "memory"
  double microseconds = 0;           // by the GPU's clock
  double shareOfCopy = 0;            // of the speed of a copy on the device: from 0 to about 1
};

struct TimedProgram {
  std::string name;  // "softmax"
  uint64_t run = 0;  // which of its runs
  std::vector<TimedKernel> kernels;
  double microseconds = 0;  // of all
};

struct TimesTable {
  uint64_t copyBytes = 0;
  double copyBytesPerSecond = 0;
  double microsecondsOfNothing = 0;  // between two events with nothing between them
  std::vector<TimedProgram> programs;
  std::vector<std::string> leftOut;  // "name: why"
};

std::string toMarkdown(const TimesTable& table);

// {"programs": [{"program": …, "run": …, "kernels": …, "microseconds": …}, …]}
std::string toJson(const TimesTable& table);

}  // namespace reports
