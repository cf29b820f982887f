#pragma once
// compareEngines(): the same cases on an engine and on the interpreter. The engine's results are judged by the oracle
// as a campaign judges the interpreter's; and what both must give to the bit is compared to the bit.

#include <string>
#include <vector>

#include "fuser/execute/engine.h"
#include "fuzz/judge/judge_case.h"

namespace fuser::fuzz {

// Elements of the values that segments store. Exact: made by ops alone whose rows say that engines agree bit for bit
// (casts, moves, integers, + - * / sqrt, reductions of one tree …), from operands that are equal to the bit here: these
// must be equal, a NaN standing for every NaN. Others: library functions, which the oracle's intervals alone judge;
// maxima and minima, where the sign of a zero is open; and all of cases with contraction.
struct BitCounts {
  int64_t exact = 0, exactEqual = 0;
  int64_t others = 0, othersEqual = 0;
  bool operator==(const BitCounts&) const = default;
};
REPORTS_FIELDS(BitCounts, exact, exactEqual, others, othersEqual)

struct ComparedCase {
  // On the engine; of a difference in exact bits: Differs. `expected` is false where a run does not do as it expects,
  // rejected or not; of a case all of whose runs are rejected as they expect: Rejected.
  CaseVerdict verdict;
  BitCounts bits;
  bool operator==(const ComparedCase&) const = default;
};
REPORTS_FIELDS(ComparedCase, verdict, bits)

// One entry a case. Every kernel goes through one call of the engine's compiler, so tens of cases at a time are
// cheapest. A UserError where the engine is not here.
std::vector<ComparedCase> compareEngines(const std::vector<const Case*>& cases, EngineKind kind);
std::vector<ComparedCase> compareEngines(const std::vector<const Case*>& cases, Engine& engine);

}  // namespace fuser::fuzz
