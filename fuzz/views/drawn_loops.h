#pragma once
// The loops that a random schedule gives to its reference, as the steps so far make them.

#include <cstdint>
#include <vector>

#include "fuser/ir/iter_domain.h"
#include "fuser/schedule/schedule.h"

namespace fuser::fuzz {

struct DrawnLoop {
  bool reduced = false;
  int64_t extent = 0;  // 0: it is not constant
  ParallelType type = ParallelType::Serial;
  bool vector = false;   // of the tensors that have vectors
  bool scanned = false;  // along the axis of scans: rule 27
  bool isParallel() const { return isThreadDim(type) || isBlockDim(type); }
  bool isInTurns() const { return !isParallel() && extent != 1; }
};

using DrawnLoops = std::vector<DrawnLoop>;

// Splits a loop: the inner one has `factor` turns. A type stays with the outer loop on blocks, with the inner one on
// threads.
void divideLoop(DrawnLoops& loops, size_t at, int64_t factor);
// Merges a loop with the one inside it.
void joinLoops(DrawnLoops& loops, size_t at);
// Follows a step of the tensor whose loops these are; one of another kind changes nothing.
void followStep(DrawnLoops& loops, const Transform& step);

}  // namespace fuser::fuzz
