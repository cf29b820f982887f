#pragma once
// What `fuserfuzz compare` counts, set of cases by set of cases, and its table.

#include <map>
#include <string>
#include <vector>

#include "fuzz/judge/compare_engines.h"

namespace fuser::fuzz {

struct ComparisonRow {
  std::string set;  // "corpus/seeds", "generated"
  std::map<VerdictKind, int64_t> verdicts;
  int64_t judged = 0, decided = 0;  // elements, by the oracle
  BitCounts bits;
};

struct ComparisonFinding {
  std::string origin;  // a file, or "seed 1 case 17"
  std::string reason;
};

struct Comparison {
  std::vector<ComparisonRow> rows;
  std::vector<ComparisonFinding> findings;
  int64_t judgedCases = 0;  // all that the oracle has an opinion on

  ComparisonRow& row(const std::string& set);
  void add(const std::string& set, const std::string& origin, const ComparedCase& compared);
};

// A table in Markdown, the findings below it, and what the columns mean.
std::string toMarkdown(const Comparison& comparison, const std::string& engine);

// What a process that compared some cases says of them: one entry a case, or why there is none.
struct ComparisonReply {
  std::vector<ComparedCase> cases;
  std::string callersError;  // the engine is not here, a file does not parse, …
  std::string refused;       // the engine's compiler does not take what it was given
  bool operator==(const ComparisonReply&) const = default;
};
REPORTS_FIELDS(ComparisonReply, cases, callersError, refused)

}  // namespace fuser::fuzz
