// An explained case as text and as a page: both have every step, and the page marks what the text says.

#include "reports/explained_case.h"

#include <gtest/gtest.h>

#include "fuser/support/check.h"
#include "reports/line_diff.h"
#include "tests/reports/xml_tree.h"

namespace reports {
namespace {

using reports_test::parseXml;
using reports_test::XmlNode;

// Every field has a text of its own, and `more` behind it.
ExplainedCase explainedSample(const std::string& more = "") {
  ExplainedCase explained;
  explained.name = "case.fusion" + more;
  explained.program = "fusion f(%x: f32[i0]) {\n  %c = neg(%x)\n  return %c\n}\n" + more;
  explained.compiled = "fusion f(%x: f32[4]) {\n  %c = neg(%x)\n  return %c\n}\n" + more;
  explained.passesRan = true;
  explained.changes = {{"FirstPass" + more, "a line" + more + "\nkept\n", "another line\nkept\n"},
                       {"SecondPass", "another line\nkept\n", "kept\n"}};
  explained.segmented = true;
  explained.cuts = "group 0 Reduction\n  with 1, which reads %t: a segment_set separates them" + more + "\n";
  explained.segments.nodes = {{GraphNode::Kind::Input, "%x", {}},
                              {GraphNode::Kind::Segment, "segment 0: Reduction", {{"%t", "%t = sum(%x)" + more, true}}},
                              {GraphNode::Kind::Segment, "segment 1: PointWise", {{"%c", "%c = neg(%t)", false}}},
                              {GraphNode::Kind::Output, "%c", {}}};
  explained.segments.edges = {
      {0, 1, "%x", "f32[i0]", 4096}, {1, 2, "%t", "f32[]" + more, 1}, {2, 3, "%c", "f32[]", 12345}};
  explained.schedules = {{0, "split %t {axis = 0}" + more + "\n"}, {1, "inlineMost\n"}};
  explained.ending = "no kernel computes this" + more;
  explained.verdict = {"FAILED" + more, "differs: Neg %c: 1 element outside" + more, "%c[0] is 1, accepted 2" + more,
                       "elements 4, decided 4; kernels 2", "%c"};
  return explained;
}

std::string withoutStart(const std::string& line) {
  const size_t start = line.find_first_not_of(" =-+");
  return start == std::string::npos ? "" : line.substr(start);
}

// A line of the verdict has its parts in two places of the page.
TEST(ExplainedCaseTest, ThePageHasEveryLineOfTheText) {
  ExplainedCase explained = explainedSample();
  const std::string page = parseXml(toHtml(explained)).allText();
  explained.verdict.word.clear();
  for (const std::string& text : {toText(explained), explainedSample().verdict.line, explainedSample().verdict.detail,
                                  explainedSample().verdict.figures, explainedSample().name}) {
    for (const std::string& line : linesOf(text)) {
      // Titles begin with another letter there.
      const std::string part = withoutStart(line).substr(line.starts_with("== ") ? 1 : 0);
      EXPECT_NE(page.find(part), std::string::npos) << line;
    }
  }
}

TEST(ExplainedCaseTest, AStepThatWasNotReachedIsInNeither) {
  ExplainedCase explained;
  explained.program = "fusion f() {\n}\n";
  explained.ending = "rejected";
  EXPECT_EQ(toText(explained), "== program\nfusion f() {\n}\n\n== the compiler ends here\nrejected\n");
  const XmlNode page = parseXml(toHtml(explained));
  std::vector<std::string> ids;
  for (const XmlNode* section : page.all("section")) ids.push_back(section->attributes.at("id"));
  EXPECT_EQ(ids, (std::vector<std::string>{"program", "ending", "verdict"}));
}

TEST(ExplainedCaseTest, StepsWithNothingToShowSaySo) {
  ExplainedCase explained = explainedSample();
  explained.changes.clear();
  explained.cuts.clear();
  for (const std::string& text : {toText(explained), parseXml(toHtml(explained)).allText()}) {
    EXPECT_NE(text.find(kNoPassChanges), std::string::npos);
    EXPECT_NE(text.find(kOneSegment), std::string::npos);
  }
}

TEST(ExplainedCaseTest, ThePageMarksWhatPassesChange) {
  const XmlNode page = parseXml(toHtml(explainedSample()));
  const std::vector<const XmlNode*> diffs = page.withClass("diff");
  ASSERT_EQ(diffs.size(), 2u);
  ASSERT_EQ(diffs[0]->all("del").size(), 1u);
  EXPECT_EQ(diffs[0]->all("del")[0]->text, "- a line");
  ASSERT_EQ(diffs[0]->all("ins").size(), 1u);
  EXPECT_EQ(diffs[0]->all("ins")[0]->text, "+ another line");
  EXPECT_NE(diffs[0]->text.find("  kept\n"), std::string::npos) << diffs[0]->text;
  EXPECT_TRUE(diffs[1]->all("ins").empty());
}

TEST(ExplainedCaseTest, ThePictureHasBytesOnItsEdgesAndTheWrongOp) {
  const XmlNode page = parseXml(toHtml(explainedSample()));
  std::vector<std::string> labels;
  for (const XmlNode* label : page.withClass("label")) labels.push_back(label->text);
  EXPECT_EQ(labels, (std::vector<std::string>{"%x f32[i0], 4,096 B", "%t f32[], 1 B", "%c f32[], 12,345 B"}));
  ASSERT_EQ(page.withClass("wrongtext").size(), 1u);
  EXPECT_EQ(page.withClass("wrongtext")[0]->text, "✗ %t = sum(%x)\n");
  ASSERT_EQ(page.all("mark").size(), 2u);  // in both programs
  for (const XmlNode* mark : page.all("mark")) EXPECT_EQ(mark->text, "  %c = neg(%x)");
}

TEST(ExplainedCaseTest, BytesBetweenSegmentsAreAdded) {
  const std::vector<std::string> lines = valueLines(explainedSample().segments);
  EXPECT_EQ(lines,
            (std::vector<std::string>{"input -> segment 0: %x f32[i0], 4,096 bytes",
                                      "segment 0 -> segment 1: %t f32[], 1 byte", "1 byte cross between segments"}));
}

TEST(ExplainedCaseTest, ThePageFetchesNothingAndNoTextBreaksIt) {
  const std::string attack = "</pre><script>alert('1')</script><img src=\"https://x\"/>&\x01\xff";
  const std::string html = toHtml(explainedSample(attack));
  const XmlNode page = parseXml(html);
  EXPECT_EQ(page.all("script").size(), 1u);
  for (const char* tag : {"img", "link", "iframe", "a"}) EXPECT_TRUE(page.all(tag).empty()) << tag;
  for (const XmlNode* node : page.all("script")) EXPECT_EQ(node->attributes.count("src"), 0u);
  EXPECT_EQ(html, toHtml(explainedSample(attack)));
}

}  // namespace
}  // namespace reports
