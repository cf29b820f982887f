#pragma once
// ReductionDepth: how many roundings of a reduction, or a scan, a term goes through. Kernels count it, runs record it,
// and the oracle derives error bounds from it (oracle/ORACLE.md#5-reductions).

#include <algorithm>
#include <cstdint>

namespace fuser {

struct ReductionDepth {
  int64_t updates = 0;  // the longest chain of additions (or other combining ops) of one accumulator
  int64_t joins = 0;    // of partial results, on the longest path from an accumulator to the result

  bool byMma = false;  // some of its sums are those of an Mma, which may be cut

  int64_t total() const { return updates + joins; }
  bool operator==(const ReductionDepth&) const = default;
};

// Covers both.
inline ReductionDepth deeper(ReductionDepth a, ReductionDepth b) {
  return {std::max(a.updates, b.updates), std::max(a.joins, b.joins), a.byMma || b.byMma};
}

}  // namespace fuser
