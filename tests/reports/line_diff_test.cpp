#include "reports/line_diff.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace reports {
namespace {

TEST(ChangedLinesTest, AreThoseOfOneTextAlone) {
  EXPECT_EQ(changedLines("a\nb\nc\n", "a\nb\nc\n"), "");
  EXPECT_EQ(changedLines("a\nb\nc\n", "a\nc\nd\n"), "- b\n+ d\n");
  EXPECT_EQ(changedLines("", "a\n"), "+ a\n");
  EXPECT_EQ(changedLines("a\na\n", "a\n"), "- a\n");
}

std::vector<std::string> textWithout(const std::vector<DiffLine>& lines, char sign) {
  std::vector<std::string> text;
  for (const DiffLine& line : lines) {
    if (line.sign != sign) text.push_back(line.line);
  }
  return text;
}

RC_GTEST_PROP(LineDiffTest, HasBothTextsInOrder, ()) {
  const auto lines = rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>("a", "b", "c"));
  const std::vector<std::string> before = *lines, after = *lines;
  const auto joined = [](const std::vector<std::string>& all) {
    std::string text;
    for (const std::string& line : all) text += line + "\n";
    return text;
  };
  const std::vector<DiffLine> diff = lineDiff(joined(before), joined(after));
  RC_ASSERT(textWithout(diff, '+') == before);
  RC_ASSERT(textWithout(diff, '-') == after);
}

}  // namespace
}  // namespace reports
