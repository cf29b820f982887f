#pragma once
// What a launch executes, in counts that depend on no machine and no clock: instructions of warps by class, wavefronts
// of shared memory, divergent branches, waits at barriers, local memory, floating-point operations. Instructions are
// those of the PTX text, whatever operations a program takes them apart into.
//
// A depot is local memory that a function of CUDA's library has of its own. NVRTC 13.0 was seen to make one of the
// reduction of large operands in sin, cos and tan, word by word: of f32 28 bytes in the kernel, however many of these
// it calls, of f64 in a function.

#include <array>
#include <cstdint>
#include <map>
#include <span>

#include "fuser/ptx/program.h"

namespace fuser::ptx {

// Of one operation of a program, summed over the warps that execute it.
struct OperationCount {
  int64_t warps = 0;
  int64_t lanes = 0;
  int64_t divergent = 0;   // of a branch: warps whose lanes part there
  int64_t wavefronts = 0;  // of an access to shared memory: passes, of which one serves each bank's word
};

enum class InstructionClass : uint8_t {
  Integer,  // arithmetic, bits, addresses
  Float,    // of f32, f16 and bf16
  Double,   // of f64, divisions and roots among them, which the device makes of many
  Special,  // approximations; divisions and roots of f32
  Convert,
  Move,  // moves, selections, comparisons, special registers, parameters
  Branch,
  Global,
  Shared,
  Local,
  Atomic,
  Warp,     // shuffles, votes, matches, reductions
  Barrier,  // barriers and fences
  Mma
};
inline constexpr size_t kInstructionClasses = 14;
using ClassCounts = std::array<int64_t, kInstructionClasses>;
InstructionClass classOf(const Operation& operation);

struct Counts {
  int64_t launches = 0;
  int64_t warpInstructions = 0;
  int64_t laneInstructions = 0;
  ClassCounts byClass{};  // of warps
  int64_t divergentBranches = 0;
  int64_t sharedWavefronts = 0;
  int64_t barrierWaits = 0;  // of warps
  // Without what functions are given and give, which are registers where there are enough.
  int64_t depotBytes = 0;  // in depots of library functions
  int64_t localBytes = 0;  // elsewhere
  int64_t flops = 0;     // of lanes: an FMA is two, an mma of 16 x 8 x 16 is 4,096 a warp
  int64_t mmaFlops = 0;  // of them
  Counts& operator+=(const Counts& other);
  bool operator==(const Counts&) const = default;
};

// Of one launch. `cuda`: the text that the program's lines are of.
Counts countsOf(const Program& program, std::span<const OperationCount> counts, const std::string& cuda);
// Instructions of warps by the line of the CUDA text that they are of, from 1; 0: of none.
std::map<uint32_t, ClassCounts> countsByLine(const Program& program, std::span<const OperationCount> counts);

// Passes of an access to shared memory: 32 banks, each 4 bytes wide; in one pass a bank gives one word to any number of
// lanes. Accesses of 8 and 16 bytes a lane are those of halves and quarters of the warp, one after the other.
int wavefrontsOf(const std::array<uint64_t, kLanes>& offsets, uint32_t mask, int bytes);

}  // namespace fuser::ptx
