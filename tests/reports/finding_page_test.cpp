// A finding's page: every text of its data is on it, what is not known says so, and no text breaks it.

#include "reports/finding_page.h"

#include <gtest/gtest.h>

#include "tests/reports/xml_tree.h"

namespace reports {
namespace {

using reports_test::parseXml;
using reports_test::XmlNode;

FindingPage findingSample(const std::string& more = "") {
  FindingPage page;
  const auto text = [&](const std::string& words) { return words + more; };
  page.title = text("the title");
  page.bucket = text("the bucket");
  page.reason = text("the reason");
  page.detail = text("the detail");
  page.origin = text("the origin");
  page.reproduces = text("how it reproduces");
  page.known = text("the known issue");
  page.foundWith = text("the stamp");
  page.replay = text("the replay line");
  page.minimize = text("the minimize line");
  page.bisect = text("the bisect line");
  page.file = text("case.fusion");
  page.programFile = text("case.py");
  page.report = text("report.html");
  page.program = text("the program");
  page.regressionName = text("name.fusion");
  page.regression = text("the regression");
  page.test = text("the test");
  page.evidence.elements = {{text("%y[1]"), 3, text("given"), text("[1, 2]"), text("1.5")},
                            {"%y[2]", -1, "nan", "{inf}", ""}};
  page.evidence.stage = text("pass P");
  page.evidence.guilty = text("P, rewrite 3");
  page.evidence.rewrite = {text("P"), "kept\nold" + more + "\n", "kept\nnew" + more + "\n"};
  page.evidence.explained.program = text("fusion f");
  page.bisection = Bisection{"case.fusion",
                             "differs",
                             {std::string(40, 'a'), "good"},
                             {std::string(40, 'b'), "bad"},
                             {{std::string(40, 'c'), text("the subject")}},
                             {},
                             7};
  return page;
}

bool has(const XmlNode& node, const std::string& text) { return node.allText().find(text) != std::string::npos; }

const XmlNode& part(const XmlNode& page, const std::string& id) {
  for (const XmlNode* node : page.all("section")) {
    if (node->attributes.at("id") == id) return *node;
  }
  throw std::runtime_error("no section " + id);
}

TEST(FindingPageTest, HasEveryTextInItsPlace) {
  const XmlNode page = parseXml(toHtml(findingSample()));
  for (const char* text :
       {"the title", "the bucket", "the origin", "how it reproduces", "the known issue", "the replay line",
        "the minimize line", "report.html", "case.fusion", "case.py", "fusion f"}) {
    EXPECT_TRUE(has(page, text)) << text;
  }
  const std::pair<const char*, std::vector<std::string>> parts[] = {
      {"expected",
       {"the reason", "the detail", "%y[1]", "segment 3", "given", "[1, 2]", "1.5", "an output", "not known"}},
      {"guilty", {"It is gone without: pass P.", "P, rewrite 3", "Before P", "After P", "- old", "+ new"}},
      {"since", {"first bad commit: cccccccccccc the subject", "Of 7 commits", "the stamp", "the bisect line"}},
      {"standalone", {"the program"}},
      {"regression", {"corpus/regressions/name.fusion", "the regression"}},
      {"test", {"the test"}}};
  for (const auto& [id, texts] : parts) {
    for (const std::string& text : texts) EXPECT_TRUE(has(part(page, id), text)) << id << ": " << text;
  }
}

// Before the rewrite without what it adds, and the reverse.
TEST(FindingPageTest, TheTwoTextsOfTheGuiltyRewriteStandSideBySide) {
  const XmlNode page = parseXml(toHtml(findingSample()));
  const std::vector<const XmlNode*> texts = part(page, "guilty").withClass("diff");
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_TRUE(has(*texts[0], "- old") && has(*texts[0], "kept") && !has(*texts[0], "new"));
  EXPECT_TRUE(has(*texts[1], "+ new") && has(*texts[1], "kept") && !has(*texts[1], "old"));
}

TEST(FindingPageTest, WhatIsNotKnownSaysSo) {
  FindingPage finding;
  finding.title = "a crash";
  finding.notMinimized = "Not known: it was not minimised.";
  const XmlNode page = parseXml(toHtml(finding));
  EXPECT_TRUE(has(part(page, "guilty"), "Not known: it was not minimised."));
  EXPECT_TRUE(has(part(page, "since"), "Not known."));
  EXPECT_TRUE(has(part(page, "expected"), "none was compared"));
  EXPECT_TRUE(has(part(page, "standalone"), "there is no program"));
  EXPECT_TRUE(has(part(page, "test"), "Another compiler is judged"));
  finding.bisect = "fuserfuzz bisect";
  finding.bisectionProblem = "it is damaged";
  const XmlNode other = parseXml(toHtml(finding));
  EXPECT_TRUE(has(part(other, "since"), "it is damaged"));
  EXPECT_TRUE(has(part(other, "since"), "this command finds it"));
}

TEST(FindingPageTest, EveryStageHasASentence) {
  FindingPage finding = findingSample();
  for (const auto& [stage, sentence] :
       {std::pair("kernel", "The kernel: "), std::pair("fusing", "Fusing: "), std::pair("passes", "The passes: "),
        std::pair("", "Not known."), std::pair("schedule split", "It is gone without: schedule split.")}) {
    finding.evidence.stage = stage;
    EXPECT_TRUE(has(part(parseXml(toHtml(finding)), "guilty"), sentence)) << stage;
  }
}

TEST(FindingPageTest, NoTextBreaksIt) {
  const std::string attack = "</pre><script>alert('1')</script><img src=\"https://x\"/>&\x01\xff";
  const XmlNode page = parseXml(toHtml(findingSample(attack)));
  EXPECT_EQ(page.all("script").size(), 1u);
  EXPECT_TRUE(page.all("img").empty());
  for (const XmlNode* link : page.all("a")) EXPECT_EQ(link->attributes.at("href").rfind("./", 0), 0u);
}

}  // namespace
}  // namespace reports
