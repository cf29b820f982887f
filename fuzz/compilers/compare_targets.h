#pragma once
// The verdicts of several targets on the same cases, and their table.

#include <map>
#include <string>
#include <vector>

#include "fuzz/judge/judge_case.h"

namespace fuser::fuzz {

class TargetComparison {
 public:
  explicit TargetComparison(std::vector<std::string> names) : names_(std::move(names)) {}

  // origin: a file, or "seed 1 case 17". One verdict a target.
  void add(const std::string& origin, const std::vector<CaseVerdict>& verdicts);
  bool hasFindings() const { return hasFindings_; }

  // A Markdown table, the verdicts of the targets and how many cases have them, and below it each case on which one has
  // a finding.
  std::string toMarkdown() const;

 private:
  std::vector<std::string> names_;
  std::map<std::vector<VerdictKind>, int64_t> cases_;
  std::vector<std::string> findings_;
  bool hasFindings_ = false;
};

}  // namespace fuser::fuzz
