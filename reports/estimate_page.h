#pragma once
// The page "What a GPU would do": kernels by their estimated time, and the worst ratios. Everything on it is an
// estimate or a count; no GPU ran.

#include <cstdint>
#include <string>
#include <vector>

namespace reports {

struct EstimatedKernel {
  std::string program, name;  // "softmax", "k0_innerpersistent"
  int64_t launches = 0;
  int64_t registers = 0, spilledBytes = 0;  // of a thread
  double occupancy = 0;                     // from 0 to 1
  int64_t memoryBytes = 0;                  // that the launches need, each once
  int64_t requestedBytes = 0;               // as often as instructions ask for them
  int64_t flops = 0;
  double microseconds = 0;        // the time of the busiest part of the device
  double memoryMicroseconds = 0;  // that of its memory
  std::string bound;              // the busiest part: "memory"
  std::string line;               // of the CUDA text, with most instructions
  double lineShare = 0;           // of all
};

struct EstimatePage {
  std::string device, source;  // "h200", "NVIDIA H200 SXM data sheet: …"
  int64_t programs = 0;
  std::vector<EstimatedKernel> kernels;
  std::vector<std::string> leftOut;  // "name: why", of programs without an estimate
};

std::string toHtml(const EstimatePage& page);

}  // namespace reports
