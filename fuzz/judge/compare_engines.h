#pragma once
// compareEngines(): runs cases on an engine and on the interpreter (differential testing). The oracle judges the
// engine's results as a campaign judges the interpreter's; results that must be bit-identical are compared bit by bit.

#include <string>
#include <vector>

#include "fuser/execute/engine.h"
#include "fuzz/judge/judge_case.h"

namespace fuser::fuzz {

// Counts of elements of stored values. Exact: computed only by ops on which engines agree bit for bit by their rows
// (casts, moves, integers, + - * / sqrt, reductions with a fixed tree, …), from bit-equal operands; these must be
// equal, where all NaNs are equal. Others: library functions, unless both engines call the same library; and maxima and
// minima, where the sign of a zero is open. The oracle alone judges these.
struct BitCounts {
  int64_t exact = 0, exactEqual = 0;
  int64_t others = 0, othersEqual = 0;
  bool operator==(const BitCounts&) const = default;
};
REPORTS_FIELDS(BitCounts, exact, exactEqual, others, othersEqual)

struct ComparedCase {
  // The verdict on the engine; Differs if exact elements differ. `expected` is false if some run's expectation does not
  // hold. Rejected if all runs are rejected as expected.
  CaseVerdict verdict;
  BitCounts bits;
  bool operator==(const ComparedCase&) const = default;
};
REPORTS_FIELDS(ComparedCase, verdict, bits)

// Returns one entry per case. All kernels go through one compiler call, so batches of tens of cases are cheapest. A
// UserError if the engine is not available.
std::vector<ComparedCase> compareEngines(const std::vector<const Case*>& cases, EngineKind kind);
std::vector<ComparedCase> compareEngines(const std::vector<const Case*>& cases, Engine& engine);

// Compares the records of one run of a case (judgedCase) on two engines, and counts the elements. "" or the first exact
// elements that differ, in words. `sameLibrary`: the other engine calls interp's functions.
std::string compareBits(const Case& testCase, const RunRecord& interpreted, const RunRecord& other, bool sameLibrary,
                        BitCounts& bits);

}  // namespace fuser::fuzz
