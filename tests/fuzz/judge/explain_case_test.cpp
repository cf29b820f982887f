#include "fuzz/judge/explain_case.h"

#include <gtest/gtest.h>

#include "fuser/text/parser.h"
#include "tests/golden/golden_tests.h"

namespace fuser::fuzz {
namespace {

const golden::Texts kExplained("tests/fuzz/judge/explain_case.txt", {}, [](const golden::Case& test) -> golden::Made {
  // An answer has no line that begins a case.
  std::string text = explainCase(parseCase(test.input, "case.fusion"));
  for (size_t at = 0; (at = text.find("== ", at)) != text.npos; ++at) text.replace(at, 3, "=> ");
  return text;
});

TEST(ChangedLinesTest, AreThoseOfOneTextAlone) {
  EXPECT_EQ(changedLines("a\nb\nc\n", "a\nb\nc\n"), "");
  EXPECT_EQ(changedLines("a\nb\nc\n", "a\nc\nd\n"), "- b\n+ d\n");
  EXPECT_EQ(changedLines("", "a\n"), "+ a\n");
  EXPECT_EQ(changedLines("a\na\n", "a\n"), "- a\n");
}

}  // namespace
}  // namespace fuser::fuzz
