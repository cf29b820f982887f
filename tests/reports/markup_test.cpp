// Markup: what it writes is well-formed and gives back every text, whatever the text is.

#include "reports/markup.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "fuser/support/check.h"
#include "tests/reports/xml_tree.h"

namespace reports {
namespace {

using reports_test::parseXml;
using reports_test::XmlNode;

TEST(MarkupTest, EscapesSpecialCharacters) {
  EXPECT_EQ(escaped("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
  EXPECT_EQ(escaped("läßt\t1\n"), "läßt\t1\n");
}

TEST(MarkupTest, ReplacesCharactersThatXmlForbids) {
  const std::string replaced = "\xEF\xBF\xBD";
  for (const std::string& bad :
       {std::string(1, '\0'), std::string("\x1b"), std::string("\r"), std::string("\x7f"), std::string("\xff"),
        std::string("\xc0"), std::string("\xe2\x80\xae"), std::string("\xc2\x85"), std::string("\xef\xbf\xbf")}) {
    EXPECT_EQ(escaped("a" + bad + "b"), "a" + replaced + "b");
  }
  // Each byte of an overlong form and of a surrogate by itself.
  EXPECT_EQ(escaped("\xc0\xbc"), replaced + replaced);
  EXPECT_EQ(escaped("\xed\xa0\x80"), replaced + replaced + replaced);
  EXPECT_EQ(escaped("\xe2\x82"), replaced + replaced);
}

TEST(MarkupTest, ClosesElementsInOrder) {
  Markup markup("<!DOCTYPE html>\n");
  markup.open("div", {{"class", "a"}}).element("p", {}, "x").empty("br").close();
  const XmlNode root = parseXml(markup.release());
  EXPECT_EQ(root.tag, "div");
  ASSERT_EQ(root.children.size(), 2u);
  EXPECT_EQ(root.children[0].text, "x");
}

TEST(MarkupTest, MisuseFailsACheck) {
  Markup open;
  open.open("p");
  EXPECT_THROW(open.release(), fuser::CheckError);
  Markup closed;
  EXPECT_THROW(closed.close(), fuser::CheckError);
  EXPECT_THROW(Markup().verbatim("a < b"), fuser::CheckError);
}

RC_GTEST_PROP(MarkupTest, AnyBytesBecomeWellFormed, (const std::string& text, const std::string& value)) {
  Markup markup;
  markup.element("p", {{"title", value}}, text);
  const XmlNode root = parseXml(markup.release());
  RC_ASSERT(escaped(root.text) == escaped(text));
  RC_ASSERT(escaped(root.attributes.at("title")) == escaped(value));
}

RC_GTEST_PROP(MarkupTest, PrintableTextRoundTrips, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::inRange<char>(' ', '~' + 1));
  Markup markup;
  markup.element("p", {}, text);
  RC_ASSERT(parseXml(markup.release()).text == text);
}

}  // namespace
}  // namespace reports
