// Places and excerpts of located errors.

#include "fuser/support/diagnostic.h"

#include <gtest/gtest.h>

namespace fuser {
namespace {

TEST(DiagnosticTest, PlacesCountBytesFromOne) {
  const std::string text = "a\r\nbc\n\n";
  EXPECT_EQ(sourcePlaceAt(text, 0), (SourcePlace{1, 1}));
  EXPECT_EQ(sourcePlaceAt(text, 4), (SourcePlace{2, 2}));
  EXPECT_EQ(sourcePlaceAt(text, 6), (SourcePlace{3, 1}));
  EXPECT_EQ(sourcePlaceAt(text, 99), (SourcePlace{4, 1}));
  EXPECT_EQ(sourcePlaceAt("", 0), (SourcePlace{1, 1}));
}

TEST(DiagnosticTest, ShowsTheLineAndACaret) {
  EXPECT_STREQ(LocatedError("a\r\n\tbc d\r\n", "f", 5, "here").what(), "f:2:3: here\n   bc d\n    ^");
  EXPECT_STREQ(LocatedError("ab", "f", 2, "the end").what(), "f:1:3: the end\n  ab\n    ^");
}

TEST(DiagnosticTest, ShowsLongAndBinaryLinesAsPrintableText) {
  const std::string text = std::string(300, 'a') + "\x01\xff\t" + std::string(300, 'b') + "\nnext";
  const LocatedError error(text, "f", 303, "here");
  EXPECT_EQ(error.place(), (SourcePlace{1, 304}));
  EXPECT_EQ(std::string(error.what()), "f:1:304: here\n  ... " + std::string(87, 'a') + "?? " + std::string(30, 'b') +
                                           " ...\n  " + std::string(94, ' ') + "^");
  EXPECT_EQ(LocatedError("a\nb\n", "f", 4, "end").place(), (SourcePlace{3, 1}));
}

TEST(DiagnosticTest, WhatIsPrintedIsUtf8WithoutControls) {
  for (const char* text : {"plain\tlines\n", "h\u00e9, \u20ac, \U0001f600, \ud7ff, \uffff, \U0010ffff"})
    EXPECT_EQ(withoutControls(text), text);
  EXPECT_EQ(withoutControls("\x1b[31m\x7f" "a\x9b"), "\\x1b[31m\\x7fa\\x9b");
  EXPECT_EQ(withoutControls(std::string("\0\r", 2)), "\\x00\\x0d");
  EXPECT_EQ(withoutControls("a\xc0z \xff"), "a\\xc0z \\xff");
  EXPECT_EQ(withoutControls("\xc2\x9b" "31m"), "\\xc2\\x9b31m") << "a control character past ASCII";
  EXPECT_EQ(withoutControls("\xc0\xaf \xe0\x80\xaf"), "\\xc0\\xaf \\xe0\\x80\\xaf") << "longer than it needs";
  EXPECT_EQ(withoutControls("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "half of a pair";
  EXPECT_EQ(withoutControls("\xf4\x90\x80\x80 \xe2\x82"), "\\xf4\\x90\\x80\\x80 \\xe2\\x82");
}

}  // namespace
}  // namespace fuser
