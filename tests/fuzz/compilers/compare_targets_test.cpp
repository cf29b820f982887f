// The table of several targets' verdicts.

#include "fuzz/compilers/compare_targets.h"

#include <gtest/gtest.h>

#include "fuser/support/check.h"

namespace fuser::fuzz {
namespace {

CaseVerdict caseVerdict(VerdictKind kind, const std::string& reason = "") {
  CaseVerdict verdict;
  verdict.kind = kind;
  verdict.reason = reason;
  return verdict;
}

TEST(CompareTargetsTest, CountsVerdictsAndNamesCasesWithAFinding) {
  TargetComparison comparison({"one", "other"});
  const CaseVerdict agrees = caseVerdict(VerdictKind::Agrees);
  comparison.add("a.fusion", {agrees, agrees});
  comparison.add("b.fusion", {agrees, caseVerdict(VerdictKind::Unsupported, "no bf16")});
  EXPECT_FALSE(comparison.hasFindings());
  comparison.add("c.fusion", {agrees, agrees});
  comparison.add("d.fusion", {agrees, caseVerdict(VerdictKind::Differs, "%y: 1 of 2 elements differ")});
  EXPECT_TRUE(comparison.hasFindings());
  const std::string table = comparison.toMarkdown();
  for (const char* line : {"| one | other | cases |", "| agrees | agrees | 2 |", "| agrees | unsupported | 1 |",
                           "| agrees | differs | 1 |"}) {
    EXPECT_NE(table.find(concat(line, "\n")), std::string::npos) << line << " in\n" << table;
  }
  const std::string finding = "\n- d.fusion: one agrees; other differs (%y: 1 of 2 elements differ)\n";
  EXPECT_EQ(table.substr(table.find("\n- ")), finding);
}

}  // namespace
}  // namespace fuser::fuzz
