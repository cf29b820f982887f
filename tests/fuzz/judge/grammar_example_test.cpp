// The example with which the document of the format begins is a case, and does what it says.

#include <gtest/gtest.h>

#include <fstream>

#include "fuser/text/parser.h"
#include "fuzz/judge/judge_case.h"

namespace fuser::fuzz {
namespace {

// The first lines of the document that stand as code: indented by four blanks.
std::string firstExample(const std::string& path) {
  std::ifstream in(path);
  std::string text;
  for (std::string line; std::getline(in, line);) {
    const bool isCode = line.starts_with("    ");
    if (!text.empty() && !isCode) break;
    if (isCode) text += line.substr(4) + "\n";
  }
  return text;
}

TEST(GrammarExampleTest, DoesAsItExpects) {
  const Case example = parseCase(firstExample("fuser/text/grammar.md"), "grammar");
  ASSERT_EQ(example.runs.size(), 3u);
  const CaseVerdict verdict = judgeCase(example);
  EXPECT_EQ(verdict.kind, VerdictKind::Agrees) << toString(verdict);
  EXPECT_TRUE(verdict.expected) << toString(verdict);
}

}  // namespace
}  // namespace fuser::fuzz
