#pragma once
// compareEngines(): runs cases on an engine and on the interpreter (differential testing). The oracle judges the
// engine's results as a campaign judges the interpreter's; results that must be bit-identical are compared bit by bit.

#include <map>
#include <string>
#include <vector>

#include "fuser/execute/engine.h"
#include "fuzz/judge/judge_case.h"
#include "reports/fields_sum.h"

namespace fuser::fuzz {

// Counts of elements of stored values. Exact: computed only by ops on which engines agree bit for bit by their rows
// (casts, moves, integers, + - * / sqrt, reductions with a fixed tree, …), from bit-equal operands; these must be
// equal, where all NaNs are equal. Others: library functions, unless both engines call the same library; and maxima and
// minima, where the sign of a zero is open. The oracle alone judges these.
//
// Functions: of the others, results of a library function from operands that are bit-equal.
struct FunctionResults {
  int64_t elements = 0, equal = 0;
  reports::Largest<int64_t> distance;  // from interp's result: 1 for the number next to it
  std::string column;                  // of the op's row; "steps" for a formula of several functions
  bool operator==(const FunctionResults&) const = default;
};
REPORTS_FIELDS(FunctionResults, elements, equal, distance, column)

struct BitCounts {
  int64_t exact = 0, exactEqual = 0;
  int64_t others = 0, othersEqual = 0;
  std::map<std::string, FunctionResults> functions;  // by op and dtype: "exp f32", "gelu {approximate = tanh} f32"
  bool operator==(const BitCounts&) const = default;
};
REPORTS_FIELDS(BitCounts, exact, exactEqual, others, othersEqual, functions)

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
