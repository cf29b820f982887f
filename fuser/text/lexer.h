#pragma once
// Text -> tokens, and the reader on which all parsers of this folder stand: one token ahead, errors with their place.

#include <optional>
#include <string>
#include <string_view>

#include "fuser/support/diagnostic.h"
#include "fuser/types/scalar_value.h"

namespace fuser::text {

enum class TokenKind : uint8_t {
  Identifier,   // fusion, i0, f32, true
  Value,        // %x.b1; text without '%'
  Number,       // 12, 1.5, 1e-5; no sign
  String,       // "interp"; text between the quotes, escapes as they stand
  Punctuation,  // ( ) [ ] { } , : = + - * // ->
  Metadata,     // #: key = value; text after "#:", without blanks around it
  End,
};

struct Token {
  TokenKind kind = TokenKind::End;
  std::string_view text;
  size_t offset = 0;
};

// Letters, digits, '_' and '.', at least one, at most kMaxNameBytes.
bool isName(std::string_view text);
// A name that does not start with a digit or '.'.
bool isIdentifier(std::string_view text);

class TokenReader {
 public:
  // The text must outlive the reader. A UserError when it is longer than kMaxFileBytes.
  TokenReader(std::string_view text, std::string fileName);

  const Token& peek() const { return token_; }
  Token next();

  // The next token is this punctuation or word.
  bool at(std::string_view what) const;
  bool accept(std::string_view what);
  Token expect(std::string_view what);
  // `what` names the thing in the error: "a value".
  Token expect(TokenKind kind, std::string_view what);

  // Go back to a token seen before.
  void rewind(const Token& token);

  // "[a, b]": reads open, entries with f between commas, close. A trailing comma is an error.
  template <class F>
  void list(std::string_view open, std::string_view close, size_t maxEntries, F&& entry) {
    expect(open);
    if (accept(close)) return;
    for (size_t count = 1;; ++count) {
      if (count > maxEntries) fail(peek(), "more than ", maxEntries, " entries");
      entry();
      if (accept(close)) return;
      if (!accept(",")) failExpected(concat("',' or '", close, "'"));
    }
  }

  template <class... Args>
  [[noreturn]] void fail(const Token& token, const Args&... args) const {
    throw LocatedError(text_, fileName_, token.offset, concat(args...));
  }
  [[noreturn]] void failExpected(std::string_view what) const;

  // Runs f; a UserError of another layer gets the token's place.
  template <class F>
  decltype(auto) located(const Token& token, F&& f) const {
    try {
      return f();
    } catch (const LocatedError&) {
      throw;
    } catch (const UserError& error) {
      fail(token, error.what());
    }
  }

  size_t lineOf(size_t offset) const { return placeOf(text_, offset).line; }
  std::string_view text() const { return text_; }
  const std::string& fileName() const { return fileName_; }

 private:
  Token scan();
  Token scanHash(size_t start);
  Token scanNumber(size_t start);
  Token scanString(size_t start);
  void skipBlanks();
  [[noreturn]] void failAt(size_t offset, const std::string& message) const;

  std::string_view text_;
  std::string fileName_;
  size_t cursor_ = 0;
  size_t lastEnd_ = 0;  // behind the last token: where the end of the text is reported
  Token token_;
};

// What a token is, for errors: "'add'", "%x", "the end of the text".
std::string describe(const Token& token);

// --- literals ---

int64_t readInteger(TokenReader& reader);
uint64_t readUnsigned(TokenReader& reader);
bool readBool(TokenReader& reader);
// An integer or a floating literal.
double readNumber(TokenReader& reader);
// Whether a literal of .fusion text stands next: 1, -1.5, nan, -inf, true.
bool atLiteral(const TokenReader& reader);
ScalarValue readLiteral(TokenReader& reader);
// The text of a String token. Escapes: \\ \" \n \r \t \xHH.
std::string unquote(const TokenReader& reader, const Token& token);
std::string quote(std::string_view text);

}  // namespace fuser::text
