// One reader, several grammars: what is a token follows from the rules, and so does how an error names its place.

#include "fuser/tokens/token_reader.h"

#include <gtest/gtest.h>

#include "fuser/tokens/literals.h"

namespace fuser {
namespace {

constexpr TokenRules kRich = {.punctuation = "(),=-",
                              .pairs = {"->", "//"},
                              .values = true,
                              .valueBytes = "@",
                              .strings = true,
                              .comments = true,
                              .maxNameBytes = 8};
constexpr TokenRules kPlain = {.punctuation = "(),=-%", .pairs = {"=="}, .errors = ErrorPlace::Line};

// "Kind:text" of each token.
std::string tokensOf(std::string_view text, const TokenRules& rules) {
  const auto letter = [](TokenKind kind) {
    switch (kind) {
      case TokenKind::Identifier: return "word:";
      case TokenKind::Value: return "value:";
      case TokenKind::Number: return "number:";
      case TokenKind::String: return "string:";
      case TokenKind::Punctuation: return "mark:";
      case TokenKind::Metadata: return "metadata:";
      case TokenKind::End: return "end:";
    }
    FUSER_CHECK(false, "bad TokenKind");
  };
  TokenReader reader(text, "text", rules);
  std::string tokens;
  while (reader.peek().kind != TokenKind::End) {
    const Token token = reader.next();
    EXPECT_EQ(reader.lastToken().offset, token.offset);
    tokens += concat(tokens.empty() ? "" : " ", letter(token.kind), token.text);
  }
  return tokens;
}

std::string errorOf(std::string_view text, const TokenRules& rules) {
  try {
    tokensOf(text, rules);
  } catch (const UserError& error) {
    return error.what();
  }
  return "none";
}

TEST(TokenReaderTest, RulesDefineTheTokens) {
  EXPECT_EQ(tokensOf("%a = x.b1 -> %c@7", kRich), "value:a mark:= word:x.b1 mark:-> value:c@7");
  EXPECT_EQ(tokensOf("a %b == c", kPlain), "word:a mark:% word:b mark:== word:c");
  EXPECT_EQ(tokensOf("a == b", kRich), "word:a mark:= mark:= word:b");
  EXPECT_EQ(tokensOf("-1.5e-3, 7 // \"a b\" # gone\n#: key = 1 \n)", kRich),
            "mark:- number:1.5e-3 mark:, number:7 mark:// string:a b metadata:key = 1 mark:)");
}

TEST(TokenReaderTest, UnknownBytesAreErrors) {
  EXPECT_EQ(errorOf("a\n #b", kPlain), "text, line 2: unexpected '#'");
  EXPECT_EQ(errorOf("\"a\"", kPlain), "text, line 1: unexpected '\"'");
  EXPECT_EQ(errorOf("a -> b", kPlain), "text, line 1: unexpected '>'");
  EXPECT_EQ(errorOf("a@7", kPlain), "text, line 1: unexpected '@'");
  EXPECT_EQ(errorOf("a \x01", kPlain), "text, line 1: unexpected byte 0x01");
  EXPECT_EQ(errorOf("12a", kPlain), "text, line 1: a number runs into a name");
  EXPECT_EQ(errorOf("abcdefgh abcdefghi", kPlain), "none");
}

TEST(TokenReaderTest, ErrorsStateTheirPositionByTheRules) {
  constexpr TokenRules kColumn = {.maxNameBytes = 8, .errors = ErrorPlace::Column};
  EXPECT_EQ(errorOf("a\n b abcdefghi", kColumn), "text, line 2, column 4: a name has at most 8 bytes");
  EXPECT_EQ(errorOf("a\n b abcdefghi", kRich),
            "text:2:4: a name has at most 8 bytes\n   b abcdefghi\n     ^");
  constexpr TokenRules kShort = {.maxBytes = 3, .errors = ErrorPlace::Line};
  EXPECT_EQ(errorOf("abc", kShort), "none");
  EXPECT_EQ(errorOf("abcd", kShort), "text, line 1: the text has more than 3 bytes");
}

TEST(TokenReaderTest, ExpectNamesTheTokenItFound) {
  const auto errorAfter = [](std::string_view text, const auto& read) {
    TokenReader reader(text, "text", kPlain);
    try {
      read(reader);
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(errorAfter("a\n(", [](TokenReader& reader) { reader.next(), reader.expect(")"); }),
            "text, line 2: expected ')', found '('");
  EXPECT_EQ(errorAfter("a\n\n", [](TokenReader& reader) { reader.next(), reader.expect("b"); }),
            "text, line 1: expected 'b', found the end of the text");
  EXPECT_EQ(errorAfter("x", readInteger), "text, line 1: expected an integer, found 'x'");
  EXPECT_EQ(errorAfter("-99999999999999999999", readInteger),
            "text, line 1: -99999999999999999999 is outside of the range of i64");
}

TEST(LiteralsTest, AnIntegerIsAcceptedWholeOrNotAtAll) {
  TokenReader reader("-12 3.5 - x 99999999999999999999", "text", kPlain);
  EXPECT_EQ(acceptInteger(reader), -12);
  EXPECT_EQ(acceptInteger(reader), std::nullopt);
  EXPECT_EQ(reader.next().text, "3.5");
  EXPECT_EQ(acceptInteger(reader), std::nullopt);
  EXPECT_EQ(reader.next().text, "-");
  EXPECT_EQ(reader.next().text, "x");
  EXPECT_EQ(acceptInteger(reader), std::nullopt);
  EXPECT_EQ(reader.peek().text, "99999999999999999999");
}

}  // namespace
}  // namespace fuser
