#include "fuzz/compilers/compare_targets.h"

#include <algorithm>

#include "fuser/support/check.h"

namespace fuser::fuzz {
namespace {

std::string rowOf(const std::vector<std::string>& cells) {
  std::string row = "|";
  for (const std::string& cell : cells) row += concat(" ", cell, " |");
  return row + "\n";
}

}  // namespace

void TargetComparison::add(const std::string& origin, const std::vector<CaseVerdict>& verdicts) {
  FUSER_CHECK(verdicts.size() == names_.size(), "one verdict a target");
  std::vector<VerdictKind> kinds;
  std::string text = origin;
  for (size_t i = 0; i < verdicts.size(); ++i) {
    const CaseVerdict& verdict = verdicts[i];
    kinds.push_back(verdict.kind);
    text += concat(i == 0 ? ": " : "; ", names_[i], " ", verdictName(verdict.kind));
    if (!verdict.reason.empty()) text += concat(" (", verdict.reason, ")");
  }
  ++cases_[kinds];
  if (std::none_of(kinds.begin(), kinds.end(), isFinding)) return;
  hasFindings_ = true;
  findings_.push_back(std::move(text));
}

std::string TargetComparison::toMarkdown() const {
  std::vector<std::string> head = names_;
  head.emplace_back("cases");
  std::string text = rowOf(head) + rowOf(std::vector<std::string>(head.size(), "---"));
  for (const auto& [kinds, count] : cases_) {
    std::vector<std::string> cells;
    for (const VerdictKind kind : kinds) cells.emplace_back(verdictName(kind));
    cells.push_back(std::to_string(count));
    text += rowOf(cells);
  }
  for (const std::string& finding : findings_) text += concat("\n- ", finding);
  return text + (findings_.empty() ? "" : "\n");
}

}  // namespace fuser::fuzz
