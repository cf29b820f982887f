#pragma once
// The counts of `fuserfuzz compare` per set of cases, and their table.

#include <map>
#include <string>
#include <vector>

#include "fuzz/judge/compare_engines.h"

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

// The result of a process that compared some cases: one entry per case, or the reason why there is none.
struct ComparisonReply {
  std::vector<ComparedCase> cases;
  std::string callersError;  // the engine is not available, a file does not parse, …
  std::string unfit;         // a kernel is for a device with other limits than the engine's
  std::string refused;       // the engine's compiler reports an error in the generated code
  bool operator==(const ComparisonReply&) const = default;
};
REPORTS_FIELDS(ComparisonReply, cases, callersError, unfit, refused)

}  // namespace fuser::fuzz
