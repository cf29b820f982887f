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

// One line a case, for the pipe between the processes.
std::string toLine(const ComparedCase& compared);
ComparedCase comparedFromLine(const std::string& line);

}  // namespace fuser::fuzz
