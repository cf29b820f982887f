#pragma once
// Launch: what a machine runs a program on: the grid, the bytes of the parameters, and the global memory that they
// point to. A Fault is what a correct program never does.

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "fuser/ptx/counts.h"
#include "fuser/ptx/program.h"

namespace fuser::ptx {

// A range of global memory. No two overlap.
struct Region {
  std::string name;
  std::byte* data = nullptr;
  size_t bytes = 0;
  size_t elementBytes = 1;       // races are told apart by element
  bool isWritten = false;        // by the program; no other region is stored in
  bool startsUndefined = false;  // what the program has not stored is not read
  // The first byte's address modulo kKeptRegionAlignment.
  size_t lead = 0;
};

inline constexpr size_t kKeptRegionAlignment = 256;

// Where a program finds the first byte of the i-th region.
inline uint64_t addressOfRegion(size_t i, const Region& region) {
  return ((kModuleRegion + 1 + i) << kRegionShift) + region.lead;
}

struct Launch {
  std::array<int64_t, 3> grid{1, 1, 1};
  std::array<int64_t, 3> block{1, 1, 1};
  size_t dynamicSharedBytes = 0;
  std::vector<std::byte> parameters;  // laid out as Program::parameters says
  std::vector<Region> regions;
  // Of which side of a branch, which warp, which block and which lane's atomic comes first. Every order is right.
  uint64_t order = 0;
};

class Trace;

class Fault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Runs all blocks to their end. A Fault names the thread, the line of the PTX, and that of the CUDA text where the PTX
// has it (.loc). `counts`, if it is not null, is given the counts of each operation; `trace` what was computed
// (fuser/ptx/trace.h).
void runLaunch(const Program& program, const Launch& launch, std::vector<OperationCount>* counts = nullptr,
               Trace* trace = nullptr);

}  // namespace fuser::ptx
