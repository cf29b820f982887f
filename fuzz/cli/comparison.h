#pragma once
// The counts of `fuserfuzz compare` per set of cases, and their table.

#include <map>
#include <string>
#include <vector>

#include "fuser/execute/ptx_census.h"
#include "fuzz/judge/compare_engines.h"

namespace fuser {
REPORTS_FIELDS(PtxWork, opcodes, kernels, compiled, fromStore, launches, compileSeconds, parseSeconds, runSeconds)
}  // namespace fuser

namespace fuser::fuzz {

struct ComparisonRow {
  std::string set;  // "corpus/seeds", "generated"
  std::map<VerdictKind, int64_t> verdicts;
  int64_t judged = 0, decided = 0;  // elements, judged by the oracle
  BitCounts bits;
};

struct ComparisonFinding {
  std::string origin;  // a file, or "seed 1 case 17"
  std::string reason;
};

struct Comparison {
  std::vector<ComparisonRow> rows;
  std::vector<ComparisonFinding> findings;
  int64_t judgedCases = 0;   // cases that the oracle judges
  int64_t casesLeftOut = 0;  // for want of time

  ComparisonRow& row(const std::string& set);
  void add(const std::string& set, const std::string& origin, const ComparedCase& compared);
};

// A Markdown table, the findings below it, and an explanation of the columns.
std::string toMarkdown(const Comparison& comparison, const std::string& engine);

// "2130 kernels compiled, 1904 distinct by their PTX, …": of the ptx engine. `seconds`: of all processes, with what is
// not the engine's: drawing, the interpreter, the oracle.
std::string toText(const PtxWork& work, double seconds);

// The result of a process that compared some cases: one entry per case, or the reason why there is none.
struct ComparisonReply {
  std::vector<ComparedCase> cases;
  PtxWork work;              // of the ptx engine
  double seconds = 0;        // of the process
  std::string callersError;  // the engine is not available, a file does not parse, …
  std::string unfit;         // a kernel is for a device with other limits than the engine's
  std::string refused;       // the engine's compiler reports an error in the generated code
  bool operator==(const ComparisonReply&) const = default;
};
REPORTS_FIELDS(ComparisonReply, cases, work, seconds, callersError, unfit, refused)

}  // namespace fuser::fuzz
